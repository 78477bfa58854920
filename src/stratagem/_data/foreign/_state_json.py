"""Converts states of other libraries to JSON, including types that JSON does not have."""

import base64
import sys
from typing import Any

import numpy as np

from stratagem._data.foreign._torch_tensors import from_torch, is_torch_tensor


def to_json(value: Any) -> Any:
    """Converts to JSON that `from_json` converts back, including tuples, bytes, arrays and torch tensors.

    Raises:
        TypeError: the value contains another type.
    """
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [to_json(member) for member in value]
    if isinstance(value, tuple):
        return {"tuple": [to_json(member) for member in value]}
    if isinstance(value, dict):
        return {"dict": [[to_json(key), to_json(member)] for key, member in value.items()]}
    if isinstance(value, bytes):
        return {"bytes": base64.b64encode(value).decode()}
    if is_torch_tensor(value):
        return {"torch": to_json(from_torch(value))}
    if isinstance(value, np.ndarray | np.generic) and value.dtype != object:
        data = base64.b64encode(value.tobytes()).decode()
        return {"array": data, "dtype": value.dtype.name, "shape": list(value.shape)}
    raise TypeError(
        f"The state of the iterator cannot be saved: it has a {type(value).__name__} in it: {value!r:.100}."
    )


def from_json(value: Any) -> Any:
    """Restores the argument of `to_json`."""
    if isinstance(value, list):
        return [from_json(member) for member in value]
    if not isinstance(value, dict):
        return value
    kind = next(iter(value))
    return _READERS[kind](value)


def _torch(value: dict[str, Any]) -> Any:
    from_numpy: Any = sys.modules["torch"].from_numpy
    return from_numpy(from_json(value["torch"]))


def _array(value: dict[str, Any]) -> Any:
    flat = np.frombuffer(base64.b64decode(value["array"]), np.dtype(value["dtype"]))
    return flat.reshape(value["shape"]).copy()


_READERS = {
    "tuple": lambda value: tuple(map(from_json, value["tuple"])),
    "dict": lambda value: {from_json(key): from_json(member) for key, member in value["dict"]},
    "bytes": lambda value: base64.b64decode(value["bytes"]),
    "array": _array,
    "torch": _torch,
}
