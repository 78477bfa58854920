# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.graph.functions.blocks import space_to_batch as space_to_batch
from stratagem._tf1.graph.functions.reordered import crelu as crelu
from stratagem._tf1.graph.functions.reordered import depth_to_space as depth_to_space
from stratagem._tf1.graph.functions.reordered import space_to_depth as space_to_depth
from stratagem._tf1.graph.nn import avg_pool as avg_pool
from stratagem._tf1.graph.nn import avg_pool as avg_pool2d
from stratagem._tf1.graph.nn import conv1d as conv1d
from stratagem._tf1.graph.nn import conv2d as conv2d
from stratagem._tf1.graph.nn import conv3d as conv3d
from stratagem._tf1.graph.nn import depthwise_conv2d as depthwise_conv2d
from stratagem._tf1.graph.nn import dropout as dropout
from stratagem._tf1.graph.nn import embedding_lookup as embedding_lookup
from stratagem._tf1.graph.nn import embedding_lookup_sparse as embedding_lookup_sparse
from stratagem._tf1.graph.nn import in_top_k as in_top_k
from stratagem._tf1.graph.nn import l2_normalize as l2_normalize
from stratagem._tf1.graph.nn import log_softmax as log_softmax
from stratagem._tf1.graph.nn import max_pool as max_pool
from stratagem._tf1.graph.nn import moments as moments
from stratagem._tf1.graph.nn import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from stratagem._tf1.graph.nn import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from stratagem._tf1.graph.nn import softmax as softmax
from stratagem._tf1.graph.nn import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from stratagem._tf1.graph.nn import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
from stratagem._tf1.graph.nn import sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits
from stratagem._tf1.graph.nn import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from stratagem._tf1.graph.nn import xw_plus_b as xw_plus_b
from stratagem.nn import all_candidate_sampler as all_candidate_sampler
from stratagem.nn import approx_max_k as approx_max_k
from stratagem.nn import approx_min_k as approx_min_k
from stratagem.nn import atrous_conv2d as atrous_conv2d
from stratagem.nn import atrous_conv2d_transpose as atrous_conv2d_transpose
from stratagem.nn import avg_pool1d as avg_pool1d
from stratagem.nn import avg_pool3d as avg_pool3d
from stratagem.nn import batch_normalization as batch_normalization
from stratagem.nn import bias_add as bias_add
from stratagem.nn import collapse_repeated as collapse_repeated
from stratagem.nn import compute_accidental_hits as compute_accidental_hits
from stratagem.nn import compute_average_loss as compute_average_loss
from stratagem.nn import conv1d_transpose as conv1d_transpose
from stratagem.nn import conv_transpose as conv_transpose
from stratagem.nn import ctc_unique_labels as ctc_unique_labels
from stratagem.nn import depthwise_conv2d_backprop_filter as depthwise_conv2d_backprop_filter
from stratagem.nn import depthwise_conv2d_backprop_input as depthwise_conv2d_backprop_input
from stratagem.nn import elu as elu
from stratagem.nn import experimental as experimental
from stratagem.nn import fixed_unigram_candidate_sampler as fixed_unigram_candidate_sampler
from stratagem.nn import l2_loss as l2_loss
from stratagem.nn import leaky_relu as leaky_relu
from stratagem.nn import local_response_normalization as local_response_normalization
from stratagem.nn import log_poisson_loss as log_poisson_loss
from stratagem.nn import lrn as lrn
from stratagem.nn import max_pool1d as max_pool1d
from stratagem.nn import max_pool2d as max_pool2d
from stratagem.nn import max_pool3d as max_pool3d
from stratagem.nn import normalize_moments as normalize_moments
from stratagem.nn import relu as relu
from stratagem.nn import relu6 as relu6
from stratagem.nn import scale_regularization_loss as scale_regularization_loss
from stratagem.nn import selu as selu
from stratagem.nn import sigmoid as sigmoid
from stratagem.nn import silu as silu
from stratagem.nn import softplus as softplus
from stratagem.nn import softsign as softsign
from stratagem.nn import swish as swish
from stratagem.nn import tanh as tanh
from stratagem.nn import top_k as top_k
from stratagem.nn import with_space_to_batch as with_space_to_batch
from stratagem.nn import zero_fraction as zero_fraction

__all__ = [
    "all_candidate_sampler", "approx_max_k", "approx_min_k", "atrous_conv2d", "atrous_conv2d_transpose", "avg_pool",
    "avg_pool1d", "avg_pool2d", "avg_pool3d", "batch_normalization", "bias_add", "collapse_repeated",
    "compute_accidental_hits", "compute_average_loss", "conv1d", "conv1d_transpose", "conv2d", "conv3d",
    "conv_transpose", "crelu", "ctc_unique_labels", "depth_to_space", "depthwise_conv2d",
    "depthwise_conv2d_backprop_filter", "depthwise_conv2d_backprop_input", "dropout", "elu", "embedding_lookup",
    "embedding_lookup_sparse", "experimental", "fixed_unigram_candidate_sampler", "in_top_k", "l2_loss", "l2_normalize",
    "leaky_relu", "local_response_normalization", "log_poisson_loss", "log_softmax", "lrn", "max_pool", "max_pool1d",
    "max_pool2d", "max_pool3d", "moments", "normalize_moments", "relu", "relu6", "safe_embedding_lookup_sparse",
    "scale_regularization_loss", "selu", "sigmoid", "sigmoid_cross_entropy_with_logits", "silu", "softmax",
    "softmax_cross_entropy_with_logits", "softmax_cross_entropy_with_logits_v2", "softplus", "softsign",
    "space_to_batch", "space_to_depth", "sparse_softmax_cross_entropy_with_logits", "swish", "tanh", "top_k",
    "weighted_cross_entropy_with_logits", "with_space_to_batch", "xw_plus_b", "zero_fraction"
]  # fmt: skip
