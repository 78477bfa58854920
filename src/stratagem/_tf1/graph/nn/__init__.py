"""tf1.nn, where its arguments differ from those of tf.nn."""

from stratagem._tf1.graph.nn._nn import avg_pool as avg_pool
from stratagem._tf1.graph.nn._nn import conv1d as conv1d
from stratagem._tf1.graph.nn._nn import conv2d as conv2d
from stratagem._tf1.graph.nn._nn import conv3d as conv3d
from stratagem._tf1.graph.nn._nn import depthwise_conv2d as depthwise_conv2d
from stratagem._tf1.graph.nn._nn import dropout as dropout
from stratagem._tf1.graph.nn._nn import embedding_lookup as embedding_lookup
from stratagem._tf1.graph.nn._nn import in_top_k as in_top_k
from stratagem._tf1.graph.nn._nn import l2_normalize as l2_normalize
from stratagem._tf1.graph.nn._nn import log_softmax as log_softmax
from stratagem._tf1.graph.nn._nn import max_pool as max_pool
from stratagem._tf1.graph.nn._nn import moments as moments
from stratagem._tf1.graph.nn._nn import sigmoid_cross_entropy_with_logits as sigmoid_cross_entropy_with_logits
from stratagem._tf1.graph.nn._nn import softmax as softmax
from stratagem._tf1.graph.nn._nn import softmax_cross_entropy_with_logits as softmax_cross_entropy_with_logits
from stratagem._tf1.graph.nn._nn import softmax_cross_entropy_with_logits_v2 as softmax_cross_entropy_with_logits_v2
from stratagem._tf1.graph.nn._nn import (
    sparse_softmax_cross_entropy_with_logits as sparse_softmax_cross_entropy_with_logits,
)
from stratagem._tf1.graph.nn._nn import weighted_cross_entropy_with_logits as weighted_cross_entropy_with_logits
from stratagem._tf1.graph.nn._nn import xw_plus_b as xw_plus_b
