"""Converts torch tensors to NumPy arrays of exactly the same dtype."""

import functools
import sys
from typing import Any

import ml_dtypes
import numpy as np

from stratagem._data.elements._nest import Array


def is_torch_tensor(value: Any) -> bool:
    """Returns whether `value` is a torch tensor, without importing torch."""
    torch = sys.modules.get("torch")
    return torch is not None and isinstance(value, torch.Tensor)


def from_torch(tensor: Any) -> Array:
    """The tensor's values, sharing its memory if it is on the CPU.

    Raises:
        TypeError: NumPy has no such tensors (sparse, quantized).
    """
    tensor = tensor.detach().cpu()
    if tensor.is_conj() or tensor.is_neg():
        tensor = tensor.resolve_conj().resolve_neg()
    dtype = _ml_dtype(tensor.dtype)
    if dtype is None:
        array: Array = tensor.numpy()
        return array
    torch = sys.modules["torch"]
    # Types that NumPy does not have are transferred as integers of the same size.
    carrier = {1: torch.uint8, 2: torch.int16}[tensor.element_size()]
    shared: Array = tensor.contiguous().view(carrier).numpy().view(dtype)
    return shared


@functools.cache
def _ml_dtype(torch_dtype: Any) -> Any:
    """The dtype of ml_dtypes for a torch dtype that NumPy does not have, else None."""
    name = str(torch_dtype).removeprefix("torch.")
    return None if hasattr(np, name) else getattr(ml_dtypes, name, None)
