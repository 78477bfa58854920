"""Formatting of values as text, with as many entries and digits as TensorFlow shows."""

from collections.abc import Callable, Mapping
from typing import Any

import jax
import numpy as np


def as_text(value: Any, summarize: int = 3) -> str:
    """Returns one argument of `tf.print` as text: tensors by TF's rules, structures of them, others by `str`."""
    if isinstance(value, np.ndarray | np.generic):
        return _array(np.asarray(value), summarize, 0)

    def inner(part: Any) -> str:
        return repr(part) if isinstance(part, str) else as_text(part, summarize)

    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key!r}: {inner(v)}" for key, v in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(inner, value)) + "]"
    if isinstance(value, tuple):
        return "(" + ", ".join(map(inner, value)) + ("," if len(value) == 1 else "") + ")"
    return str(value)


def _array(array: np.ndarray, summarize: int, depth: int) -> str:
    if not array.ndim:
        return _element(array[()])
    count = len(array)
    shown: list[int | None] = list(range(count))
    if summarize >= 0 and 2 * summarize < count:
        shown = [*range(summarize), None, *range(count - summarize, count)]
    parts = ["..." if i is None else _array(array[i, ...], summarize, depth + 1) for i in shown]
    between = " " if array.ndim == 1 else "\n" * (array.ndim - 1) + " " * (depth + 1)
    return "[" + between.join(parts) + "]"


def _element(value: Any) -> str:
    if isinstance(value, bytes):
        return f'"{value.decode(errors="replace")}"'
    if isinstance(value, np.bool_):
        return str(int(value))
    if not jax.numpy.issubdtype(np.asarray(value).dtype, np.floating):
        return str(value)
    # TF shows 6 or 15 digits if these determine the number, else all of them.
    wide: Callable[[Any], Any] = np.float64 if isinstance(value, np.float64) else np.float32
    few, all_digits = (15, 17) if wide is np.float64 else (6, 9)
    text = f"{float(value):.{few}g}"
    return text if wide(text) == wide(value) or np.isnan(value) else f"{float(value):.{all_digits}g}"


def described(variable: Any, value: np.ndarray | None) -> str:
    """Returns what TensorFlow prints for a variable. value: None if it is not known."""
    shape = "<unknown>" if variable.shape.rank is None else tuple(variable.shape)
    facts = f"{variable.name!r} shape={shape} dtype={variable.dtype}"
    if value is None:
        return f"<tf.Variable {facts}>"
    return f"<tf.Variable {facts}, numpy={value[()] if value.ndim == 0 else repr(value)}>"
