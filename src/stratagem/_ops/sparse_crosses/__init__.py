"""Crossed features as sparse tensors. A folder of its own, as the names are also those of the other kind."""

from stratagem._ops.sparse_crosses._cross import cross as cross
from stratagem._ops.sparse_crosses._cross import cross_hashed as cross_hashed
