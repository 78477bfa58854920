"""Types of arguments: dtypes, shapes, paths, and functions that users give."""

import os
from collections.abc import Callable, Sequence
from typing import Any, Protocol, SupportsIndex, TypeAlias

import numpy as np


class HasDType(Protocol):
    """A tf.DType, or whatever else NumPy reads a dtype from."""

    @property
    def dtype(self) -> np.dtype[Any]:
        """The dtype for NumPy."""


class ConvertsToArray(Protocol):
    """A tensor, a variable, a NumPy array or number."""

    def __array__(self) -> np.ndarray:
        """Returns the value as a NumPy array."""


# A tf.DType, a NumPy dtype, Python's float, int or bool, or a name.
DTypeLike: TypeAlias = str | type | np.dtype[Any] | HasDType

# A list or tuple of int, None or tensors, a tf.TensorShape, one number, or a tensor.
ShapeLike: TypeAlias = SupportsIndex | Sequence[Any] | ConvertsToArray

# A str, bytes, an os.PathLike, or what TensorFlow takes in their place: a tensor of one string.
PathLike: TypeAlias = str | bytes | os.PathLike[str] | ConvertsToArray

# What a user gives to be called, with arguments and a result of the user's choice.
UserFunction: TypeAlias = Callable[..., Any]
