"""Functions of `tf.strings`, and `tf.fingerprint`."""

from typing import Any

import numpy as np

from tests.ops.drawn.draws import Draw, Function
from tests.ops.drawn.tables.string_arrays import words

LENGTHS = (3, 4, 7, 8, 9, 16, 17, 32, 33, 64, 65, 129, 200)  # on both sides of where hashes change their ways
TEXTS = (b"a\xffb", "é€x".encode(), b"", b"\xf0\x9f\x98a\xe2(\xa1", b"a\x01\n\x7f", "😀b".encode(), b"abc")
ENCODINGS = ("UTF-8", "UTF-8", "UTF-16-BE", "UTF-32-BE")
ERRORS = ("replace", "ignore", "strict")


def _substr(draw: Draw) -> Any:
    shape = draw.shape(0, 2)
    places = shape if draw.flag() else ()
    options = {"unit": draw.choice(("BYTE", "UTF8_CHAR"))}
    pos = draw.array(places, "int32", -1, 1) if draw.number % 2 else np.zeros(places, np.int32)
    return [words(draw, shape), pos, draw.array(places, "int32", -1, 3)], options


def _split(draw: Draw) -> Any:
    text = draw.choice((b" a  b c ", b"a,b,,c", b"", b"a--b-c\t d\n", b"a "))
    return [text, draw.choice((None, ",", "--", "")), draw.choice((-1, 0, 1, 2))], {}


def _ngrams(draw: Draw) -> Any:
    options = {"separator": draw.choice((" ", "--")), "preserve_short_sequences": draw.flag()}
    if draw.flag():
        options |= {"pad_values": draw.choice((("<", ">"), "p")), "padding_width": draw.choice((None, 1, 2))}
    return [words(draw, draw.shape(1, 2)), draw.choice((1, 2, 3, 5, [1, 2]))], options


def _reduce_join(draw: Draw) -> Any:
    array = words(draw, draw.shape(1, 3))
    axis = draw.choice((None, draw.axis(array.ndim), [0], list(range(array.ndim))[::-1], list(range(array.ndim)), []))
    return [array, axis, draw.flag(), draw.choice(("", "-"))], {}


def _segments(draw: Draw) -> Any:
    array = words(draw, draw.shape(1, 2, min_size=1))
    ids = draw.array(array.shape[: draw.integer(1, array.ndim)], "int32", -int(draw.number == 1), 2)
    return [array, ids, 3, draw.choice(("", "-"))], {}


def _hash(name: str, *key: Any) -> Function:
    def call(draw: Draw) -> Any:
        sizes = [0, 1, *LENGTHS]
        texts = np.empty(len(sizes), object)
        texts[:] = [bytes(draw.array((size,), "uint8", 0, 255).tolist()) for size in sizes]
        return [texts, draw.choice((1, 1000, 2**62)), *key], {}

    return Function(f"strings.{name}", call, count=4)


def _fingerprint(draw: Draw) -> Any:
    shape = draw.shape(1, 2, min_size=1)
    dtype = draw.choice(("object", "int32", "float64", "uint8"))
    return [words(draw, shape) if dtype == "object" else draw.array(shape, dtype, 0, 3, special=False)], {}


def _text(draw: Draw) -> Any:
    options = {"errors": draw.choice(ERRORS), "replacement_char": draw.choice((65533, 63))}
    return [draw.choice(TEXTS), draw.choice(ENCODINGS)], options


def _controls(draw: Draw) -> Any:
    args, options = _text(draw)
    return args, {**options, "replace_control_characters": draw.flag()}


def _encode(draw: Draw) -> Any:
    numbers = draw.choice(((65, 233, 8364), (65, 0xD800, 66), (0x110000, 0xFFFF), (0x1F600, 0xFDD0, -1), ()))
    rows = np.array([numbers] * 2 if draw.flag() else numbers, np.int32)
    return [rows, draw.choice(ENCODINGS)], {"errors": draw.choice(ERRORS), "replacement_char": 63}


def _transcode(draw: Draw) -> Any:
    (text, encoding), options = _controls(draw)
    array = np.empty(2, object)
    array[:] = [text, draw.choice(TEXTS)]
    return [array, draw.choice((encoding, "ISO-8859-1", "US-ASCII")), draw.choice(ENCODINGS)], options


def _sparse_split(draw: Draw) -> Any:
    options = {"skip_empty": False} if draw.flag() else {}
    return [words(draw, (draw.integer(0, 4),)), draw.choice((None, " ", "", "al", b"\xff"))], options


def _sparse_splits(draw: Draw) -> Any:
    return [words(draw, draw.shape(0, 2)), draw.choice((None, "", "l", "ab")), draw.choice((-1, 1))], {}


def _parts(tf: Any, result: Any, *_: Any) -> Any:
    return [result.indices, result.values, result.dense_shape]


def _cases(draw: Draw) -> Any:
    return [draw.choice((*TEXTS, b"aB\xff\xe2(Z", "ÀßΣ".encode())), draw.choice(("", "utf-8", "utf-8", "latin-1"))], {}


def _number(draw: Draw) -> Any:
    texts = (b"1.5", b" -7 ", b"1_0", b"99999999999", b"", b"+3", b"1e3", b"-0", b"inf", b"2147483647", b"a", b"7")
    return [texts[draw.number % len(texts)], draw.choice(("float32", "float64", "int32", "int64"))], {}


FUNCTIONS = [
    Function("strings.substr", _substr),
    Function("strings.bytes_split", lambda draw: ([draw.choice(TEXTS)], {}), count=3),
    Function("strings.split", _split),
    Function(
        "strings.ngrams", _ngrams, differ={0: "no rows of 4 strings are (0, 3), as others of this size; TF: (0, 1)"}
    ),
    Function("strings.reduce_join", _reduce_join),
    Function("strings.unsorted_segment_join", _segments, count=8),
    _hash("to_hash_bucket"),
    _hash("to_hash_bucket_fast"),
    _hash("to_hash_bucket_strong", [7, 2**63 - 1]),
    Function("fingerprint", _fingerprint, count=8),
    Function("strings.length", lambda draw: ([draw.choice(TEXTS), draw.choice(("BYTE", "UTF8_CHAR"))], {}), count=8),
    Function("strings.unicode_decode", _controls),
    Function("strings.unicode_decode_with_offsets", _controls),
    Function("strings.unicode_split", _text),
    Function("strings.unicode_split_with_offsets", _text),
    Function("strings.unicode_encode", _encode),
    Function("strings.unicode_transcode", _transcode),
    Function("compat.v1.string_split", _sparse_split, count=8, compared=_parts),
    Function("compat.v1.strings.split", _sparse_splits, count=8, compared=_parts),
    Function("strings.lower", _cases),
    Function("strings.upper", _cases),
    Function(
        "strings.to_number",
        _number,
        count=36,
        called=lambda tf, text, dtype: tf.strings.to_number(text, tf.as_dtype(dtype)),
    ),
]
