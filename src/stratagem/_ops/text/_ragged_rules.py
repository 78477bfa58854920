"""Rules for ragged tensors of strings: functions of each string map the values, others join or build the rows."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stratagem._base.types import UserFunction
from stratagem._ops._composite import rule
from stratagem._ops._convert import StringTensor
from stratagem._ops.ragged import RaggedTensor, applied, from_lengths, reduced
from stratagem._ops.text import _buckets, _characters, _parts, _patterns, _scripts, _text
from stratagem._ops.text._host_strings import row_of_strings

# Functions of each string, whose results are in the strings' place.
_OF_EACH: dict[Any, str] = {
    _buckets: "to_hash_bucket to_hash_bucket_fast to_hash_bucket_strong",
    _characters: """
        unicode_decode unicode_decode_with_offsets unicode_split unicode_split_with_offsets unicode_transcode
    """,
    _parts: "bytes_split split substr",
    _patterns: "regex_full_match regex_replace",
    _scripts: "unicode_script",
    _text: "as_string length lower strip to_number upper",
}


def give_rules() -> None:
    """Lets these functions take ragged tensors."""
    for module, names in _OF_EACH.items():
        for name in names.split():
            rule(RaggedTensor, f"strings.{name}")(_of_each(getattr(module, name)))


def _of_each(function: UserFunction) -> Callable[..., Any]:
    def apply(input: RaggedTensor, *args: Any, **kwargs: Any) -> Any:
        found = function(input.flat_values, *args, **kwargs)
        return tuple(map(input.with_flat_values, found)) if isinstance(found, tuple) else input.with_flat_values(found)

    return apply


@rule(RaggedTensor, "strings.join")
def join(inputs: Sequence[Any], separator: str = "", name: str | None = None) -> RaggedTensor:
    """Returns strings joined element by element, with broadcasting."""
    return applied(lambda *parts: _text.join(parts, separator), *inputs)


@rule(RaggedTensor, "strings.reduce_join")
def reduce_join(
    inputs: RaggedTensor, axis: Any = None, keepdims: bool = False, separator: str = "", name: str | None = None
) -> Any:
    """Returns the strings of rows, or of columns, joined."""
    of_tensors = functools.partial(_parts.reduce_join, separator=separator)
    of_segments = functools.partial(_parts.unsorted_segment_join, separator=separator)
    return reduced((of_tensors, of_segments), inputs, axis, bool(keepdims))


@rule(RaggedTensor, "strings.ngrams")
def ngrams(
    data: RaggedTensor,
    ngram_width: int | Sequence[int],
    separator: str = " ",
    pad_values: str | tuple[str, str] | None = None,
    padding_width: int | None = None,
    preserve_short_sequences: bool = False,
    name: str | None = None,
) -> RaggedTensor:
    """Returns the joined neighbours in each row of the last dimension."""
    options = ngram_width, separator, pad_values, padding_width, preserve_short_sequences
    inner = data.values
    if isinstance(inner, RaggedTensor) or len(inner.shape) > 1:
        return data.with_values(_parts.ngrams(inner, *options))
    made = _parts.row_ngrams(data.to_list(), *options)
    lengths = np.array([len(row) for row in made], data.row_splits.dtype)
    return RaggedTensor(row_of_strings([gram for row in made for gram in row]), from_lengths(lengths))


@rule(RaggedTensor, "strings.unicode_encode")
def unicode_encode(
    input: RaggedTensor,
    output_encoding: str,
    errors: str = "replace",
    replacement_char: int = 0xFFFD,
    name: str | None = None,
) -> Any:
    """Returns the strings whose characters have the numbers of the rows of the last dimension."""
    options = output_encoding, errors, replacement_char
    inner = input.values
    if isinstance(inner, RaggedTensor) or len(inner.shape) > 1:
        return input.with_values(_characters.unicode_encode(inner, *options))
    singles: StringTensor = _characters.unicode_encode(inner.reshape((-1, 1)), *options)
    return _parts.reduce_join(input.with_values(singles), axis=1)
