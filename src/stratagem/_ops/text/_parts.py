"""Parts of strings and strings of parts: substrings, splits, n-grams and joins."""

import itertools
import math
import operator
from collections.abc import Sequence
from typing import Any, cast

import numpy as np

from stratagem._base.errors import InvalidArgumentError, OutOfRangeError
from stratagem._base.exports import exported
from stratagem._core.step import joint, pure_host_function
from stratagem._ops._convert import StringTensor, sized_by_contents, static_int
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.text._host_strings import numbers_of, row_of_strings, rows_of_each, string_tensor, strings_of

CONTINUING = bytes(range(0x80, 0xC0))  # the bytes that continue a character in UTF-8


def check_unit(name: str, unit: str) -> None:
    """Raises InvalidArgumentError for another unit of lengths than BYTE and UTF8_CHAR."""
    if unit not in ("BYTE", "UTF8_CHAR"):
        raise InvalidArgumentError(f"tf.strings.{name} counts in the unit BYTE or UTF8_CHAR, got {unit!r}.")


def are_ascii(texts: Sequence[bytes]) -> bool:
    """Returns whether all texts have one byte a character."""
    return b"".join(texts).isascii()


def character_starts(text: bytes) -> list[int]:
    """Returns where the characters of UTF-8 begin: at every byte that does not continue one, whether it is valid or not."""
    return [place for place, byte in enumerate(text) if not CONTINUING[0] <= byte <= CONTINUING[-1]]


def _substr_of_rows(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> StringTensor | None:
    """Returns what `substr` makes of each row of strings, where all have one place and length."""
    return None if np.ndim(pos) or np.ndim(len) else substr(input, pos, len, unit)


@exported("strings.substr", v1=())
@pure_host_function
@joint(_substr_of_rows)
def substr(input: Any, pos: Any, len: Any, unit: str = "BYTE", name: str | None = None) -> StringTensor:
    """Returns the `len` units of each string from `pos` on, or those that there are, broadcast with `pos`.

    pos: counted from the end where it is negative; of the shape of `len`. A negative `len` is all bytes that are left, and
    no characters. Raises InvalidArgumentError for other shapes and
    units, for numbers that are no integers, and for a position outside of its string.
    """
    check_unit("substr", unit)
    first, count = numbers_of("strings.substr", pos), numbers_of("strings.substr", len)
    if first.shape != count.shape or first.dtype.kind not in "iu":
        raise InvalidArgumentError(
            f"tf.strings.substr takes integers of one shape for pos and len, got {first!r} and {count!r}."
        )
    array = strings_of(input)
    if not first.ndim and (unit == "BYTE" or are_ascii(array.ravel().tolist())):
        cut = _substrings(array.ravel().tolist(), int(first), int(count), unit)
        if cut is not None:
            return string_tensor(cut, array.shape)
    texts, first, count = np.broadcast_arrays(array, first, count)
    cut = [_substring(*each, unit) for each in zip(texts.flat, first.flat, count.flat, strict=True)]
    return string_tensor(cut, texts.shape)


def _substrings(texts: list[bytes], pos: int, count: int, unit: str) -> list[bytes] | None:
    """The parts of texts of one byte a character at one place; None if it is outside of one of them."""
    if min(map(len, texts), default=0) < abs(pos):
        return None
    if count < 0:
        return [text[pos:] for text in texts] if unit == "BYTE" else [b""] * len(texts)
    end = pos + count
    part = slice(pos, None if pos < 0 <= end else end)
    return [text[part] for text in texts]


def _substring(text: bytes, pos: int, count: int, unit: str) -> bytes:
    ends = [*character_starts(text), len(text)] if unit == "UTF8_CHAR" else range(len(text) + 1)
    size = len(ends) - 1
    if not -size <= pos <= size:
        raise InvalidArgumentError(f"tf.strings.substr: position {pos} is outside of {text!r}, which has {size} units.")
    start = int(pos) + size if pos < 0 else int(pos)
    end = size if count < 0 and unit == "BYTE" else min(start + max(int(count), 0), size)
    return text[ends[start] : ends[end]]


@exported("strings.bytes_split")
@pure_host_function
def bytes_split(input: Any, name: str | None = None) -> Any:
    """Returns the bytes of each string as strings: a RaggedTensor with one dimension more, of one string a tensor."""
    return rows_of_each(input, lambda text: [text[i : i + 1] for i in range(len(text))], row_of_strings)


@exported("strings.split", v1=())
@pure_host_function
def split(input: Any, sep: str | bytes | None = None, maxsplit: int = -1, name: str | None = None) -> Any:
    """Returns the parts of each string between separators: a RaggedTensor with one dimension more, of one string a tensor.

    sep: the separator; without one, white space. maxsplit: how many times a string is split at most; -1 is everywhere.
    """
    separator = sep.encode() if isinstance(sep, str) else sep

    def parts(text: bytes) -> list[bytes]:
        found = text.split(separator or None, maxsplit) if maxsplit else [text]
        # As in TensorFlow, what is left after the last split is a part, even nothing.
        return [*found, b""] if not separator and len(found) == maxsplit else found

    return rows_of_each(input, parts, row_of_strings)


@exported("strings.ngrams")
@pure_host_function
def ngrams(
    data: Any,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: str | tuple[str, str] | None = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> StringTensor:
    """Returns the joined neighbours in each row, `ngram_width` at a time, of shape (*data.shape[:-1], n).

    ngram_width: one width, or several, whose n-grams follow each other. pad_values: what stands `padding_width` times
    before and after the row (by default once less than the width). preserve_short_sequences: a row without n-grams is one.
    An empty row has none. Raises ValueError for a scalar and for widths below 1.
    """
    array = strings_of(data)
    if not array.ndim:
        raise ValueError("tf.strings.ngrams takes rows of strings, got a scalar.")
    # Without rows, one of empty strings tells how many n-grams there would be.
    rows = array.reshape(math.prod(array.shape[:-1]), array.shape[-1]).tolist()
    given = rows or [[b""] * array.shape[-1]]
    options = separator, pad_values, padding_width, preserve_short_sequences
    made = row_ngrams(given, ngram_width, *options, of_empty_rows=False)
    found: Any = string_tensor(list(itertools.chain(*made[: len(rows)])), [*array.shape[:-1], len(made[0])])
    return cast(StringTensor, sized_by_contents(found, array.ndim - 1))


def row_ngrams(
    rows: Sequence[list[bytes]],
    ngram_width: int | Sequence[int],
    separator: str,
    pad_values: str | tuple[str, str] | None,
    padding_width: int | None,
    preserve_short_sequences: bool,
    *,
    of_empty_rows: bool = True,
) -> list[list[bytes]]:
    """Returns the n-grams of each row, whose lengths may differ. of_empty_rows: whether these have n-grams of the padding.

    The other parameters are those of `ngrams`.
    """
    widths = [ngram_width] if isinstance(ngram_width, int) else list(ngram_width)
    if min(widths, default=0) < 1 or (padding_width is not None and padding_width < 1):
        raise ValueError(f"tf.strings.ngrams takes widths from 1, got {widths} and a padding of {padding_width}.")
    left, right = (pad_values, pad_values) if isinstance(pad_values, str | bytes) else pad_values or (None, None)
    made = []
    for row in rows:
        used = widths if row or of_empty_rows else []
        found = [gram for w in used for gram in _grams(row, w, left, right, padding_width, separator)]
        if not found and row and preserve_short_sequences:
            size = padding_width or 0
            found = list(_grams(row, len(row) + 2 * min(size, max(widths) - 1), left, right, size, separator))
        made.append(found)
    return made


def _grams(
    row: list[bytes], width: int, left: str | None, right: str | None, padding_width: int | None, separator: str
) -> list[bytes]:
    size = width - 1 if padding_width is None else min(padding_width, width - 1)
    before, after = ([] if pad is None else [_bytes(pad)] * size for pad in (left, right))
    padded = [*before, *row, *after]
    return [_bytes(separator).join(padded[i : i + width]) for i in range(len(padded) - width + 1)]


def _bytes(text: str | bytes) -> bytes:
    return text.encode() if isinstance(text, str) else text


@exported("strings.reduce_join", v1=())
@pure_host_function
def reduce_join(
    inputs: Any,
    axis: Any = None,
    keepdims: bool = False,
    separator: str = "",
    name: str | None = None,
) -> StringTensor:
    """Returns the strings joined along these dimensions, of which the first varies fastest; without `axis` along all, in order.

    Raises InvalidArgumentError for a dimension that is named twice, and OutOfRangeError for one that does not exist.
    """
    array = strings_of(inputs)
    given = (
        list(range(array.ndim))[::-1] if axis is None else np.ravel(numbers_of("strings.reduce_join", axis)).tolist()
    )
    if not all(-array.ndim <= one < array.ndim for one in given):
        raise OutOfRangeError(
            f"tf.strings.reduce_join: a tensor of rank {array.ndim} has not all dimensions of {given}."
        )
    axes = [one % array.ndim for one in given]
    if len(set(axes)) != len(axes):
        raise InvalidArgumentError(f"tf.strings.reduce_join: a dimension is there twice in {given}.")
    kept = [one for one in range(array.ndim) if one not in axes]
    shape = [array.shape[one] for one in kept]
    rows = array.transpose([*kept, *axes[::-1]]).reshape(math.prod(shape), -1 if array.size else 0)
    joined = [_bytes(separator).join(row) for row in rows.tolist()]
    return string_tensor(joined, [1 if i in axes else n for i, n in enumerate(array.shape)] if keepdims else shape)


@exported("strings.unsorted_segment_join")
@pure_host_function
def unsorted_segment_join(
    inputs: Any,
    segment_ids: Any,
    num_segments: Any,
    separator: str = "",
    name: str | None = None,
) -> StringTensor:
    """Returns the joined entries of each segment, in their order: (num_segments, *inputs.shape[segment_ids.ndim:]).

    A segment without entries is the empty string; empty strings at its beginning are left out, as in TensorFlow. Raises
    InvalidArgumentError for segments that do not exist, and for `segment_ids` of a shape with which that of `inputs` does
    not begin.
    """
    array, segments = strings_of(inputs), numbers_of("strings.unsorted_segment_join", segment_ids)
    count = static_int(num_segments, "a tensor is the number of segments")
    if array.shape[: segments.ndim] != segments.shape or ((segments < 0) | (segments >= count)).any():
        raise InvalidArgumentError(
            f"tf.strings.unsorted_segment_join takes a segment of 0 to {count - 1} for each of the first entries of shape "
            f"{list(array.shape)}, got {segments.tolist()}."
        )
    ends = array.shape[segments.ndim :]
    rows = array.reshape(segments.size, math.prod(ends))
    joined = [
        _bytes(separator).join(itertools.dropwhile(operator.not_, column))
        for segment in range(count)
        for column in rows[segments.ravel() == segment].T.tolist()
    ]
    return string_tensor(joined, [count, *ends])


accept_symbols(globals(), "strings.")
