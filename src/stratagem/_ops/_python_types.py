"""Python types: texts, paths and numbers, as `tf.compat` converts and names them; dates of forward compatibility."""

import contextlib
import datetime
import numbers
import os
from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor

# What functions take for a tensor (`tf.types.experimental.TensorLike`), beside variables.
TensorLike: TypeAlias = Tensor | int | float | bool | str | bytes | complex | tuple | list | np.ndarray | np.generic  # type: ignore[type-arg]
exported("types.experimental.TensorLike")(TensorLike)

bytes_or_text_types: tuple[type, ...] = (bytes, str)
exported("compat.bytes_or_text_types")(bytes_or_text_types)
complex_types: tuple[type, ...] = (numbers.Complex, np.number)
exported("compat.complex_types")(complex_types)
integral_types: tuple[type, ...] = (numbers.Integral, np.integer)
exported("compat.integral_types")(integral_types)
real_types: tuple[type, ...] = (numbers.Real, np.integer, np.floating)
exported("compat.real_types")(real_types)


@exported("compat.as_bytes")
def as_bytes(bytes_or_text: bytes | bytearray | str, encoding: str = "utf-8") -> bytes:
    """Returns a text as bytes; bytes and bytearrays as bytes. Raises TypeError for anything else."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text.encode(encoding)
    if isinstance(bytes_or_text, bytes | bytearray):
        return bytes(bytes_or_text)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@exported("compat.as_text")
def as_text(bytes_or_text: bytes | str, encoding: str = "utf-8") -> str:
    """Returns bytes as a text, and a text itself. Raises TypeError for anything else, UnicodeDecodeError for other bytes."""
    if isinstance(bytes_or_text, str):
        return bytes_or_text
    if isinstance(bytes_or_text, bytes):
        return bytes_or_text.decode(encoding)
    raise TypeError(f"Expected binary or unicode string, got {bytes_or_text!r}")


@exported("compat.as_str")
def as_str(bytes_or_text: bytes | str, encoding: str = "utf-8") -> str:
    """Returns `as_text(bytes_or_text, encoding)`."""
    return as_text(bytes_or_text, encoding)


@exported("compat.as_str_any")
def as_str_any(value: Any, encoding: str = "utf-8") -> str:
    """Returns `str(value)`, but bytes decoded."""
    return as_text(value, encoding) if isinstance(value, bytes) else str(value)


@exported("compat.path_to_str")
def path_to_str(path: Any) -> Any:
    """Returns what `os.fspath` makes of a path; anything else as it is."""
    return os.fspath(path) if hasattr(path, "__fspath__") else path


class _Horizon:
    """The date of TensorFlow 2.15.1, or of `forward_compatibility_horizon`, which as in TensorFlow is the process's."""

    date = datetime.date(2023, 10, 10)


@exported("compat.forward_compatible")
def forward_compatible(year: int, month: int, day: int) -> bool:
    """Returns whether a date is before that of TensorFlow 2.15.1: three weeks before it was built."""
    return _Horizon.date > datetime.date(year, month, day)


@exported("compat.forward_compatibility_horizon")
@contextlib.contextmanager
def forward_compatibility_horizon(year: int, month: int, day: int) -> Iterator[None]:
    """Lets `forward_compatible` compare with another date in its body."""
    before, _Horizon.date = _Horizon.date, datetime.date(year, month, day)
    try:
        yield
    finally:
        _Horizon.date = before
