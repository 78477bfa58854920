"""`tf.nn`: activations, losses on logits, convolution and pooling, and loss scaling over replicas."""

from stratagem.ops import avg_pool as avg_pool
from stratagem.ops import avg_pool2d as avg_pool2d
from stratagem.ops import batch_normalization as batch_normalization
from stratagem.ops import bias_add as bias_add
from stratagem.ops import compute_average_loss as compute_average_loss
from stratagem.ops import conv1d as conv1d
from stratagem.ops import conv2d as conv2d
from stratagem.ops import conv3d as conv3d
from stratagem.ops import crelu as crelu
from stratagem.ops import depthwise_conv2d as depthwise_conv2d
from stratagem.ops import elu as elu
from stratagem.ops import embedding_lookup as embedding_lookup
from stratagem.ops import gelu as gelu
from stratagem.ops import in_top_k as in_top_k
from stratagem.ops import l2_loss as l2_loss
from stratagem.ops import l2_normalize as l2_normalize
from stratagem.ops import leaky_relu as leaky_relu
from stratagem.ops import log_softmax as log_softmax
from stratagem.ops import max_pool as max_pool
from stratagem.ops import max_pool2d as max_pool2d
from stratagem.ops import moments as moments
from stratagem.ops import not_provided as _not_provided
from stratagem.ops import relu as relu
from stratagem.ops import relu6 as relu6
from stratagem.ops import scale_regularization_loss as scale_regularization_loss
from stratagem.ops import selu as selu
from stratagem.ops import sigmoid as sigmoid
from stratagem.ops import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from stratagem.ops import silu as silu
from stratagem.ops import softmax as softmax
from stratagem.ops import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from stratagem.ops import softplus as softplus
from stratagem.ops import softsign as softsign
from stratagem.ops import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from stratagem.ops import tanh as tanh
from stratagem.ops import top_k as top_k
from stratagem.ops import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from stratagem.ops import zero_fraction as zero_fraction
from stratagem.ops.sampling import dropout as dropout

swish = silu


def __getattr__(name: str) -> object:
    raise _not_provided("nn", name)
