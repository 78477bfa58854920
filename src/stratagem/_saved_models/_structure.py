"""Structures of arguments and results as JSON: specs in place of tensors, and the constants among them."""

import collections
import functools
import math
from typing import Any

import numpy as np

from stratagem._base.dtype_names import named_dtype
from stratagem._core.values import TensorShape, TensorSpec

_CONSTANTS = (bool, int, str)


def encoded(value: Any, where: str) -> Any:
    """Returns a structure as JSON. where: what it is, for messages.

    Raises: ValueError for what has no such form: an object as an argument.
    """
    if isinstance(value, TensorSpec):
        sizes = None if value.shape.rank is None else list(value.shape)
        return {"tensor": [sizes, str(value.dtype), value.name]}
    if value is None or isinstance(value, _CONSTANTS):
        return {"constant": value}
    if isinstance(value, float):  # JSON has no infinities
        return {"float": repr(value)}
    if isinstance(value, np.dtype) or (isinstance(value, type) and issubclass(value, np.generic)):
        return {"dtype": str(np.dtype(value))}
    if isinstance(value, TensorShape):
        return {"shape": None if value.rank is None else list(value)}
    if isinstance(value, dict):
        items = [[_key(key, where), encoded(each, where)] for key, each in value.items()]
        return {"dict": items}
    if isinstance(value, tuple) and hasattr(value, "_fields"):
        return {"named": [type(value).__name__, list(value._fields), [encoded(each, where) for each in value]]}
    if isinstance(value, list | tuple):
        return {"list" if isinstance(value, list) else "tuple": [encoded(each, where) for each in value]}
    raise ValueError(
        f"{where} contains {value!r} ({type(value).__name__}), which a SavedModel cannot hold: it holds tensors, numbers, "
        "texts, None, and lists, tuples and dicts of them. Give the function tensors, or capture the object in its code."
    )


def _key(key: Any, where: str) -> str | int:
    if not isinstance(key, str | int):
        raise ValueError(f"{where} contains a dict with the key {key!r}. Use texts or integers as keys.")
    return key


def decoded(value: Any) -> Any:
    """Returns the structure that `encoded` was given. Raises ValueError, TypeError or KeyError for what it never returns."""
    ((kind, content),) = value.items()
    return _DECODERS[kind](content)


def _tensor(content: Any) -> TensorSpec:
    sizes, dtype, name = content
    return TensorSpec(sizes, named_dtype(dtype), name)


def _constant(content: Any) -> Any:
    if content is not None and not isinstance(content, _CONSTANTS):
        raise TypeError(f"{content!r:.100} is no constant")
    return content


def _float(content: Any) -> float:
    found = float(content)
    if not isinstance(content, str) or (repr(found) != content and not math.isnan(found)):
        raise ValueError(f"{content!r:.100} is no float")
    return found


def _named(content: Any) -> Any:
    name, fields, values = content
    return _named_tuple(str(name), tuple(fields))(*map(decoded, values))


@functools.lru_cache(maxsize=256)
def _named_tuple(name: str, fields: tuple[str, ...]) -> Any:
    """Returns a class of named tuples; always the same one, so that structures of two results are equal."""
    return collections.namedtuple(name, fields)  # its fields are known only now


_DECODERS: dict[str, Any] = {
    "tensor": _tensor,
    "constant": _constant,
    "float": _float,
    "dtype": named_dtype,
    "shape": TensorShape,
    "dict": lambda content: {key: decoded(value) for key, value in content},
    "named": _named,
    "list": lambda content: [decoded(value) for value in content],
    "tuple": lambda content: tuple(decoded(value) for value in content),
}
