"""Sparse tensors and what is computed with them. A folder of its own, as some names are also those of other functions."""

from stratagem._ops.sparse import _arithmetic
from stratagem._ops.sparse._arithmetic import add as add
from stratagem._ops.sparse._arithmetic import map_values as map_values
from stratagem._ops.sparse._arithmetic import maximum as maximum
from stratagem._ops.sparse._arithmetic import minimum as minimum
from stratagem._ops.sparse._arithmetic import reduce_max as reduce_max
from stratagem._ops.sparse._arithmetic import reduce_sum as reduce_sum
from stratagem._ops.sparse._arithmetic import softmax as softmax
from stratagem._ops.sparse._arithmetic import sparse_dense_matmul as sparse_dense_matmul
from stratagem._ops.sparse._arithmetic import to_indicator as to_indicator
from stratagem._ops.sparse._counting import bincount as bincount
from stratagem._ops.sparse._counts import occurring as occurring
from stratagem._ops.sparse._dense import from_dense as from_dense
from stratagem._ops.sparse._dense import to_dense as to_dense
from stratagem._ops.sparse._embeddings import embedding_lookup_sparse as embedding_lookup_sparse
from stratagem._ops.sparse._embeddings import safe_embedding_lookup_sparse as safe_embedding_lookup_sparse
from stratagem._ops.sparse._embeddings import segment_mean as segment_mean
from stratagem._ops.sparse._embeddings import segment_sqrt_n as segment_sqrt_n
from stratagem._ops.sparse._embeddings import segment_sum as segment_sum
from stratagem._ops.sparse._layout import concat as concat
from stratagem._ops.sparse._layout import expand_dims as expand_dims
from stratagem._ops.sparse._layout import eye as eye
from stratagem._ops.sparse._layout import fill_empty_rows as fill_empty_rows
from stratagem._ops.sparse._layout import mask as mask
from stratagem._ops.sparse._layout import reorder as reorder
from stratagem._ops.sparse._layout import reset_shape as reset_shape
from stratagem._ops.sparse._layout import reshape as reshape
from stratagem._ops.sparse._layout import retain as retain
from stratagem._ops.sparse._layout import slice as slice
from stratagem._ops.sparse._layout import split as split
from stratagem._ops.sparse._layout import transpose as transpose
from stratagem._ops.sparse._sparse_tensor import SparseTensor as SparseTensor
from stratagem._ops.sparse._sparse_tensor import SparseTensorSpec as SparseTensorSpec
from stratagem._ops.sparse._sparse_tensor import SparseTensorValue as SparseTensorValue

_arithmetic.give_rules()
