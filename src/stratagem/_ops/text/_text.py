"""Functions of `tf.strings` on string tensors, which are NumPy arrays of bytes objects."""

import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._core.step import entrywise, pure_host_function
from stratagem._core.values import as_text
from stratagem._ops._convert import StringTensor, Tensor, on_device, tensor
from stratagem._ops._dtypes import as_dtype, float32
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.text._host_strings import each, numbers_of, string_tensor, strings_of
from stratagem._ops.text._parts import CONTINUING, are_ascii, check_unit


@exported("as_string", "strings.as_string")
@pure_host_function
@entrywise
def as_string(
    input: Any,
    precision: int = -1,
    scientific: bool = False,
    shortest: bool = False,
    width: int = -1,
    fill: str = "",
    name: str | None = None,
) -> StringTensor:
    """Formats numbers as text; floating point with six decimals by default."""
    array = numbers_of("strings.as_string", input)
    digits = f".{precision}" if precision >= 0 else ""
    kind = "e" if scientific else "g" if shortest else "f"
    real = np.issubdtype(array.dtype, np.floating) or array.dtype.kind == "V"
    size = f"{fill}{width}" if width >= 0 else ""

    def show(number: Any) -> bytes:
        if array.dtype == np.bool_:
            return b"true" if number else b"false"
        return (f"{float(number):{size}{digits}{kind}}" if real else f"{number:{size}}").encode()

    return string_tensor([show(n) for n in array.ravel()], array.shape)


@exported("strings.join", v1=["string_join", "strings.join"])
@pure_host_function
def join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> StringTensor:
    """Joins string tensors element by element, with broadcasting; no tensors are the empty string."""
    arrays = np.broadcast_arrays(*map(strings_of, inputs)) or [np.array(b"", dtype=object)]
    flat = [each.ravel().tolist() for each in arrays]
    if len(flat) == 2 and not separator:
        return string_tensor(list(map(operator.add, *flat)), arrays[0].shape)
    return string_tensor(list(map(separator.encode().join, zip(*flat, strict=True))), arrays[0].shape)


@exported("strings.format")
def format(
    template: str, inputs: Any, placeholder: str = "{}", summarize: int = 3, name: str | None = None
) -> StringTensor:
    """Replaces every placeholder of the template by an input, as a tensor in the format of `tf.print`: strings in quotes."""
    values = list(inputs) if isinstance(inputs, list | tuple) else [inputs]
    parts = template.split(placeholder)
    if len(parts) != len(values) + 1:
        raise ValueError(f"{len(parts) - 1} placeholders {placeholder!r} in {template!r} for {len(values)} inputs.")
    shown = [as_text(np.asarray(tensor(v)), summarize) for v in values]
    text = parts[0] + "".join(s + p for s, p in zip(shown, parts[1:], strict=True))
    return string_tensor([text.encode()], [])


def _of_each(function: Callable[[bytes], bytes], input: Any) -> StringTensor:
    found = each(function, input)
    return string_tensor(found.ravel().tolist(), found.shape)


@exported("strings.length", v1=())
@pure_host_function
@entrywise
def length(input: Any, unit: str = "BYTE", name: str | None = None) -> Tensor:
    """The number of bytes (or characters, with unit UTF8_CHAR) of each string, int32. InvalidArgumentError for other units."""
    check_unit("length", unit)
    array = strings_of(input)
    texts = array.ravel().tolist()
    if unit != "BYTE" and not are_ascii(texts):
        texts = [text.translate(None, CONTINUING) for text in texts]
    return on_device(np.fromiter(map(len, texts), np.int32, len(texts)).reshape(array.shape))


@exported("strings.lower")
@pure_host_function
@entrywise
def lower(input: Any, encoding: str = "", name: str | None = None) -> StringTensor:
    """Converts to lower case. encoding: "utf-8", else only ASCII is. InvalidArgumentError for others."""
    _check_encoding("lower", encoding)
    return _of_each(lambda s: s.decode(errors="replace").lower().encode() if encoding else s.lower(), input)


@exported("strings.upper")
@pure_host_function
@entrywise
def upper(input: Any, encoding: str = "", name: str | None = None) -> StringTensor:
    """Converts to upper case. encoding: "utf-8", else only ASCII is. InvalidArgumentError for others."""
    _check_encoding("upper", encoding)
    return _of_each(lambda s: s.decode(errors="replace").upper().encode() if encoding else s.upper(), input)


def _check_encoding(name: str, encoding: str) -> None:
    if encoding not in ("", "utf-8"):
        raise InvalidArgumentError(f"tf.strings.{name}: only utf-8 or '' is an encoding here, got {encoding!r}.")


@exported("strings.strip", v1=["string_strip", "strings.strip"])
@pure_host_function
@entrywise
def strip(input: Any, name: str | None = None) -> StringTensor:
    """Removes white space at both ends."""
    return _of_each(bytes.strip, input)


@exported("strings.to_number", v1=())
@pure_host_function
@entrywise
def to_number(input: Any, out_type: DTypeLike = float32, name: str | None = None) -> Tensor:
    """Parses text as numbers. Raises InvalidArgumentError for text that is not a number."""
    kind = as_dtype(out_type)
    parse = int if kind.is_integer else float
    array = strings_of(input)
    texts = array.ravel().tolist()
    if not any(sign in b"".join(texts) for sign in (b"_", b"+")):  # which Python reads in more places than TensorFlow
        try:
            return on_device(_exactly(list(map(parse, texts)), kind.dtype).reshape(array.shape))
        except (ValueError, OverflowError):
            pass  # the text that is no number is named below

    def number(text: bytes) -> Any:
        try:
            found = parse(text)
            if b"_" in text or (kind.is_integer and b"+" in text):  # Python's own ways to write numbers
                raise ValueError(f"could not convert string to {kind.name}: {text!r}")
            return kind.dtype.type(found) if kind.is_integer else found
        except (ValueError, OverflowError) as error:
            raise InvalidArgumentError(f"tf.strings.to_number: {error}") from error

    return on_device(each(number, input).astype(kind.dtype))


def _exactly(numbers: list[Any], dtype: np.dtype) -> np.ndarray:
    """Returns numbers of Python's in an array. Raises OverflowError for an integer that the type does not have."""
    if dtype.kind in "iu":
        return np.array(numbers, dtype)
    return np.array(numbers, np.float64).astype(dtype)


accept_symbols(globals(), "strings.")
