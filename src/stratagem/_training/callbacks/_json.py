"""Converts numbers, arrays and nests of them to JSON and back."""

from typing import Any

import numpy as np


def to_json(value: Any) -> Any:
    """Converts to JSON: arrays with their dtype, numbers of NumPy and JAX as Python's."""
    if isinstance(value, dict):
        return {"dict": {str(key): to_json(each) for key, each in value.items()}}
    if isinstance(value, list | tuple):
        return [to_json(each) for each in value]
    if value is None or isinstance(value, bool | int | float | str):
        return value
    array = np.asarray(value)
    return array.item() if array.ndim == 0 else {"dtype": str(array.dtype), "values": array.tolist()}


def from_json(value: Any) -> Any:
    """Restores the argument of `to_json`, with lists in place of tuples."""
    if isinstance(value, list):
        return [from_json(each) for each in value]
    if not isinstance(value, dict):
        return value
    if "dict" in value:
        return {key: from_json(each) for key, each in value["dict"].items()}
    return np.asarray(value["values"], np.dtype(value["dtype"]))
