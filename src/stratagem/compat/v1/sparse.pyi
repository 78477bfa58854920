# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.sparse import sparse_dense_matmul as matmul
from stratagem._ops.sparse import sparse_dense_matmul as sparse_dense_matmul
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
from stratagem.sparse import SparseTensor as SparseTensor
from stratagem.sparse import bincount as bincount
from stratagem.sparse import cross as cross
from stratagem.sparse import cross_hashed as cross_hashed
from stratagem.sparse import expand_dims as expand_dims
from stratagem.sparse import eye as eye
from stratagem.sparse import fill_empty_rows as fill_empty_rows
from stratagem.sparse import from_dense as from_dense
from stratagem.sparse import mask as mask
from stratagem.sparse import maximum as maximum
from stratagem.sparse import minimum as minimum
from stratagem.sparse import reorder as reorder
from stratagem.sparse import reset_shape as reset_shape
from stratagem.sparse import reshape as reshape
from stratagem.sparse import retain as retain
from stratagem.sparse import slice as slice
from stratagem.sparse import softmax as softmax
from stratagem.sparse import to_dense as to_dense
from stratagem.sparse import to_indicator as to_indicator
from stratagem.sparse import transpose as transpose

__all__ = [
    "SparseTensor", "add", "bincount", "concat", "cross", "cross_hashed", "expand_dims", "eye", "fill_empty_rows",
    "from_dense", "mask", "matmul", "maximum", "merge", "minimum", "reduce_max", "reduce_max_sparse", "reduce_sum",
    "reduce_sum_sparse", "reorder", "reset_shape", "reshape", "retain", "segment_mean", "segment_sqrt_n", "segment_sum",
    "slice", "softmax", "sparse_dense_matmul", "split", "to_dense", "to_indicator", "transpose"
]  # fmt: skip
