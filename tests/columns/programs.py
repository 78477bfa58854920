"""Programs with feature columns, which run in TensorFlow and here; each returns numbers and names."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

Case = tuple[list[Any], dict[str, Any]]
CASES: dict[str, Callable[[Any, Path], Case]] = {}
SEQUENCES: dict[str, Callable[[Any, Path], Case]] = {}
ERRORS: dict[str, Callable[[Any], Any]] = {}
STEPS = 20


def case(function: Callable[[Any, Path], Case]) -> Callable[[Any, Path], Case]:
    CASES[function.__name__] = function
    return function


def sequence(function: Callable[[Any, Path], Case]) -> Callable[[Any, Path], Case]:
    SEQUENCES[function.__name__] = function
    return function


def first(tf: Any) -> Callable[..., Any]:
    def values(shape: Any, dtype: Any = None, **_: Any) -> Any:
        return tf.constant(np.sin(np.arange(np.prod(shape))).reshape(shape).astype("float32"))

    return values


def sparse(tf: Any, rows: list[list[Any]], dtype: Any, steps: int | None = None) -> Any:
    places = [[r, i] for r, row in enumerate(rows) for i in range(len(row))]
    values = [v for row in rows for v in row]
    shape = [len(rows), steps or max(map(len, rows))]
    return tf.SparseTensor(np.array(places, "int64").reshape(-1, 2), tf.constant(values, dtype), shape)


def both(tf: Any, column: Any, **options: Any) -> list[Any]:
    fc = tf.feature_column
    return [fc.indicator_column(column), fc.embedding_column(column, 3, initializer=first(tf), **options)]


def vocabulary_file(folder: Path) -> str:
    path = folder / "words.txt"
    path.write_text("ant\nbee\ncat\ndog\n")
    return str(path)


WORDS = [["bee", "ant", "bee"], [], ["eel", "dog"], ["fox"]]
NUMBERS = [[3, 0, 3], [], [7, 1], [2]]


@case
def numbers(tf: Any, folder: Path) -> Case:
    fc = tf.feature_column
    columns = [
        fc.numeric_column("b", normalizer_fn=lambda x: (x - 1.0) / 2.0),
        fc.numeric_column("a", shape=(2,)),
        fc.numeric_column("c", dtype=tf.int64),
        fc.numeric_column("d", shape=[2, 2]),
    ]
    return columns, {
        "a": tf.constant([[1.0, 2.0], [3.0, np.inf], [0.5, -1.0], [0.0, 2.5]])[:, ::-1] * 0.1,
        "b": tf.constant([1.0, 2.0, -3.0, 0.0]),
        "c": tf.constant([[5], [-1], [0], [2]], tf.int64),
        "d": tf.reshape(tf.range(16.0) / 8, (4, 2, 2)),
    }


@case
def buckets(tf: Any, folder: Path) -> Case:
    fc = tf.feature_column
    one = fc.bucketized_column(fc.numeric_column("a"), [-1.0, 0.1, 2])
    two = fc.bucketized_column(fc.numeric_column("b", shape=2), (0.0, 1.0))
    columns = [one, two, fc.embedding_column(two, 2, initializer=first(tf)), fc.indicator_column(one)]
    return columns, {
        "a": tf.constant([-1.0, 0.1, np.nan, -np.inf]),
        "b": tf.constant([[0.0, 5.0], [-1.0, 0.5], [1.0, 1.0], [0.5, -2.0]]),
    }


@case
def identities(tf: Any, folder: Path) -> Case:
    column = tf.feature_column.categorical_column_with_identity("i", 5)
    return both(tf, column), {"i": tf.constant([[3, 3, 0], [-1, -1, -1], [4, -1, 1], [2, 0, 0]])}


@case
def identities_with_a_default(tf: Any, folder: Path) -> Case:
    column = tf.feature_column.categorical_column_with_identity("i", 5, default_value=1)
    return both(tf, column, combiner="sum"), {"i": sparse(tf, NUMBERS, tf.int64)}


@case
def a_vocabulary(tf: Any, folder: Path) -> Case:
    column = tf.feature_column.categorical_column_with_vocabulary_list("w", ["ant", "bee", "cat", "dog"])
    return both(tf, column, combiner="sqrtn"), {"w": sparse(tf, WORDS, tf.string)}


@case
def a_vocabulary_with_buckets(tf: Any, folder: Path) -> Case:
    column = tf.feature_column.categorical_column_with_vocabulary_list("w", ("ant", "bee"), num_oov_buckets=3)
    return both(tf, column), {"w": tf.constant([["bee", ""], ["", ""], ["eel", "dog"], ["bee", "bee"]])}


@case
def a_vocabulary_of_integers(tf: Any, folder: Path) -> Case:
    fc = tf.feature_column
    one = fc.categorical_column_with_vocabulary_list("n", [7, 3, 2], default_value=1)
    two = fc.categorical_column_with_vocabulary_list("m", [7, 3, 2], dtype=tf.int32, num_oov_buckets=2)
    return [*both(tf, one), *both(tf, two)], {
        "n": sparse(tf, NUMBERS, tf.int32),
        "m": tf.constant([3, 9, 7, -5]),
    }


@case
def a_vocabulary_of_a_file(tf: Any, folder: Path) -> Case:
    fc, path = tf.feature_column, vocabulary_file(folder)
    one = fc.categorical_column_with_vocabulary_file("w", path)
    two = fc.categorical_column_with_vocabulary_file("x", path, vocabulary_size=2, num_oov_buckets=2)
    three = fc.categorical_column_with_vocabulary_file("y", path, default_value=3)
    features = {key: sparse(tf, WORDS, tf.string) for key in "wxy"}
    return [*both(tf, one), *both(tf, two), *both(tf, three)], features


@case
def hashes(tf: Any, folder: Path) -> Case:
    fc = tf.feature_column
    one = fc.categorical_column_with_hash_bucket("w", 6)
    two = fc.categorical_column_with_hash_bucket("n", 4, dtype=tf.int64)
    three = fc.categorical_column_with_hash_bucket("m", 4, tf.int32)
    return [*both(tf, one, max_norm=0.5), *both(tf, two), *both(tf, three)], {
        "w": sparse(tf, WORDS, tf.string),
        "n": sparse(tf, NUMBERS, tf.int64),
        "m": tf.constant([[12, -1], [-1, -1], [-34, 0], [7, 7]]),
    }


@case
def crosses(tf: Any, folder: Path) -> Case:
    fc = tf.feature_column
    bucketized = fc.bucketized_column(fc.numeric_column("a"), [0.0, 1.0])
    listed = fc.categorical_column_with_vocabulary_list("w", ["ant", "bee"])
    inner = fc.crossed_column(["x", bucketized], 10)
    columns = [
        *both(tf, inner),
        *both(tf, fc.crossed_column([inner, listed], 7, hash_key=5)),
        *both(tf, fc.crossed_column(["w", fc.categorical_column_with_identity("n", 9)], 8)),
    ]
    return columns, {
        "a": tf.constant([0.5, -1.0, 3.0, 1.0]),
        "w": sparse(tf, WORDS, tf.string),
        "x": tf.constant(["ant", "", "bee", "cat"]),
        "n": sparse(tf, NUMBERS, tf.int64),
    }


@case
def weights(tf: Any, folder: Path) -> Case:
    fc, columns = tf.feature_column, []
    listed = fc.categorical_column_with_vocabulary_list("w", ["ant", "bee", "cat", "dog"])
    for kind, combiner in (("f", "mean"), ("g", "sqrtn"), ("h", "sum")):
        dtype = tf.int32 if kind == "h" else tf.float32
        column = fc.weighted_categorical_column(listed, kind, dtype=dtype)
        columns += both(tf, column, combiner=combiner)
    numbers = [[0.5, 2.0, -1.0], [], [0.0, 4.0], [1.0]]
    return columns, {
        "w": sparse(tf, WORDS, tf.string),
        "f": sparse(tf, numbers, tf.float32),
        "g": sparse(tf, numbers, tf.float32),
        "h": sparse(tf, [[1, -2, 3], [], [0, 4], [5]], tf.int32),
    }


def result(tf: Any, name: str, folder: Path) -> dict[str, Any]:
    """The output of a layer, the gradients of its tables, and its tables after some steps with SGD."""
    columns, features = CASES[name](tf, folder)
    layer = tf.keras.layers.DenseFeatures(columns)
    output = layer(features)
    finite = np.nan_to_num(np.array(output), posinf=0, neginf=0)
    kernel = tf.Variable(np.cos(np.arange(finite.shape[1])).astype("float32")[:, None])
    goal = tf.constant([[1.0], [0.0], [-1.0], [2.0]])
    tables = [*layer.trainable_variables, kernel]

    def gradients(features: Any) -> Any:
        with tf.GradientTape() as tape:
            made = layer(features)
            loss = tf.reduce_mean((tf.matmul(tf.where(tf.math.is_finite(made), made, 0.0), kernel) - goal) ** 2)
        return [tf.convert_to_tensor(g) for g in tape.gradient(loss, tables)]

    @tf.function
    def step(features: Any) -> None:
        for table, gradient in zip(tables, gradients(features), strict=True):
            table.assign_sub(0.02 * gradient)

    before = [listed(g) for g in gradients(features)]
    for _ in range(STEPS):
        step(features)
    shapes = [list(column.variable_shape) for column in columns]
    return {
        "output": listed(output),
        "gradients": before,
        "after": [listed(table) for table in tables],
        "names": [column.name for column in columns],
        "shapes": shapes,
        "spec": described(tf, columns),
        "config": [without_names(c) for c in layer.get_config()["feature_columns"] if name != "numbers"],
    }


def described(tf: Any, columns: list[Any]) -> dict[str, list[Any]]:
    """The features of files that columns need."""
    # Here numbers of a kind that files do not have are an error where they are described, in TensorFlow where they are read.
    readable = [column for column in columns if not column.name.startswith("m_") and "_by_h" not in column.name]
    spec = tf.feature_column.make_parse_example_spec(readable)
    return {
        key: [type(v).__name__, tf.as_dtype(v.dtype).name, list(getattr(v, "shape", ()))] for key, v in spec.items()
    }


def without_names(value: Any) -> Any:
    """A description without paths and functions, which differ."""
    if isinstance(value, dict):
        return {k: without_names(v) for k, v in value.items() if k not in ("initializer", "vocabulary_file")}
    return [without_names(v) for v in value] if isinstance(value, list | tuple) else value


def listed(value: Any) -> Any:
    """Numbers as JSON has them."""
    array = np.asarray(value, "float64")
    return [str(v) if not np.isfinite(v) else float(f"{v:.7g}") for v in array.ravel()]


@sequence
def steps_of_words(tf: Any, folder: Path) -> Case:
    fc = tf.feature_column
    one = fc.sequence_categorical_column_with_vocabulary_list("w", ["ant", "bee", "cat", "dog"])
    two = fc.sequence_categorical_column_with_hash_bucket("x", 3)
    three = fc.sequence_categorical_column_with_vocabulary_file("y", vocabulary_file(folder), num_oov_buckets=1)
    features = {key: sparse(tf, WORDS, tf.string) for key in "wxy"}
    return [*both(tf, one), *both(tf, two), *both(tf, three)], features


@sequence
def steps_of_numbers(tf: Any, folder: Path) -> Case:
    fc = tf.feature_column
    ids = fc.sequence_categorical_column_with_identity("n", 8)
    columns = [
        *both(tf, ids),
        fc.sequence_numeric_column("a", default_value=-0.5),
        fc.sequence_numeric_column("b", shape=(2,), normalizer_fn=lambda x: tf.sparse.map_values(tf.multiply, x, 2.0)),
    ]
    return columns, {
        "n": sparse(tf, NUMBERS, tf.int64),
        "a": sparse(tf, [[1.0, 2.0, 3.0], [], [4.0, 5.0], [6.0]], tf.float32),
        "b": sparse(tf, [[1.0, 2.0, 3.0, 4.0, 5.0], [], [4.0, 5.0, 6.0], [6.0]], tf.float32, 6),
    }


def sequences(tf: Any, name: str, folder: Path) -> dict[str, Any]:
    """The output of a layer of sequences, and their lengths."""
    columns, features = SEQUENCES[name](tf, folder)
    layer = tf.keras.experimental.SequenceFeatures(columns)
    output, lengths = layer(features)
    compiled = tf.function(lambda given: layer(given))(features)
    return {
        "output": listed(output),
        "lengths": listed(lengths),
        "compiled": listed(compiled[0]),
        "shape": list(output.shape),
        "spec": described(tf, columns),
    }


def identity(tf: Any) -> Any:
    return tf.feature_column.categorical_column_with_identity("i", 3)


def word(tf: Any, key: str = "w") -> Any:
    return tf.feature_column.categorical_column_with_vocabulary_list(key, ["a", "b"])


def called(tf: Any, columns: Any, features: Any) -> Any:
    return tf.keras.layers.DenseFeatures(columns)(features)


def _errors(name: str, function: Callable[[Any], Any]) -> None:
    ERRORS[name] = function


_errors("shape zero", lambda tf: tf.feature_column.numeric_column("a", shape=0))
_errors("shape float", lambda tf: tf.feature_column.numeric_column("a", shape=[1.5]))
_errors("key", lambda tf: tf.feature_column.numeric_column(3))
_errors("string numbers", lambda tf: tf.feature_column.numeric_column("a", dtype=tf.string))
_errors("default of another shape", lambda tf: tf.feature_column.numeric_column("a", default_value=[1.0, 2.0]))
_errors("default text", lambda tf: tf.feature_column.numeric_column("a", default_value="x"))
_errors("default fraction", lambda tf: tf.feature_column.numeric_column("a", default_value=1.5, dtype=tf.int32))
_errors("no function", lambda tf: tf.feature_column.numeric_column("a", normalizer_fn=3))
_errors("bucketized words", lambda tf: tf.feature_column.bucketized_column(word(tf), [1]))
_errors("unsorted", lambda tf: tf.feature_column.bucketized_column(tf.feature_column.numeric_column("a"), [2, 1]))
_errors("no boundaries", lambda tf: tf.feature_column.bucketized_column(tf.feature_column.numeric_column("a"), []))
_errors(
    "matrix buckets",
    lambda tf: tf.feature_column.bucketized_column(tf.feature_column.numeric_column("a", shape=(2, 2)), [1]),
)
_errors("no identities", lambda tf: tf.feature_column.categorical_column_with_identity("i", 0))
_errors("identity default", lambda tf: tf.feature_column.categorical_column_with_identity("i", 3, default_value=3))
_errors("no buckets", lambda tf: tf.feature_column.categorical_column_with_hash_bucket("h", 0))
_errors("hashed floats", lambda tf: tf.feature_column.categorical_column_with_hash_bucket("h", 2, tf.float32))
_errors("no words", lambda tf: tf.feature_column.categorical_column_with_vocabulary_list("w", []))
_errors("twice", lambda tf: tf.feature_column.categorical_column_with_vocabulary_list("w", ["a", "a"]))
_errors("other words", lambda tf: tf.feature_column.categorical_column_with_vocabulary_list("w", ["a"], tf.int64))
_errors(
    "default and buckets",
    lambda tf: tf.feature_column.categorical_column_with_vocabulary_list("w", ["a"], None, 0, 2),
)
_errors("no file", lambda tf: tf.feature_column.categorical_column_with_vocabulary_file("w", "/no/such/file"))
_errors("unnamed file", lambda tf: tf.feature_column.categorical_column_with_vocabulary_file("w", ""))
_errors("indicated numbers", lambda tf: tf.feature_column.indicator_column(tf.feature_column.numeric_column("a")))
_errors("dimension", lambda tf: tf.feature_column.embedding_column(word(tf), 0))
_errors("half a checkpoint", lambda tf: tf.feature_column.embedding_column(word(tf), 2, ckpt_to_load_from="x"))
_errors("no initializer", lambda tf: tf.feature_column.embedding_column(word(tf), 2, initializer=2.0))
_errors("one key", lambda tf: tf.feature_column.crossed_column(["a"], 3))
_errors("crossed numbers", lambda tf: tf.feature_column.crossed_column(["a", tf.feature_column.numeric_column("b")], 3))
_errors(
    "crossed hashes",
    lambda tf: tf.feature_column.crossed_column(
        ["a", tf.feature_column.categorical_column_with_hash_bucket("b", 3)], 3
    ),
)
_errors("weights of text", lambda tf: tf.feature_column.weighted_categorical_column(word(tf), "f", dtype=tf.string))
_errors("no columns", lambda tf: tf.keras.layers.DenseFeatures([]))
_errors("no dense columns", lambda tf: tf.keras.layers.DenseFeatures([word(tf)]))
_errors("dict of columns", lambda tf: tf.keras.layers.DenseFeatures({"a": word(tf)}))
_errors("same names", lambda tf: tf.keras.layers.DenseFeatures([tf.feature_column.numeric_column("a")] * 2))
_errors("no sequences", lambda tf: tf.keras.experimental.SequenceFeatures([tf.feature_column.numeric_column("a")]))
_errors("no such feature", lambda tf: called(tf, [tf.feature_column.numeric_column("a")], {"b": tf.ones(3)}))
_errors("no dict", lambda tf: called(tf, [tf.feature_column.numeric_column("a")], tf.ones(3)))
_errors("a scalar", lambda tf: called(tf, [tf.feature_column.numeric_column("a")], {"a": tf.constant(1.0)}))
_errors(
    "sparse numbers",
    lambda tf: called(tf, [tf.feature_column.numeric_column("a")], {"a": sparse(tf, [[1.0]], tf.float32)}),
)
_errors("words of numbers", lambda tf: called(tf, both(tf, word(tf)), {"w": tf.constant([1, 2])}))
_errors("identities of text", lambda tf: called(tf, both(tf, identity(tf)), {"i": tf.constant(["a"])}))
_errors("identities of fractions", lambda tf: called(tf, both(tf, identity(tf)), {"i": tf.constant([1.0])}))
_errors("too large", lambda tf: called(tf, both(tf, identity(tf))[1:], {"i": tf.constant([3])}))
_errors(
    "sequence as dense",
    lambda tf: called(
        tf,
        both(tf, tf.feature_column.sequence_categorical_column_with_identity("i", 3)),
        {"i": sparse(tf, [[1]], tf.int64)},
    ),
)
_errors(
    "other rows",
    lambda tf: called(
        tf,
        [tf.feature_column.numeric_column("a"), tf.feature_column.numeric_column("b")],
        {"a": tf.ones(2), "b": tf.ones(3)},
    ),
)
_errors(
    "weights of another dtype",
    lambda tf: called(
        tf,
        both(tf, tf.feature_column.weighted_categorical_column(word(tf), "f")),
        {"w": tf.constant(["a"]), "f": tf.constant([1])},
    ),
)
_errors(
    "two specs",
    lambda tf: tf.feature_column.make_parse_example_spec([tf.feature_column.numeric_column("w"), word(tf)]),
)


def error(tf: Any, name: str) -> str:
    """The class of the error that a program raises."""
    try:
        ERRORS[name](tf)
    except Exception as raised:
        return type(raised).__name__
    return "none"


def linear(tf: Any, folder: Path) -> dict[str, Any]:
    """The outputs and weights of linear models of one tensor, of a list and of a dict, after some epochs."""
    one, two = np.arange(8.0).reshape(4, 2).astype("float32") / 8, np.cos(np.arange(4.0)).astype("float32")[:, None]
    inputs: dict[str, Any] = {"tensor": one, "list": [one, two], "dict": {"b": two, "a": one}}
    found = {}
    for kind, given in inputs.items():
        model = tf.keras.experimental.LinearModel(2, "sigmoid", kernel_initializer=first(tf))
        model.compile(tf.keras.optimizers.SGD(0.5), "mse")
        before = listed(model(given))
        model.fit(given, np.ones((4, 2), "float32"), epochs=3, batch_size=2, shuffle=False, verbose=0)
        found[kind] = [before, *map(listed, model.get_weights())]
    return found


def estimated(tf: Any, folder: Path) -> dict[str, Any]:
    """The variables of an Estimator whose model_fn uses `input_layer` and `linear_model`, after some steps."""
    v1, fc = tf.compat.v1, tf.compat.v1.feature_column
    listed_words = [fc.categorical_column_with_vocabulary_list(key, ["ant", "bee", "cat"]) for key in "wx"]
    age = fc.numeric_column("age")
    deep = [age, fc.embedding_column(listed_words[0], 2, initializer=v1.constant_initializer(0.25))]
    wide = [
        fc.bucketized_column(age, [0.0, 1.0]),
        fc.crossed_column(["w", "x"], 5),
        listed_words[1],
        fc.indicator_column(listed_words[0]),
    ]

    def model_fn(features: Any, labels: Any, mode: Any) -> Any:
        shared = fc.shared_embedding_columns(listed_words, 2, initializer=v1.constant_initializer(-0.5))
        dense = fc.input_layer(features, deep)
        both_words = fc.input_layer(features, shared)
        found = fc.linear_model(features, wide, units=2)
        out = tf.reduce_sum(dense, 1) + tf.reduce_sum(both_words, 1) * 0.5 + tf.reduce_sum(found, 1)
        loss = tf.reduce_mean((out - labels) ** 2)
        step = v1.train.GradientDescentOptimizer(0.05).minimize(loss, v1.train.get_or_create_global_step())
        return tf.estimator.EstimatorSpec(mode, predictions=out, loss=loss, train_op=step)

    def input_fn() -> Any:
        features = {"age": [0.5, -1.0, 2.0], "w": ["ant", "bee", "eel"], "x": ["bee", "ant", "cat"]}
        return tf.data.Dataset.from_tensors((features, [1.0, 0.0, -1.0])).repeat(10)

    estimator = tf.estimator.Estimator(model_fn, str(folder / "model"))
    estimator.train(input_fn)
    names = sorted(n for n in estimator.get_variable_names() if n != "global_step")
    return {name: listed(estimator.get_variable_value(name)) for name in names}
