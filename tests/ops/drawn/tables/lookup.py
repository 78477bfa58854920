"""Look-up tables: `tf.lookup`. The tables are made outside of the function, the keys that are looked up are its arguments."""

import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tests.ops.drawn.draws import Draw, Function

WORDS = (b"", b"a", b"b", b"the", "straße".encode(), "日本".encode(), b"x y", b"\xff", b"a\x00")
NUMBERS = {
    "int32": (0, 1, -5, 7, 2**31 - 1, -(2**31)),
    "int64": (0, 1, -5, 2**40, 2**63 - 1, -(2**63), 2**53 + 1),
    "float32": (0.0, 1.5, -2.25, 1e30, float("inf"), float("nan")),
    "float64": (0.0, 0.1, -2.25, 1e300, float("inf"), float("nan")),
    "string": WORDS,
}
PAIRS = (
    *(("string", "int64"), ("int64", "string"), ("int64", "int64"), ("string", "string"), ("int32", "int32")),
    *(("string", "float32"), ("int64", "float64"), ("int64", "float32"), ("string", "int32"), ("int32", "float32")),
)


def some(draw: Draw, dtype: str, shape: Sequence[int]) -> np.ndarray:
    """Keys or values."""
    found = np.empty(tuple(shape), object if dtype == "string" else dtype)
    for place in np.ndindex(*shape):
        found[place] = draw.choice(NUMBERS[dtype])
    return found


def different(draw: Draw, dtype: str, count: int) -> list[Any]:
    """Keys, each once."""
    pool = list(NUMBERS[dtype])
    return [pool.pop(draw.integer(0, len(pool) - 1)) for _ in range(min(count, len(pool)))]


def _static(draw: Draw) -> Any:
    kinds = PAIRS[draw.number % len(PAIRS)]
    keys = different(draw, kinds[0], 0 if draw.number == 7 else 5)
    values = some(draw, kinds[1], (len(keys),)).tolist()
    if draw.number == 10:  # a key twice, with the same value and with another one
        keys, values = [*keys, keys[0]], [*values, values[0]]
    if draw.number == 11:
        keys, values = [*keys, keys[0]], [*values, 12]
    default = draw.choice(NUMBERS[kinds[1]])
    options = {"kinds": kinds, "keys": keys, "values": values, "default": [default] if draw.number == 12 else default}
    other = {"int32": "int64", "int64": "int32", "string": "int64"}[kinds[0]]
    return [some(draw, other if draw.number == 13 else kinds[0], draw.shape(0, 2))], options


def _look_up(tf: Any, query: Any, *, kinds: Any, keys: Any, values: Any, default: Any) -> Any:
    with tf.init_scope():
        types = [getattr(tf, kind) for kind in kinds]
        table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(keys, values, *types), default)
    return [table.lookup(query), table[query], table.size(), table.default_value]


def _vocabulary(draw: Draw) -> Any:
    dtype = draw.choice(("string", "int64"))
    asked = draw.choice(("int64", "int32")) if dtype == "int64" else "string"
    keys = different(draw, dtype, 3)
    options = {"keys": keys, "dtype_of_keys": dtype, "asked": asked, "buckets": draw.choice((1, 3, 1000))}
    if draw.number == 4:
        options["buckets"] = 0
    if draw.number == 5:
        options |= {"keys": None, "asked": "string"}
        return [some(draw, "string", (3,))], options
    return [some(draw, asked, draw.shape(0, 2, max_size=3))], options


def _number(tf: Any, query: Any, *, keys: Any, dtype_of_keys: str, asked: str, buckets: int) -> Any:
    with tf.init_scope():
        made = None
        if keys is not None:
            types = (getattr(tf, dtype_of_keys), tf.int64)
            made = tf.lookup.KeyValueTensorInitializer(keys, list(range(len(keys))), *types)
        table = tf.lookup.StaticVocabularyTable(made, buckets, lookup_key_dtype=getattr(tf, asked))
    return [table.lookup(query), table.size()]


FILES = (
    b"a\tb\nthe\tx y\n", b"a 1 2\nb 3 4\nthe 5 6", b"10\n20\r\n-5\n", b"a\nb\nthe\n\n", b"a,1.5\nb,-inf\n", b"", b"a\nb\na\n",
    b"a,x\n", b"7\tseven\n8\n",
)  # fmt: skip
READ: tuple[Mapping[str, Any], ...] = (
    {"file": 0, "key": ("string", 0), "value": ("string", 1)},
    {"file": 1, "key": ("string", 0), "value": ("int64", 2), "delimiter": " "},
    {"file": 1, "key": ("string", -2), "value": ("int64", -1), "value_index_offset": 5},
    {"file": 2, "key": ("int64", -2), "value": ("int64", -1)},
    {"file": 3, "key": ("string", -2), "value": ("int64", -1), "vocab_size": 2},
    {"file": 3, "key": ("int64", -1), "value": ("string", -2), "value_index_offset": 3, "vocab_size": 3},
    {"file": 4, "key": ("string", 0), "value": ("float32", 1), "delimiter": ","},
    {"file": 3, "key": ("string", -2), "value": ("int64", -1)},
    {"file": 6, "key": ("string", -2), "value": ("int64", -1)},  # a key twice
    {"file": 7, "key": ("string", 0), "value": ("int64", 1), "delimiter": ","},  # no number
    {"file": 8, "key": ("int64", 0), "value": ("string", 1)},  # a column too few
    {"file": 3, "key": ("string", -2), "value": ("int64", -1), "vocab_size": 9},
    {"file": None, "key": ("string", -2), "value": ("int64", -1)},
    {"file": 5, "key": ("string", -2), "value": ("int64", -1)},
)


def _file(draw: Draw) -> Any:
    options = READ[draw.number]
    kind = options["key"][0]
    keys = some(draw, kind, (3,)) if kind == "string" else np.array([0, 2, 3, 10, 20, -5, 7], kind)
    return [keys], {"options": options}


def _read(tf: Any, query: Any, *, options: Mapping[str, Any]) -> Any:
    more = {key: value for key, value in options.items() if key not in ("file", "key", "value")}
    (key, key_place), (value, value_place) = options["key"], options["value"]
    with tf.init_scope(), tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "words.txt")
        if options["file"] is not None:
            path.write_bytes(FILES[options["file"]])
        made = tf.lookup.TextFileInitializer(
            str(path), getattr(tf, key), key_place, getattr(tf, value), value_place, **more
        )
        default = {"string": "none", "int64": -1, "float32": -1.0}[value]
        table = tf.lookup.StaticHashTable(made, default)
    return [table.lookup(query), table.size()]


def _changes(draw: Draw) -> Any:
    kinds = draw.choice(PAIRS[:8])
    inner = draw.choice(((), (2,))) if kinds[1] != "string" else ()
    shape = draw.choice(((3,), (2, 2), ()))
    default = some(draw, kinds[1], inner)
    values = some(draw, kinds[1], (*shape, *inner))
    if draw.number == 3:
        values = values[..., None]
    return [
        *(default, some(draw, kinds[0], shape), values),
        *(some(draw, kinds[0], (2,)), some(draw, kinds[0], draw.shape(0, 2))),
    ], {"kinds": kinds}


def _change(tf: Any, default: Any, keys: Any, values: Any, removed: Any, query: Any, *, kinds: Any) -> Any:
    types = [getattr(tf, kind) for kind in kinds]
    table = tf.lookup.experimental.MutableHashTable(*types, default)
    table.insert(keys, values)
    before = table.lookup(query)
    table.remove(removed)
    return [before, table.lookup(query), table[query], table.size()]


def _dense(draw: Draw) -> Any:
    kinds = draw.choice((("int64", "int64"), ("string", "int64"), ("int64", "float32"), ("int32", "float32")))
    special: list[Any] = [b"empty", b"deleted"] if kinds[0] == "string" else [100, 101]
    if draw.number == 3:
        special[1] = special[0]
    keys, query = some(draw, kinds[0], (3,)), some(draw, kinds[0], (4,))
    if draw.number == 4:
        keys[1] = special[0]
    if draw.number == 6:
        query[1] = special[1]
    options = {"kinds": kinds, "special": special, "start": 3 if draw.number == 7 else draw.choice((None, 4))}
    return [keys, some(draw, kinds[1], (3,)), query], options


def _fill(tf: Any, keys: Any, values: Any, query: Any, *, kinds: Any, special: Any, start: Any) -> Any:
    types = [getattr(tf, kind) for kind in kinds]
    table = tf.lookup.experimental.DenseHashTable(*types, values[0], *special, initial_num_buckets=start)
    table.insert(keys, values)
    table.insert_or_assign(keys[:1], values[2:])
    found = table.lookup(query)
    table.erase(keys[:1])
    table.remove(keys[1:2])
    return [found, table[query], table.size()]


FUNCTIONS = [
    Function("lookup.StaticHashTable", _static, count=14, called=_look_up, quick=(1, 2, 5)),
    Function("lookup.StaticVocabularyTable", _vocabulary, count=9, called=_number, quick=(0, 2)),
    Function("lookup.TextFileInitializer", _file, count=len(READ), called=_read, quick=(0, 1, 3, 9)),
    Function("lookup.experimental.MutableHashTable", _changes, count=9, called=_change, quick=(0, 1, 2)),
    Function("lookup.experimental.DenseHashTable", _dense, count=9, called=_fill, quick=(0, 1, 2)),
]
