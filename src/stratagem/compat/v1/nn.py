"""tf.compat.v1.nn: the names of tf.nn, some with other arguments."""

from typing import Any as _Any

from stratagem._tf1.graph.functions.blocks import space_to_batch as space_to_batch
from stratagem._tf1.graph.functions.reordered import crelu as crelu
from stratagem._tf1.graph.functions.reordered import depth_to_space as depth_to_space
from stratagem._tf1.graph.functions.reordered import space_to_depth as space_to_depth
from stratagem._tf1.graph.nn import avg_pool as avg_pool
from stratagem._tf1.graph.nn import avg_pool as avg_pool2d  # noqa: F401
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
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("nn", name)
