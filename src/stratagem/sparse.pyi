# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._ops.sparse import SparseTensor as SparseTensor
from stratagem._ops.sparse import add as add
from stratagem._ops.sparse import bincount as bincount
from stratagem._ops.sparse import concat as concat
from stratagem._ops.sparse import expand_dims as expand_dims
from stratagem._ops.sparse import eye as eye
from stratagem._ops.sparse import fill_empty_rows as fill_empty_rows
from stratagem._ops.sparse import from_dense as from_dense
from stratagem._ops.sparse import map_values as map_values
from stratagem._ops.sparse import mask as mask
from stratagem._ops.sparse import maximum as maximum
from stratagem._ops.sparse import minimum as minimum
from stratagem._ops.sparse import reduce_max as reduce_max
from stratagem._ops.sparse import reduce_sum as reduce_sum
from stratagem._ops.sparse import reorder as reorder
from stratagem._ops.sparse import reset_shape as reset_shape
from stratagem._ops.sparse import reshape as reshape
from stratagem._ops.sparse import retain as retain
from stratagem._ops.sparse import segment_mean as segment_mean
from stratagem._ops.sparse import segment_sqrt_n as segment_sqrt_n
from stratagem._ops.sparse import segment_sum as segment_sum
from stratagem._ops.sparse import slice as slice
from stratagem._ops.sparse import softmax as softmax
from stratagem._ops.sparse import sparse_dense_matmul as sparse_dense_matmul
from stratagem._ops.sparse import split as split
from stratagem._ops.sparse import to_dense as to_dense
from stratagem._ops.sparse import to_indicator as to_indicator
from stratagem._ops.sparse import transpose as transpose
from stratagem._ops.sparse_crosses import cross as cross
from stratagem._ops.sparse_crosses import cross_hashed as cross_hashed

__all__ = [
    "SparseTensor", "add", "bincount", "concat", "cross", "cross_hashed", "expand_dims", "eye", "fill_empty_rows",
    "from_dense", "map_values", "mask", "maximum", "minimum", "reduce_max", "reduce_sum", "reorder", "reset_shape",
    "reshape", "retain", "segment_mean", "segment_sqrt_n", "segment_sum", "slice", "softmax", "sparse_dense_matmul",
    "split", "to_dense", "to_indicator", "transpose"
]  # fmt: skip
