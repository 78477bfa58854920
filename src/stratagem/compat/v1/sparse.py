"""tf.compat.v1.sparse: the names of tf.sparse, some with other arguments."""

from typing import Any as _Any

from stratagem._ops.sparse import sparse_dense_matmul as matmul  # noqa: F401
from stratagem._tf1.graph.functions.sparse import add as add
from stratagem._tf1.graph.functions.sparse import concat as concat
from stratagem._tf1.graph.functions.sparse import merge as merge
from stratagem._tf1.graph.functions.sparse import reduce_max as reduce_max
from stratagem._tf1.graph.functions.sparse import reduce_max_sparse as reduce_max_sparse
from stratagem._tf1.graph.functions.sparse import reduce_sum as reduce_sum
from stratagem._tf1.graph.functions.sparse import reduce_sum_sparse as reduce_sum_sparse
from stratagem._tf1.graph.functions.sparse import segment_mean as segment_mean
from stratagem._tf1.graph.functions.sparse import segment_sqrt_n as segment_sqrt_n
from stratagem._tf1.graph.functions.sparse import segment_sum as segment_sum
from stratagem._tf1.graph.functions.sparse import split as split
from stratagem.compat.v1._names import public_name as _public_name


def __getattr__(name: str) -> _Any:
    return _public_name("sparse", name)
