"""Characters of strings: decoding, encoding and converting between encodings, by Python's codecs."""

import codecs
import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.step import entrywise, pure_host_function
from stratagem._ops._convert import StringTensor, Tensor, on_device
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.text._host_strings import each, numbers_of, row_of_strings, rows_of_each, string_tensor

_REPLACEMENT = 0xFFFD
_OUTPUTS = ("UTF-8", "UTF-16-BE", "UTF-32-BE")
_ERRORS = ("strict", "replace", "ignore")
_WINDOW = (
    4096  # bytes that are decoded together once some were no character: their errors have copies of what was decoded
)


def _codec(name: str, encoding: str) -> str:
    """Python's name of an encoding. Raises InvalidArgumentError for one that it lacks, or whose byte order is open."""
    try:
        found = codecs.lookup(encoding).name
    except LookupError as error:
        raise InvalidArgumentError(f"tf.strings.{name}: there is no encoding {encoding!r}.") from error
    if found in ("utf-16", "utf-32"):
        raise InvalidArgumentError(f"tf.strings.{name} takes {encoding}-BE or {encoding}-LE, with the order of bytes.")
    return found


def _check(name: str, errors: str, replacement_char: int, output_encoding: str = "UTF-8") -> None:
    if errors not in _ERRORS:
        raise InvalidArgumentError(f"tf.strings.{name}: errors is one of {', '.join(_ERRORS)}, got {errors!r}.")
    if output_encoding not in _OUTPUTS:
        raise InvalidArgumentError(
            f"tf.strings.{name} encodes in one of {', '.join(_OUTPUTS)}, got {output_encoding!r}."
        )
    if not _is_character(replacement_char):
        raise InvalidArgumentError(f"tf.strings.{name}: the replacement {replacement_char} is no character of Unicode.")


def _is_character(number: int) -> bool:
    """Returns whether Unicode has, or may have, a character of this number: no surrogates and noncharacters."""
    if not 0 <= number <= 0x10FFFF or 0xD800 <= number <= 0xDFFF:
        return False
    return not (0xFDD0 <= number <= 0xFDEF or number & 0xFFFE == 0xFFFE)


def _characters(text: bytes, codec: str) -> Iterator[tuple[str | None, int]]:
    """The characters with the places of their first bytes; None for bytes that are no character."""
    place, size = 0, len(text)
    while place < len(text):
        window = text[place : place + size]
        try:
            good, bad = window.decode(codec), None
        except UnicodeDecodeError as error:
            good, bad = window[: error.start].decode(codec), error
        for character in good:
            yield character, place
            place += len(character.encode(codec))
        # What the end of a window cuts is decoded with the next one.
        if bad is not None and (bad.end < len(window) or place + bad.end - bad.start == len(text)):
            yield None, place
            place += bad.end - bad.start
        size = _WINDOW


def _decoded(
    name: str, text: bytes, encoding: str, errors: str, replacement_char: int, replace_control_characters: bool
) -> list[tuple[str, int]]:
    """The characters after `errors` has been applied, with their places."""
    found = []
    for character, start in _characters(text, _codec(name, encoding)):
        if character is None and errors == "strict":
            raise InvalidArgumentError(f"tf.strings.{name}: {text!r:.100} is not {encoding} at byte {start}.")
        if character is None and errors == "ignore":
            continue
        if character is None or (replace_control_characters and character < " "):
            character = chr(replacement_char)
        found.append((character, start))
    return found


def _places(found: Sequence[tuple[str, int]]) -> Tensor:
    """The places of decoded characters, int64."""
    return on_device(np.array([place for _, place in found], np.int64))


@exported("strings.unicode_decode_with_offsets")
@pure_host_function
def unicode_decode_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns the numbers of each string's characters, int32, and the places of their first bytes, int64.

    Both are RaggedTensors with one dimension more than the strings, tensors of one string.

    errors: what happens with bytes that are no character: "replace" by `replacement_char`, "ignore", or "strict", which is
    an InvalidArgumentError, as are an unknown encoding and other `errors`.
    """
    _check("unicode_decode", errors, replacement_char)

    def decode(text: bytes) -> list[tuple[str, int]]:
        return _decoded("unicode_decode", text, input_encoding, errors, replacement_char, replace_control_characters)

    numbers = rows_of_each(input, decode, lambda found: on_device(np.array([ord(c) for c, _ in found], np.int32)))
    return numbers, rows_of_each(input, decode, _places)


@exported("strings.unicode_decode")
@pure_host_function
def unicode_decode(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> Any:
    """Returns the first result of `unicode_decode_with_offsets`."""
    return unicode_decode_with_offsets(
        input, input_encoding, errors, replacement_char, replace_control_characters
    )[0]  # fmt: skip


@exported("strings.unicode_split_with_offsets")
@pure_host_function
def unicode_split_with_offsets(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> tuple[Any, Any]:
    """Returns the characters of each string as strings in its encoding, and the places of their first bytes, int64.

    The parameters and what is raised are those of `unicode_decode_with_offsets`.
    """
    _check("unicode_split", errors, replacement_char, input_encoding)
    codec = _codec("unicode_split", input_encoding)

    def decode(text: bytes) -> list[tuple[str, int]]:
        return _decoded("unicode_split", text, input_encoding, errors, replacement_char, False)

    parts = rows_of_each(input, decode, lambda found: row_of_strings([c.encode(codec) for c, _ in found]))
    return parts, rows_of_each(input, decode, _places)


@exported("strings.unicode_split")
@pure_host_function
def unicode_split(
    input: Any,
    input_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> Any:
    """Returns the first result of `unicode_split_with_offsets`."""
    return unicode_split_with_offsets(input, input_encoding, errors, replacement_char)[0]


@exported("strings.unicode_encode")
@pure_host_function
def unicode_encode(
    input: Any,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    name: str | None = None,
) -> StringTensor:
    """Returns the strings whose characters have the numbers of the rows, of the shape without the last dimension.

    errors: what happens with a number that is no character: "replace" by `replacement_char`; "ignore" drops what is outside
    of Unicode, keeps its noncharacters and makes U+FFFD of surrogates, as in TensorFlow; "strict" raises
    InvalidArgumentError, as do other encodings than UTF-8, UTF-16-BE and UTF-32-BE.
    Raises ValueError for a scalar.
    """
    _check("unicode_encode", errors, replacement_char, output_encoding)
    array = numbers_of("strings.unicode_encode", input)
    if not array.ndim:
        raise ValueError("tf.strings.unicode_encode takes rows of numbers, got a scalar.")
    if array.dtype != np.int32:
        raise InvalidArgumentError(f"tf.strings.unicode_encode takes int32, got {array.dtype}. Use tf.cast.")
    wrong = next((n for n in array.ravel().tolist() if not _is_character(n)), None)
    if wrong is not None and errors == "strict":
        raise InvalidArgumentError(f"tf.strings.unicode_encode: {wrong} is no character of Unicode.")
    rows = array.reshape(int(np.prod(array.shape[:-1], dtype=int)), array.shape[-1]).tolist()
    texts = ["".join(_encodable(n, errors, replacement_char) for n in row) for row in rows]
    return string_tensor([text.encode(output_encoding) for text in texts], array.shape[:-1])


def _encodable(number: int, errors: str, replacement_char: int) -> str:
    """The character of a number, or what TensorFlow puts in its place."""
    if _is_character(number):
        return chr(number)
    if errors == "replace":
        return chr(replacement_char)
    if not 0 <= number <= sys.maxunicode:
        return ""
    return chr(_REPLACEMENT if 0xD800 <= number <= 0xDFFF else number)


@exported("strings.unicode_transcode")
@pure_host_function
@entrywise
def unicode_transcode(
    input: Any,
    input_encoding: str,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = _REPLACEMENT,
    replace_control_characters: bool = False,
    name: str | None = None,
) -> StringTensor:
    """Returns the strings in another encoding: UTF-8, UTF-16-BE or UTF-32-BE.

    `errors`, the other parameters and what is raised are as for `unicode_decode_with_offsets`, but for strings of any shape.
    """
    _check("unicode_transcode", errors, replacement_char, output_encoding)

    def transcode(text: bytes) -> bytes:
        found = _decoded(
            "unicode_transcode", text, input_encoding, errors, replacement_char, replace_control_characters
        )
        return "".join(character for character, _ in found).encode(output_encoding)

    array = each(transcode, input)
    return string_tensor(array.ravel().tolist(), array.shape)


accept_symbols(globals(), "strings.")
