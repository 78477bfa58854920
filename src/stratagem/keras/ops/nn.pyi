# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem.keras.ops import adaptive_average_pool as adaptive_average_pool
from stratagem.keras.ops import adaptive_max_pool as adaptive_max_pool
from stratagem.keras.ops import average_pool as average_pool
from stratagem.keras.ops import batch_normalization as batch_normalization
from stratagem.keras.ops import binary_crossentropy as binary_crossentropy
from stratagem.keras.ops import categorical_crossentropy as categorical_crossentropy
from stratagem.keras.ops import celu as celu
from stratagem.keras.ops import conv as conv
from stratagem.keras.ops import conv_transpose as conv_transpose
from stratagem.keras.ops import ctc_decode as ctc_decode
from stratagem.keras.ops import ctc_loss as ctc_loss
from stratagem.keras.ops import depth_to_space as depth_to_space
from stratagem.keras.ops import depthwise_conv as depthwise_conv
from stratagem.keras.ops import dot_product_attention as dot_product_attention
from stratagem.keras.ops import elu as elu
from stratagem.keras.ops import fold as fold
from stratagem.keras.ops import gelu as gelu
from stratagem.keras.ops import glu as glu
from stratagem.keras.ops import hard_shrink as hard_shrink
from stratagem.keras.ops import hard_sigmoid as hard_sigmoid
from stratagem.keras.ops import hard_silu as hard_silu
from stratagem.keras.ops import hard_silu as hard_swish
from stratagem.keras.ops import hard_tanh as hard_tanh
from stratagem.keras.ops import layer_normalization as layer_normalization
from stratagem.keras.ops import leaky_relu as leaky_relu
from stratagem.keras.ops import log_sigmoid as log_sigmoid
from stratagem.keras.ops import log_softmax as log_softmax
from stratagem.keras.ops import max_pool as max_pool
from stratagem.keras.ops import moments as moments
from stratagem.keras.ops import multi_hot as multi_hot
from stratagem.keras.ops import normalize as normalize
from stratagem.keras.ops import one_hot as one_hot
from stratagem.keras.ops import polar as polar
from stratagem.keras.ops import psnr as psnr
from stratagem.keras.ops import relu as relu
from stratagem.keras.ops import relu6 as relu6
from stratagem.keras.ops import rms_normalization as rms_normalization
from stratagem.keras.ops import selu as selu
from stratagem.keras.ops import separable_conv as separable_conv
from stratagem.keras.ops import sigmoid as sigmoid
from stratagem.keras.ops import silu as silu
from stratagem.keras.ops import silu as swish
from stratagem.keras.ops import soft_shrink as soft_shrink
from stratagem.keras.ops import softmax as softmax
from stratagem.keras.ops import softplus as softplus
from stratagem.keras.ops import softsign as softsign
from stratagem.keras.ops import space_to_depth as space_to_depth
from stratagem.keras.ops import sparse_categorical_crossentropy as sparse_categorical_crossentropy
from stratagem.keras.ops import sparse_plus as sparse_plus
from stratagem.keras.ops import sparse_sigmoid as sparse_sigmoid
from stratagem.keras.ops import sparsemax as sparsemax
from stratagem.keras.ops import squareplus as squareplus
from stratagem.keras.ops import tanh_shrink as tanh_shrink
from stratagem.keras.ops import threshold as threshold
from stratagem.keras.ops import unfold as unfold

__all__ = [
    "adaptive_average_pool", "adaptive_max_pool", "average_pool", "batch_normalization", "binary_crossentropy",
    "categorical_crossentropy", "celu", "conv", "conv_transpose", "ctc_decode", "ctc_loss", "depth_to_space",
    "depthwise_conv", "dot_product_attention", "elu", "fold", "gelu", "glu", "hard_shrink", "hard_sigmoid", "hard_silu",
    "hard_swish", "hard_tanh", "layer_normalization", "leaky_relu", "log_sigmoid", "log_softmax", "max_pool", "moments",
    "multi_hot", "normalize", "one_hot", "polar", "psnr", "relu", "relu6", "rms_normalization", "selu",
    "separable_conv", "sigmoid", "silu", "soft_shrink", "softmax", "softplus", "softsign", "space_to_depth",
    "sparse_categorical_crossentropy", "sparse_plus", "sparse_sigmoid", "sparsemax", "squareplus", "swish",
    "tanh_shrink", "threshold", "unfold"
]  # fmt: skip
