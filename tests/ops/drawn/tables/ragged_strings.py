"""Functions of `tf.strings` that give ragged tensors, or take them."""

from typing import Any

from tests.ops.drawn.draws import Built, Draw, Function
from tests.ops.drawn.tables.ragged import of_rows, of_splits, splits
from tests.ops.drawn.tables.string_arrays import words
from tests.ops.drawn.tables.strings import ENCODINGS

_STRINGS = ("object",)


def _texts(draw: Draw) -> Any:
    """Strings of one, two or ragged dimensions."""
    if draw.number % 2:
        return of_splits(draw, splits(draw, 1), "object")
    return words(draw, draw.shape(1, 2))


def _function(name: str, *rest: Any, count: int = 6) -> Function:
    return Function(f"strings.{name}", lambda draw: ([_texts(draw), *rest], {}), count=count)


def _of_ragged(name: str, *rest: Any, count: int = 2, dtypes: Any = _STRINGS) -> Function:
    return of_rows(f"strings.{name}", lambda draw, ragged: (list(rest), {}), dtypes=dtypes, count=count)


def _reduce_join(draw: Draw, ragged: Built) -> Any:
    return [draw.choice((1, -1, 0)), draw.flag(), "-"], {}


def _ngrams(draw: Draw, ragged: Built) -> Any:
    return [draw.choice((1, 2, [1, 2]))], {
        "pad_values": draw.choice((None, "p")),
        "preserve_short_sequences": draw.flag(),
    }


def _join(draw: Draw) -> Any:
    found = splits(draw, 1)
    return [[of_splits(draw, found, "object"), draw.choice((b"x", of_splits(draw, found, "object")))], "-"], {}


def _encoded(draw: Draw) -> Any:
    return [of_splits(draw, splits(draw, draw.integer(1, 2)), "int32"), draw.choice(ENCODINGS)], {}


FUNCTIONS = [
    _function("split", " "),
    _function("bytes_split"),
    _function("unicode_decode", "UTF-8"),
    _function("unicode_decode_with_offsets", "UTF-8", count=4),
    _function("unicode_split", "UTF-8", count=4),
    _function("unicode_split_with_offsets", "UTF-8", count=4),
    _of_ragged("lower"),
    _of_ragged("upper"),
    _of_ragged("strip"),
    _of_ragged("length"),
    _of_ragged("substr", 0, 1),
    _of_ragged("to_hash_bucket_fast", 10),
    _of_ragged("unicode_transcode", "UTF-8", "UTF-16-BE"),
    _of_ragged("as_string", dtypes=("int32", "int64")),
    of_rows("strings.reduce_join", _reduce_join, dtypes=_STRINGS, inner=()),
    of_rows("strings.ngrams", _ngrams, dtypes=_STRINGS, inner=()),
    Function("strings.join", _join, count=4),
    Function("strings.unicode_encode", _encoded, count=4),
]
