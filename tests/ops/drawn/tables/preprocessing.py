"""Layers that prepare data. They are made, and adapted, outside of the function; what they are called with is its argument."""

from typing import Any

import numpy as np

from tests.ops.drawn.draws import Draw, Function
from tests.ops.drawn.tables.lookup import some

WORDS = (b"a", b"b", b"c", b"the", b"The", "straße".encode(), "日本".encode(), b"", b"[UNK]", b"x y", b"not there")
TEXTS = (
    b"The quick brown fox", b"the LAZY dog; the dog.", b"", b"   ", "Straße in Zürich — 日本!".encode(), b"a a a b",
    b"don't stop_now #1\tnow\nand\x0bthen", b"fox", "É é".encode(), b"the fox and the dog and the fox",
)  # fmt: skip
MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf")


def words(draw: Draw, shape: Any, pool: Any = WORDS) -> np.ndarray:
    """An array of words or texts."""
    found = np.empty(tuple(shape), object)
    for place in np.ndindex(*shape):
        found[place] = draw.choice(pool)
    return found


def _made(tf: Any, name: str, options: Any, data: Any = None) -> Any:
    """A layer, adapted to data if there are any."""
    with tf.init_scope():
        layer = getattr(tf.keras.layers, name)(**options)
        if data is not None:
            layer.adapt(data)
    return layer


def _strings(draw: Draw) -> Any:
    mode = draw.choice(MODES)
    vocabulary = ["a", "b", "the", "straße", "日本"]
    options: dict[str, Any] = {
        "vocabulary": vocabulary,
        "output_mode": mode,
        "num_oov_indices": draw.choice((1, 1, 2, 3)),
    }
    if mode == "tf_idf":
        options["idf_weights"] = [0.5, 1.0, 1.5, 2.0, 0.25]
    if draw.flag():
        options["mask_token"] = draw.choice(("", "x y"))
    if mode != "int" and draw.flag():
        options |= {"pad_to_max_tokens": True, "max_tokens": 12}
    if draw.number == 5:
        options["num_oov_indices"] = 0
    if draw.number == 6:
        options["vocabulary"] = [*vocabulary, "a"]
    shape = draw.shape(0, 3, min_size=1) if mode == "int" else draw.choice(((), (3,), (2, 3), (3, 1), (1,), (2, 2, 2)))
    return [words(draw, shape)], {"options": options}


def _inverse(draw: Draw) -> Any:
    kind = draw.choice(("StringLookup", "IntegerLookup"))
    vocabulary: list[Any] = ["a", "b", "the"] if kind == "StringLookup" else [10, 20, -7]
    mask = draw.choice((None, "" if kind == "StringLookup" else 0))
    options = {"vocabulary": vocabulary, "invert": True, "mask_token": mask, "num_oov_indices": draw.choice((0, 1, 2))}
    return [draw.array(draw.shape(0, 2), "int64", 0, 6)], {"kind": kind, "options": options}


def _integers(draw: Draw) -> Any:
    mode = draw.choice(MODES)
    options: dict[str, Any] = {"vocabulary": [1, 2, -5, 2**40, 7], "output_mode": mode}
    options["num_oov_indices"] = draw.choice((1, 1, 2, 3))
    if mode == "tf_idf":
        options["idf_weights"] = [0.5, 1.0, 1.5, 2.0, 0.25]
    if draw.flag():
        options["mask_token"] = draw.choice((0, -9))
    if draw.number == 7:
        options |= {"vocabulary_dtype": "int32", "vocabulary": [1, 2, -5]}
    if draw.number == 4:
        options["num_oov_indices"] = 0
    shape = draw.shape(0, 2) if mode == "int" else draw.choice(((), (3,), (2, 3), (3, 1)))
    dtype = "int64" if draw.number != 7 else "int32"
    found = np.array([draw.choice((1, 2, -5, 2**40 if dtype == "int64" else 3, 7, 0, -9, 11)) for _ in range(9)], dtype)
    return [np.resize(found, shape)], {"options": options}


def _learned(draw: Draw) -> Any:
    kind = ("StringLookup", "IntegerLookup", "TextVectorization")[draw.number % 3]
    mode = draw.choice(("int", "multi_hot", "count", "tf_idf"))
    options: dict[str, Any] = {"output_mode": mode, "max_tokens": draw.choice((None, 4, 6))}
    rows = draw.integer(2, 5)
    if kind == "StringLookup":
        data, query = words(draw, (rows, 4)), words(draw, (2, 3))
    elif kind == "IntegerLookup":
        data, query = draw.array((rows, 4), "int64", -3, 6), draw.array((2, 3), "int64", -3, 6)
    else:
        data, query = words(draw, (rows,), TEXTS), words(draw, (2,), TEXTS)
        options["ngrams"] = draw.choice((None, 2))
    return [query], {"kind": kind, "options": options, "data": data.tolist(), "dtype_of_data": data.dtype.name}


def _learn(tf: Any, query: Any, *, kind: str, options: Any, data: Any, dtype_of_data: str) -> Any:
    layer = _made(tf, kind, options, np.array(data, dtype_of_data))
    known = [str(word) for word in layer.get_vocabulary()]
    rest = [str(word) for word in layer.get_vocabulary(include_special_tokens=False)]
    return [layer(query), tf.constant(known), tf.constant(rest or ["none"]), tf.constant(int(layer.vocabulary_size()))]


def _texts(draw: Draw) -> Any:
    mode = draw.choice(("int", "int", "int", "multi_hot", "count", "tf_idf"))
    options: dict[str, Any] = {
        "vocabulary": ["the", "fox", "dog", "a", "straße", "the fox", "a a", "t", "é", "日本"],
        "output_mode": mode,
        "standardize": draw.choice(("lower_and_strip_punctuation", "lower", "strip_punctuation", None)),
        "split": draw.choice(("whitespace", "whitespace", "character", None)),
        "ngrams": draw.choice((None, None, 2, (1, 3), (2,))),
    }
    if mode == "int":
        options["output_sequence_length"] = draw.choice((None, 3, 9))
    if mode == "tf_idf":
        options["idf_weights"] = [0.25 * (i + 1) for i in range(10)]
    if mode != "int" and draw.flag():
        options |= {"pad_to_max_tokens": True, "max_tokens": 15}
    shape = draw.choice(((3,), (2, 1), (), (2, 2), (4,)))
    return [words(draw, shape, TEXTS)], {"options": options}


def _hashes(draw: Draw) -> Any:
    mode = draw.choice(("int", "int", "one_hot", "multi_hot", "count"))
    options: dict[str, Any] = {"num_bins": draw.choice((1, 3, 6)), "output_mode": mode}
    options["salt"] = draw.choice((None, None, 133, [137, 138]))
    dtype = draw.choice(("string", "int64", "int32"))
    if draw.flag():
        options["mask_value"] = "" if dtype == "string" else 0
    if draw.number == 4:
        options |= {"dtype": "float32"}
    shape = draw.shape(0, 3) if mode == "int" else draw.choice(((), (3,), (2, 3), (3, 1)))
    return [words(draw, shape) if dtype == "string" else some(draw, dtype, shape)], {"options": options}


def _crossing(draw: Draw) -> Any:
    options = {"num_bins": draw.choice((5, 1000)), "output_mode": "int" if draw.number % 4 else "one_hot"}
    if options["output_mode"] == "one_hot":
        options["num_bins"] = 5
    shape = draw.choice(((), (3,), (3, 1)))
    kinds = [draw.choice(("string", "int64", "int32")) for _ in range(draw.integer(2, 3))]
    if draw.number == 5:
        kinds[1] = "float32"
    return [[words(draw, shape) if kind == "string" else some(draw, kind, shape) for kind in kinds]], {
        "options": options
    }


def _categories(draw: Draw) -> Any:
    mode = draw.choice(("one_hot", "multi_hot", "count"))
    shape = draw.choice(((), (3,), (2, 3), (3, 1), (1,)))
    array = draw.array(shape, draw.choice(("int32", "int64", "float32")), 0, 3, special=False)
    if draw.number == 3:
        array = np.array([4, 0])
    weights = draw.array(array.shape, "float32", special=False) if mode == "count" and draw.flag() else None
    if draw.number == 5:
        weights, mode = array.astype("float32"), "multi_hot"
    arrays = [array] if weights is None else [array, weights]
    return arrays, {"options": {"num_tokens": 4, "output_mode": mode}}


def _categorize(tf: Any, query: Any, *weights: Any, options: Any) -> Any:
    layer = _made(tf, "CategoryEncoding", options)
    return layer(query, count_weights=weights[0]) if weights else layer(query)


def _bins(draw: Draw) -> Any:
    mode = draw.choice(("int", "int", "one_hot", "multi_hot", "count"))
    options: dict[str, Any] = {"output_mode": mode}
    data = None
    if draw.number % 2:
        options |= {"num_bins": draw.choice((1, 2, 4)), "epsilon": draw.choice((0.01, 0.1))}
        data = draw.array((draw.choice((5, 70)), 2), "float32", special=False).tolist()
    else:
        options["bin_boundaries"] = draw.choice(([-1.0, 0.0, 0.5], [0.1], []))
    shape = draw.shape(0, 2) if mode == "int" else draw.choice(((), (3,), (2, 3), (3, 1)))
    return [draw.array(shape, draw.choice(("float32", "float64", "int32", "int64")))], {
        "options": options,
        "data": data,
    }


def _discretize(tf: Any, query: Any, *, options: Any, data: Any) -> Any:
    layer = _made(tf, "Discretization", options, None if data is None else np.array(data, "float32"))
    return [layer(query), tf.constant(layer.bin_boundaries, tf.float32)]


def _normal(draw: Draw) -> Any:
    options: dict[str, Any] = {"axis": draw.choice((-1, None, 1, (1, 2))), "invert": draw.flag()}
    data = None
    if draw.number % 3:
        data = draw.array((draw.choice((3, 40)), 2, 3), draw.choice(("float32", "int32")), special=False)
    else:
        options |= {"axis": -1, "mean": [1.0, 2.0, -1.0], "variance": [4.0, 0.0, 2.0]}
    if draw.number == 6:
        options |= {"mean": 1.5, "variance": 2.0}
    query = draw.array((2, 2, 3), draw.choice(("float32", "int32", "float64")), special=False)
    dtype = None if data is None else data.dtype.name
    return [query], {"options": options, "data": None if data is None else data.tolist(), "dtype_of_data": dtype}


def _normalize(tf: Any, query: Any, *, options: Any, data: Any, dtype_of_data: Any) -> Any:
    layer = _made(tf, "Normalization", options, None if data is None else np.array(data, dtype_of_data))
    with tf.init_scope():
        if not layer.built:
            layer.build(query.shape)
    return layer(query)


def _rows(draw: Draw) -> Any:
    kind = ("StringLookup", "IntegerLookup", "Hashing", "Discretization", "CategoryEncoding")[draw.number % 5]
    mode = draw.choice(("count", "multi_hot") if kind == "CategoryEncoding" else ("int", "count", "multi_hot"))
    options: dict[str, Any] = {"output_mode": mode}
    options |= {
        "StringLookup": {"vocabulary": ["a", "b", "the"], "num_oov_indices": 2},
        "IntegerLookup": {"vocabulary": [1, 2], "mask_token": 0},
        "Hashing": {"num_bins": 4},
        "Discretization": {"bin_boundaries": [0.0, 1.0]},
        "CategoryEncoding": {"num_tokens": 5},
    }[kind]
    lengths = [draw.integer(0, 3) for _ in range(3)]
    shape = (sum(lengths),)
    numbers = {"Discretization": "float32"}.get(kind, "int64")
    values = words(draw, shape) if kind == "StringLookup" else draw.array(shape, numbers, 0, 4, special=False)
    form = draw.choice(("ragged", "sparse"))
    options["sparse"] = mode != "int" and form == "sparse"
    return [values], {"kind": kind, "options": options, "lengths": lengths, "form": form}


def _encode_rows(tf: Any, values: Any, *, kind: str, options: Any, lengths: Any, form: str) -> Any:
    inputs = tf.RaggedTensor.from_row_lengths(values, lengths)
    if form == "sparse":
        inputs = inputs.to_sparse()
    return _made(tf, kind, options)(inputs)


def _ragged_texts(draw: Draw) -> Any:
    split = draw.choice(("whitespace", "character"))
    options: dict[str, Any] = {"split": split, "ngrams": draw.choice((None, 2)), "vocabulary": ["the", "fox", "a", "t"]}
    options |= draw.choice(({"ragged": True}, {"output_mode": None}))
    return [words(draw, draw.choice(((3,), (2, 1))), TEXTS)], {"options": options}


def _called(name: str) -> Any:
    """A function that makes the layer and calls it."""
    return lambda tf, query, *, options: _made(tf, name, options)(query)


FUNCTIONS = [
    Function("keras.layers.StringLookup", _strings, count=16, called=_called("StringLookup"), quick=(0, 1)),
    Function(
        "keras.layers.IntegerLookup", _integers, count=14, called=_called("IntegerLookup"), quick=(0, 2),
        differ={7: "TensorFlow has no table from int32 to int64"},
    ),
    Function(
        "keras.layers.StringLookup.invert", _inverse, count=9, quick=(0, 1),
        called=lambda tf, query, *, kind, options: _made(tf, kind, options)(query),
    ),
    Function(
        "keras.layers.StringLookup.adapt", _learned, count=15, called=_learn, quick=(0, 1, 2),
        differ=dict.fromkeys((4, 7, 10), "TensorFlow stacks the words of each row, and fails if their numbers differ"),
    ),
    Function("keras.layers.TextVectorization", _texts, count=18, called=_called("TextVectorization"), quick=(0, 1, 3)),
    Function("keras.layers.Hashing", _hashes, count=14, called=_called("Hashing"), quick=(0, 2)),
    Function("keras.layers.HashedCrossing", _crossing, count=9, called=_called("HashedCrossing"), quick=(0, 2)),
    Function(
        "keras.layers.CategoryEncoding", _categories, count=12, called=_categorize, quick=(0, 2),
        differ={4: "TensorFlow refuses the weight of a scalar"},
    ),
    Function("keras.layers.Discretization", _bins, count=12, called=_discretize, quick=(0, 1, 2)),
    Function("keras.layers.Layer.ragged", _rows, count=15, called=_encode_rows, quick=(0, 1, 4)),
    Function("keras.layers.TextVectorization.ragged", _ragged_texts, count=9, called=_called("TextVectorization"), quick=(0,)),
    Function("keras.layers.Normalization", _normal, count=9, called=_normalize, quick=(0, 1)),
]  # fmt: skip
