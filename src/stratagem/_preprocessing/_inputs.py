"""Inputs of layers, as arrays of the host where it is known, or as tensors of a step."""

from typing import Any

import numpy as np

from stratagem._base.types import DTypeLike
from stratagem._ops import StringTensor, allow_x64, as_dtype, is_traced, tensor


def is_known(value: Any) -> bool:
    """Returns whether the numbers of an array are known now."""
    return not is_traced(value)


def as_input(value: Any, dtype: DTypeLike | None = None) -> Any:
    """Returns lists, arrays, tensors as an array of the host, or as a tensor if a step computes it; converted to `dtype`.

    Raises TypeError for strings as numbers, and numbers as strings.
    """
    wanted = None if dtype is None else as_dtype(dtype)
    if isinstance(value, StringTensor) and wanted is not None and wanted.name == "string":
        return np.asarray(value)  # its strings are not looked at again
    array = tensor(value)
    found = np.asarray(array) if is_known(array) else array
    if wanted is None or found.dtype == wanted.dtype:
        return found
    if found.size == 0 and is_known(found):
        return np.zeros(found.shape, wanted.dtype)
    if (found.dtype == object) != (wanted.name == "string"):
        raise TypeError(f"The layer takes {wanted.name}, got {found.dtype.name}: {value!r:.100}")
    with allow_x64(wanted.dtype):
        return found.astype(wanted.dtype)
