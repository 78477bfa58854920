# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops import approx_max_k as approx_max_k
from stratagem._ops import approx_min_k as approx_min_k
from stratagem._ops import batch_normalization as batch_normalization
from stratagem._ops import bias_add as bias_add
from stratagem._ops import compute_average_loss as compute_average_loss
from stratagem._ops import crelu as crelu
from stratagem._ops import elu as elu
from stratagem._ops import embedding_lookup as embedding_lookup
from stratagem._ops import gelu as gelu
from stratagem._ops import in_top_k as in_top_k
from stratagem._ops import l2_loss as l2_loss
from stratagem._ops import l2_normalize as l2_normalize
from stratagem._ops import leaky_relu as leaky_relu
from stratagem._ops import log_poisson_loss as log_poisson_loss
from stratagem._ops import log_softmax as log_softmax
from stratagem._ops import moments as moments
from stratagem._ops import relu as relu
from stratagem._ops import relu6 as relu6
from stratagem._ops import scale_regularization_loss as scale_regularization_loss
from stratagem._ops import selu as selu
from stratagem._ops import sigmoid as sigmoid
from stratagem._ops import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from stratagem._ops import silu as silu
from stratagem._ops import silu as swish
from stratagem._ops import softmax as softmax
from stratagem._ops import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from stratagem._ops import softplus as softplus
from stratagem._ops import softsign as softsign
from stratagem._ops import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from stratagem._ops import tanh as tanh
from stratagem._ops import top_k as top_k
from stratagem._ops import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from stratagem._ops import zero_fraction as zero_fraction
from stratagem._ops.nn import atrous_conv2d as atrous_conv2d
from stratagem._ops.nn import atrous_conv2d_transpose as atrous_conv2d_transpose
from stratagem._ops.nn import avg_pool as avg_pool
from stratagem._ops.nn import avg_pool1d as avg_pool1d
from stratagem._ops.nn import avg_pool2d as avg_pool2d
from stratagem._ops.nn import avg_pool3d as avg_pool3d
from stratagem._ops.nn import batch_norm_with_global_normalization as batch_norm_with_global_normalization
from stratagem._ops.nn import collapse_repeated as collapse_repeated
from stratagem._ops.nn import compute_accidental_hits as compute_accidental_hits
from stratagem._ops.nn import conv1d as conv1d
from stratagem._ops.nn import conv1d_transpose as conv1d_transpose
from stratagem._ops.nn import conv2d as conv2d
from stratagem._ops.nn import conv2d_transpose as conv2d_transpose
from stratagem._ops.nn import conv3d as conv3d
from stratagem._ops.nn import conv3d_transpose as conv3d_transpose
from stratagem._ops.nn import conv_transpose as conv_transpose
from stratagem._ops.nn import convolution as convolution
from stratagem._ops.nn import ctc_loss as ctc_loss
from stratagem._ops.nn import ctc_unique_labels as ctc_unique_labels
from stratagem._ops.nn import depth_to_space as depth_to_space
from stratagem._ops.nn import depthwise_conv2d as depthwise_conv2d
from stratagem._ops.nn import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from stratagem._ops.nn import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from stratagem._ops.nn import dilation2d as dilation2d
from stratagem._ops.nn import erosion2d as erosion2d
from stratagem._ops.nn import fractional_avg_pool as fractional_avg_pool
from stratagem._ops.nn import fractional_max_pool as fractional_max_pool
from stratagem._ops.nn import isotonic_regression as isotonic_regression
from stratagem._ops.nn import local_response_normalization as local_response_normalization
from stratagem._ops.nn import lrn as lrn
from stratagem._ops.nn import max_pool as max_pool
from stratagem._ops.nn import max_pool1d as max_pool1d
from stratagem._ops.nn import max_pool2d as max_pool2d
from stratagem._ops.nn import max_pool3d as max_pool3d
from stratagem._ops.nn import max_pool_with_argmax as max_pool_with_argmax
from stratagem._ops.nn import nce_loss as nce_loss
from stratagem._ops.nn import normalize_moments as normalize_moments
from stratagem._ops.nn import pool as pool
from stratagem._ops.nn import sampled_softmax_loss as sampled_softmax_loss
from stratagem._ops.nn import separable_conv2d as separable_conv2d
from stratagem._ops.nn import space_to_batch as space_to_batch
from stratagem._ops.nn import space_to_depth as space_to_depth
from stratagem._ops.nn import sufficient_statistics as sufficient_statistics
from stratagem._ops.nn import weighted_moments as weighted_moments
from stratagem._ops.nn import with_space_to_batch as with_space_to_batch
from stratagem._ops.sampling import all_candidate_sampler as all_candidate_sampler
from stratagem._ops.sampling import dropout as dropout
from stratagem._ops.sampling import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from stratagem._ops.sparse import embedding_lookup_sparse as embedding_lookup_sparse
from stratagem._ops.sparse import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from stratagem.nn import experimental as experimental

__all__ = [
    "all_candidate_sampler", "approx_max_k", "approx_min_k", "atrous_conv2d", "atrous_conv2d_transpose", "avg_pool",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_norm_with_global_normalization", "batch_normalization", "bias_add",
    "collapse_repeated", "compute_accidental_hits", "compute_average_loss", "conv1d", "conv1d_transpose", "conv2d",
    "conv2d_transpose", "conv3d", "conv3d_transpose", "conv_transpose", "convolution", "crelu", "ctc_loss",
    "ctc_unique_labels", "depth_to_space", "depthwise_conv2d", "depthwise_conv2d_backprop_filter",
    "depthwise_conv2d_backprop_input", "dilation2d", "dropout", "elu", "embedding_lookup", "embedding_lookup_sparse",
    "erosion2d", "experimental", "fixed_unigram_candidate_sampler", "fractional_avg_pool", "fractional_max_pool",
    "gelu", "in_top_k", "isotonic_regression", "l2_loss", "l2_normalize", "leaky_relu", "local_response_normalization",
    "log_poisson_loss", "log_softmax", "lrn", "max_pool", "max_pool1d", "max_pool2d", "max_pool3d",
    "max_pool_with_argmax", "moments", "nce_loss", "normalize_moments", "pool", "relu", "relu6",
    "safe_embedding_lookup_sparse", "sampled_softmax_loss", "scale_regularization_loss", "selu", "separable_conv2d",
    "sigmoid", "sigmoid_cross_entropy_with_logits", "silu", "softmax", "softmax_cross_entropy_with_logits", "softplus",
    "softsign", "space_to_batch", "space_to_depth", "sparse_softmax_cross_entropy_with_logits", "sufficient_statistics",
    "swish", "tanh", "top_k", "weighted_cross_entropy_with_logits", "weighted_moments", "with_space_to_batch",
    "zero_fraction"
]  # fmt: skip
