"""Keys in composite tensors: ragged and sparse ones."""

from typing import Any

from stratagem._base.types import UserFunction
from stratagem._ops.ragged import RaggedTensor
from stratagem._ops.sparse import SparseTensor


def of_values(function: UserFunction, keys: Any) -> Any:
    """Returns what a function makes of keys; of ragged and sparse ones, what it makes of their values, in their places."""
    if isinstance(keys, RaggedTensor):
        return keys.with_flat_values(function(keys.flat_values))
    if isinstance(keys, SparseTensor):
        return keys.with_values(function(keys.values))
    return function(keys)
