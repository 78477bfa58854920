"""Checks of the arguments of columns."""

from typing import Any

from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._ops import DType, as_dtype


def checked_key(key: str) -> str:
    """Returns a key. Raises ValueError for what is no string."""
    if not isinstance(key, str):
        raise ValueError(f"key must be a string. Got: type {type(key)}. Given key: {key}.")
    return key


def checked_shape(shape: ShapeLike, key: str) -> tuple[int, ...]:
    """Returns a shape as a tuple. Raises TypeError for what is no integer, and ValueError for what is not positive."""
    found = tuple(shape) if isinstance(shape, list | tuple) else (shape,)
    for dimension in found:
        if not isinstance(dimension, int):
            raise TypeError(f"shape dimensions must be integer. shape: {found}, key: {key}")
        if dimension < 1:
            raise ValueError(f"shape dimensions must be greater than 0. shape: {found}, key: {key}")
    return found


def checked_number(dtype: DTypeLike, key: str) -> DType:
    """Returns the dtype of numbers. Raises ValueError for others."""
    found = as_dtype(dtype)
    if not (found.is_integer or found.is_floating):
        raise ValueError(f"dtype must be convertible to float. dtype: {found}, key: {key}")
    return found


def checked_label(dtype: DTypeLike, prefix: str) -> DType:
    """Returns the dtype of strings or integers. Raises ValueError for others."""
    found = as_dtype(dtype)
    if found.name != "string" and not found.is_integer:
        raise ValueError(f"{prefix} dtype must be string or integer. dtype: {found}.")
    return found


def checked_function(normalizer_fn: Any) -> Any:
    """Returns a function or None. Raises TypeError for what cannot be called."""
    if normalizer_fn is not None and not callable(normalizer_fn):
        raise TypeError(f"normalizer_fn must be a callable. Given: {normalizer_fn}")
    return normalizer_fn


def checked_default(shape: tuple[int, ...], default_value: Any, dtype: DType, key: str) -> Any:
    """Returns a default as nested tuples of this shape; one number stands for all.

    Raises ValueError for another shape, and TypeError for what is no number of the dtype.
    """
    if default_value is None:
        return None
    found: Any = default_value.tolist() if callable(getattr(default_value, "tolist", None)) else default_value
    if _fits([found], dtype):
        return _filled(shape, found)
    if isinstance(found, list | tuple):
        if not _has_shape(found, shape):
            raise ValueError(
                "The shape of default_value must be equal to given shape. "
                f"default_value: {default_value}, shape: {shape}, key: {key}"
            )
        if _fits(_leaves(found), dtype):
            return _as_tuple(found)
    raise TypeError(
        f"default_value must be compatible with dtype. default_value: {default_value}, dtype: {dtype}, key: {key}"
    )


def _fits(values: list[Any], dtype: DType) -> bool:
    if all(isinstance(v, int) for v in values):
        return True
    return dtype.is_floating and all(isinstance(v, int | float) for v in values)


def _filled(shape: tuple[int, ...], value: Any) -> Any:
    return tuple(_filled(shape[1:], value) for _ in range(shape[0])) if shape else value


def _has_shape(value: Any, shape: tuple[int, ...]) -> bool:
    if not isinstance(value, list | tuple):
        return not shape
    return bool(shape) and len(value) == shape[0] and all(_has_shape(v, shape[1:]) for v in value)


def _leaves(value: Any) -> list[Any]:
    return [leaf for v in value for leaf in _leaves(v)] if isinstance(value, list | tuple) else [value]


def _as_tuple(value: Any) -> Any:
    return tuple(_as_tuple(v) for v in value) if isinstance(value, list | tuple) else value
