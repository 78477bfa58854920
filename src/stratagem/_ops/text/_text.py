"""Functions of `tf.strings` on string tensors, which are NumPy arrays of bytes objects."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import DTypeLike, TensorLike
from stratagem._core.values import as_text
from stratagem._ops._convert import Tensor, is_tensor, on_device, on_host, tensor
from stratagem._ops._dtypes import as_dtype, float32


def _each(function: Callable[[bytes], Any], input: Any) -> np.ndarray:
    """The results for all strings. Raises TypeError for a tensor of anything else, and ValueError for None."""
    array = np.asarray(on_host(input, "string"))
    strings = array.ravel().tolist()
    if not all(isinstance(each, bytes) for each in strings):
        raise TypeError(
            f"A function of strings was given {input!r:.100}. `tf.strings.as_string` makes text of numbers."
        )
    flat = np.empty(array.size, dtype=object)
    flat[:] = [function(each) for each in strings]
    return flat.reshape(array.shape)


def as_string(
    input: TensorLike,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> np.ndarray:
    """Formats numbers as text; floating point with six decimals by default."""
    array = np.asarray(tensor(input))
    digits = f".{precision}" if precision >= 0 else ""
    kind = "e" if scientific else "g" if shortest else "f"
    real = np.issubdtype(array.dtype, np.floating) or array.dtype.kind == "V"
    size = f"{fill}{width}" if width >= 0 else ""

    def show(number: Any) -> bytes:
        if array.dtype == np.bool_:
            return b"true" if number else b"false"
        return (f"{float(number):{size}{digits}{kind}}" if real else f"{number:{size}}").encode()

    flat = np.empty(array.size, dtype=object)
    flat[:] = [show(n) for n in array.ravel()]
    return flat.reshape(array.shape)


def join(inputs: Sequence[TensorLike], separator: str = "", name: str | None = None) -> np.ndarray:
    """Joins string tensors element by element, with broadcasting."""
    arrays = np.broadcast_arrays(*(on_host(i, "string") for i in inputs))
    flat = np.empty(arrays[0].size, dtype=object)
    flat[:] = [separator.encode().join(parts) for parts in zip(*(a.ravel() for a in arrays), strict=True)]
    return flat.reshape(arrays[0].shape)


def format(
    template: str, inputs: TensorLike, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> np.ndarray:
    """Replaces every placeholder of the template by an input, in the format of `tf.print`."""
    values = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    parts = template.split(placeholder)
    if len(parts) != len(values) + 1:
        raise ValueError(f"{len(parts) - 1} placeholders {placeholder!r} in {template!r} for {len(values)} inputs.")
    shown = [as_text(np.asarray(tensor(v)) if is_tensor(v) else v, summarize) for v in values]
    text = parts[0] + "".join(s + p for s, p in zip(shown, parts[1:], strict=True))
    return np.array(text.encode(), dtype=object)


def length(input: TensorLike, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The number of bytes (or characters, with unit UTF8_CHAR) of each string, int32."""
    count = len if unit == "BYTE" else lambda s: len(s.decode())
    return on_device(_each(count, input).astype(np.int32))


def lower(input: TensorLike, encoding: str = "", name: str | None = None) -> np.ndarray:
    """Converts to lower case."""
    return _each(lambda s: s.decode().lower().encode() if encoding else s.lower(), input)


def upper(input: TensorLike, encoding: str = "", name: str | None = None) -> np.ndarray:
    """Converts to upper case."""
    return _each(lambda s: s.decode().upper().encode() if encoding else s.upper(), input)


def strip(input: TensorLike, name: str | None = None) -> np.ndarray:
    """Removes white space at both ends."""
    return _each(bytes.strip, input)


def to_number(input: TensorLike, out_type: DTypeLike = float32, name: str | None = None) -> Tensor:
    """Parses text as numbers. Raises InvalidArgumentError for text that is not a number."""
    kind = as_dtype(out_type)
    parse = int if kind.is_integer else float

    def number(text: bytes) -> Any:
        try:
            return parse(text)
        except ValueError as error:
            raise InvalidArgumentError(f"tf.strings.to_number: {error}") from error

    return on_device(_each(number, input).astype(kind.dtype))
