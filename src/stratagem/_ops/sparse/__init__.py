"""Sparse tensors and what is computed with them. A folder of its own, as some names are also those of other functions."""

from stratagem._ops.sparse._dense import from_dense as from_dense
from stratagem._ops.sparse._dense import to_dense as to_dense
from stratagem._ops.sparse._sparse_tensor import SparseTensor as SparseTensor
from stratagem._ops.sparse._sparse_tensor import SparseTensorSpec as SparseTensorSpec
