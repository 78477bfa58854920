"""`tf.register_tensor_conversion_function`: how objects of the user's classes become tensors."""

import bisect
from dataclasses import dataclass, field
from typing import Any, final

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, UserFunction

# What TensorFlow converts itself, whatever is registered.
_NUMBERS = (int, float, np.generic, np.ndarray)
# What TensorFlow's own functions convert, which have this priority.
_BUILTIN = (str, bytes, list, tuple)
_USUAL_PRIORITY = 100


@final
@dataclass(frozen=True, order=True)
class _RegisteredFunction:
    """A function that converts objects of some classes. Lower priorities are asked first, equal ones in the order of time."""

    priority: int
    types: tuple[type, ...] = field(compare=False)
    function: UserFunction = field(compare=False)


_conversions: list[_RegisteredFunction] = []  # in the order in which they are asked


@exported("register_tensor_conversion_function")
def register_tensor_conversion_function(
    base_type: type | tuple[type, ...], conversion_func: UserFunction, priority: int = _USUAL_PRIORITY
) -> None:
    """Lets objects of a class, or of several, be converted wherever a tensor is expected.

    conversion_func(value, dtype=None, name=None, as_ref=False) returns a tensor of `dtype`, or NotImplemented to let the
    next function try. Raises TypeError for what is no class or no function, and for Python's and NumPy's numbers and arrays.
    """
    types = base_type if isinstance(base_type, tuple) else (base_type,)
    if not all(isinstance(each, type) for each in types):
        raise TypeError(f"Argument `base_type` must be a type or a tuple of types. Obtained: {base_type}")
    if any(issubclass(each, _NUMBERS) for each in types):
        raise TypeError("Cannot register conversions for Python numeric types and NumPy scalars and arrays.")
    if not callable(conversion_func):
        raise TypeError(f"Argument `conversion_func` must be callable. Received {conversion_func}.")
    bisect.insort(_conversions, _RegisteredFunction(priority, types, conversion_func))


def has_conversion(value: Any) -> bool:
    """Returns whether a registered function may convert a value."""
    return bool(_conversions) and any(_is_for(each, value) for each in _conversions)


def registered_conversion(value: Any, dtype: DTypeLike | None = None) -> Any:
    """Returns the tensor that a registered function makes of a value; None if there is none.

    Raises RuntimeError for a function that returns no tensor, or one of another dtype.
    """
    for each in _conversions:
        if not _is_for(each, value):
            continue
        found = each.function(value, dtype=dtype, name=None, as_ref=False)
        if found is NotImplemented:
            continue
        about = f"Conversion function {each.function!r} for type {type(value)} returned"
        if not isinstance(found, jax.Array | np.ndarray) and not hasattr(found, "__jax_array__"):
            raise RuntimeError(f"{about} non-Tensor: {found!r}")
        if dtype is not None and _numpy(dtype) != _numpy(found.dtype):
            raise RuntimeError(f"{about} incompatible dtype: requested = {_numpy(dtype)}, actual = {found.dtype}")
        return found
    return None


def _is_for(conversion: _RegisteredFunction, value: Any) -> bool:
    if conversion.priority >= _USUAL_PRIORITY and isinstance(value, _BUILTIN):
        return False
    return isinstance(value, conversion.types)


def _numpy(dtype: Any) -> np.dtype:
    return np.dtype(getattr(dtype, "dtype", dtype))
