"""tf.compat.v1.math: the names of tf.math, some with other arguments."""

from typing import Any as _Any

from stratagem._tf1.graph.functions.arrays import confusion_matrix as confusion_matrix
from stratagem._tf1.graph.functions.reductions import argmax as argmax
from stratagem._tf1.graph.functions.reductions import argmin as argmin
from stratagem._tf1.graph.functions.reductions import count_nonzero as count_nonzero
from stratagem._tf1.graph.functions.reductions import reduce_all as reduce_all
from stratagem._tf1.graph.functions.reductions import reduce_any as reduce_any
from stratagem._tf1.graph.functions.reductions import reduce_logsumexp as reduce_logsumexp
from stratagem._tf1.graph.functions.reductions import reduce_max as reduce_max
from stratagem._tf1.graph.functions.reductions import reduce_mean as reduce_mean
from stratagem._tf1.graph.functions.reductions import reduce_min as reduce_min
from stratagem._tf1.graph.functions.reductions import reduce_prod as reduce_prod
from stratagem._tf1.graph.functions.reductions import reduce_sum as reduce_sum
from stratagem._tf1.graph.nn import in_top_k as in_top_k
from stratagem._tf1.graph.nn import l2_normalize as l2_normalize
from stratagem._tf1.graph.nn import log_softmax as log_softmax
from stratagem._tf1.graph.nn import softmax as softmax
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("math", name)
