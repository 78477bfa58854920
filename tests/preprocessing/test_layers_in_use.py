"""Layers that prepare data in data sets, models, files of models and compiled steps."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

layers = tf.keras.layers
TEXTS = ["the cat", "a dog; the", "The end", "cat cat cat"]


def mirrored() -> Any:
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def text_layer(**options: Any) -> Any:
    layer = layers.TextVectorization(output_sequence_length=3, **options)
    layer.adapt(TEXTS)
    return layer


def test_texts_become_numbers_in_a_dataset() -> None:
    layer = text_layer()
    dataset = tf.data.Dataset.from_tensor_slices((TEXTS, [0, 1, 0, 1])).batch(3).map(lambda x, y: (layer(x), y))
    assert dataset.element_spec[0] == tf.TensorSpec((None, 3), tf.int64)
    found = [x.tolist() for x, _ in dataset.as_numpy_iterator()]
    assert np.concatenate(found).tolist() == layer(TEXTS).numpy().tolist()
    assert layer.get_vocabulary() == ["", "[UNK]", "cat", "the", "end", "dog", "a"]
    assert layer("the cat?").numpy().tolist() == [3, 2, 0]
    assert layer(np.array([["cat"], ["unknown"]])).numpy().tolist() == [[2, 0, 0], [1, 0, 0]]


def test_functions_standardize_and_split() -> None:
    layer = layers.TextVectorization(
        standardize=tf.strings.upper, split=lambda x: tf.stack([x, x], axis=-1), vocabulary=["A B", "C"]
    )
    assert layer(["a b", "c"]).numpy().tolist() == [[2, 2], [3, 3]]
    layer = layers.TextVectorization(
        split=lambda x: tf.RaggedTensor.from_row_lengths(tf.repeat(x, [1, 2]), [1, 2]), vocabulary=["a", "b"]
    )
    assert layer(["a", "b"]).numpy().tolist() == [[2, 0], [3, 3]]
    words = layers.TextVectorization(split=None, standardize=None, output_mode=None, vocabulary=["a"])(["A b"])
    assert words.numpy().tolist() == [b"A b"]


@tf.keras.saving.register_keras_serializable("tests")
def in_upper_case(texts: Any) -> Any:
    return tf.strings.upper(texts)


@pytest.mark.parametrize("standardize", ["lower_and_strip_punctuation", in_upper_case])
def test_a_model_is_saved_with_what_its_layers_know(standardize: Any, tmp_path: Path) -> None:
    words = text_layer(standardize=standardize)
    numbers = layers.IntegerLookup(output_mode="tf_idf")
    numbers.adapt(np.array([[1, 2], [2, 3]]))
    bins = layers.Discretization(num_bins=2)
    bins.adapt(np.arange(20.0))
    normal = layers.Normalization()
    normal.adapt(np.arange(20.0).reshape(10, 2))
    for layer, shape, dtype, data in (
        (words, (), "string", TEXTS),
        (numbers, (2,), "int64", np.array([[2, 2], [9, 1]])),
        (bins, (1,), "float32", np.array([[1.0], [15.0]], "float32")),
        (normal, (2,), "float32", np.ones((1, 2), "float32")),
        (layers.StringLookup(vocabulary=["a", "b"], invert=True, mask_token=""), (1,), "int64", np.array([[0], [3]])),
        (layers.Hashing(3, salt=[1, 2]), (1,), "int64", np.array([[5]])),
        (layers.CategoryEncoding(3), (2,), "int64", np.array([[0, 2]])),
    ):
        path = tmp_path / f"{layer.name}.keras"
        tf.keras.Sequential([tf.keras.Input(shape, dtype=dtype), layer]).save(path)
        read = tf.keras.models.load_model(path).layers[-1]
        assert type(read) is type(layer)
        assert read(data).numpy().tolist() == layer(data).numpy().tolist()
        assert read.compute_output_shape((None, *shape))[1:] == tuple(layer(data).shape)[1:]


def test_words_with_ends_of_lines_are_saved(tmp_path: Path) -> None:
    layer = layers.TextVectorization(split="character", standardize=None)
    layer.adapt(["a\nb", "\n"])
    tf.keras.Sequential([tf.keras.Input((), dtype="string"), layer]).save(tmp_path / "m.keras")
    read = tf.keras.models.load_model(tmp_path / "m.keras").layers[-1]
    assert read.get_vocabulary() == layer.get_vocabulary() == ["", "[UNK]", "\n", "b", "a"]
    with pytest.raises(tf.errors.UnimplementedError, match="File system scheme 'gs'"):
        layer.load_assets("gs://bucket/layer")


def test_numbers_are_prepared_inside_of_a_replicas_step() -> None:
    strategy = mirrored()
    prepared = [
        layers.IntegerLookup(vocabulary=[2**40, -5, 7], mask_token=0, num_oov_indices=2),
        layers.IntegerLookup(vocabulary=[1, 2], output_mode="count"),
        layers.Hashing(7),
        layers.Hashing(11, salt=3, mask_value=7),
        layers.Discretization(bin_boundaries=[0.0, 6.5]),
        layers.CategoryEncoding(8, output_mode="multi_hot"),
    ]
    crossing = layers.HashedCrossing(50)
    rows = np.array([[2**40, 1], [7, -5], [0, 3], [-(2**63), 2**63 - 1]])

    @tf.function
    def step(batch: Any) -> Any:
        small = tf.math.floormod(batch, tf.constant(8, tf.int64))
        given = (batch, batch, batch, batch, tf.cast(small, tf.float32), small)
        return [f(x) for f, x in zip(prepared, given, strict=True)] + [crossing([batch[:, 0], small[:, 1]])]

    eager = step.python_function(tf.constant(rows))
    dataset = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(rows).batch(4))
    found = strategy.run(step, args=(next(iter(dataset)),))
    for one, wanted in zip(found, eager, strict=True):
        assert strategy.gather(one, axis=0).numpy().tolist() == wanted.numpy().tolist()
        assert one.values[0].dtype == wanted.dtype
    fails = tf.function(layers.CategoryEncoding(2))
    with pytest.raises(tf.errors.InvalidArgumentError, match="0 <= values < num_tokens with num_tokens=2"):
        fails(tf.constant([[1, 2]]))


def test_a_model_is_fitted_with_a_lookup_inside() -> None:
    with mirrored().scope():
        model = tf.keras.Sequential(
            [
                tf.keras.Input((2,), dtype="int64"),
                layers.IntegerLookup(vocabulary=[3, 5, 7]),
                layers.Embedding(4, 2),
                layers.Flatten(),
                layers.Dense(1),
            ]
        )
        model.compile("sgd", "mse")
    history = model.fit(np.array([[3, 5], [7, 9]] * 4), np.ones((8, 1)), batch_size=4, epochs=3, verbose=0).history
    assert history["loss"][0] > history["loss"][-1]


def test_sparse_vectors_are_the_dense_ones() -> None:
    for layer, data in (
        (layers.StringLookup, [["a", "b", "a"], ["c", "x", "x"]]),
        (layers.TextVectorization, ["a b a", "c x x"]),
    ):
        options = {"vocabulary": ["a", "b", "c"], "output_mode": "tf_idf", "idf_weights": [1.0, 2.0, 3.0]}
        found = layer(**options, sparse=True)(data)
        assert isinstance(found, tf.sparse.SparseTensor)
        assert np.asarray(tf.sparse.to_dense(found)).tolist() == layer(**options)(data).numpy().tolist()
    with pytest.raises(ValueError, match="sparse=True and output_mode='int'"):
        layers.Hashing(3, sparse=True)


@pytest.mark.parametrize(
    ("make", "text"),
    [
        (lambda: layers.StringLookup(max_tokens=1), "`max_tokens` must be greater than 1"),
        (lambda: layers.StringLookup(pad_to_max_tokens=True), "needs `max_tokens`"),
        (lambda: layers.StringLookup(num_oov_indices=-1), "must not be negative"),
        (lambda: layers.StringLookup(invert=True, output_mode="count"), "must be 'int' with invert=True"),
        (lambda: layers.StringLookup(output_mode="pairs"), "is one of int, one_hot"),
        (lambda: layers.StringLookup(vocabulary="nowhere.txt"), "does not exist"),
        (lambda: layers.StringLookup(vocabulary=["a", "a"]), "repeated"),
        (lambda: layers.StringLookup(vocabulary=["a", ""], mask_token=""), "reserved mask token"),
        (lambda: layers.StringLookup(vocabulary=["a", "b"], max_tokens=2), "more than max_tokens=2"),
        (lambda: layers.StringLookup(vocabulary=["a"], output_mode="tf_idf"), "`idf_weights` must be given"),
        (lambda: layers.StringLookup(dtype="float32"), "the dtype is one of integers"),
        (lambda: layers.IntegerLookup(vocabulary_dtype="float32"), "is a type of integers"),
        (lambda: layers.TextVectorization(split="lines"), "is one of whitespace, character"),
        (lambda: layers.TextVectorization(ngrams=[1, 2]), "a tuple of integers"),
        (lambda: layers.TextVectorization(output_mode="count", output_sequence_length=3), "is for output_mode='int'"),
        (lambda: layers.TextVectorization(dtype="int64"), "only have a dtype of string"),
        (lambda: layers.Hashing(0), "must be positive"),
        (lambda: layers.Hashing(3, salt=[1]), "one integer or two"),
        (lambda: layers.HashedCrossing(3)(["a"]), "two features or more"),
        (lambda: layers.CategoryEncoding(), "must be positive"),
        (lambda: layers.Discretization(num_bins=2, bin_boundaries=[1.0]), "`num_bins` or `bin_boundaries`"),
    ],
)  # fmt: skip
def test_arguments_that_do_not_fit_are_refused(make: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        make()


def test_strings_are_looked_up_before_each_run_of_a_step() -> None:
    words = layers.StringLookup(vocabulary=["a", "b"])
    table = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(["a", "b"], [0.5, 2.5]), -1.0)
    names = tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer([0, 1], ["zero", "one"]), "?")
    crossing, hashing, texts = layers.HashedCrossing(50), layers.Hashing(9), text_layer()

    def step(keys: Any, numbers: Any) -> Any:
        strings = (names.lookup(numbers), texts(keys))
        doubled = numbers * 2
        return [words(keys), table[keys] * 2.0, crossing([keys, doubled]), hashing(keys), *strings]

    compiled = tf.function(step)
    for keys in (["a", "b"], ["b", "the cat"]):
        args = (tf.constant(keys), tf.constant([1, 5]))
        found, wanted = compiled(*args), step(*args)
        assert [np.asarray(x).tolist() for x in found] == [np.asarray(x).tolist() for x in wanted]
    strategy = mirrored()
    dataset = tf.data.Dataset.from_tensor_slices((["a", "b", "x", "b"], [0, 1, 2, 3])).batch(4)
    element = next(iter(strategy.experimental_distribute_dataset(dataset)))
    found = strategy.run(lambda keys, numbers: words(keys) + tf.cast(numbers, tf.int64), args=element)
    assert strategy.gather(found, axis=0).numpy().tolist() == [1, 3, 2, 5]


def test_a_model_is_fitted_on_texts() -> None:
    texts = text_layer()
    with mirrored().scope():
        model = tf.keras.Sequential(
            [
                tf.keras.Input((), dtype="string"),
                texts,
                layers.Embedding(7, 2),
                layers.GlobalAveragePooling1D(),
                layers.Dense(1),
            ]
        )
        model.compile("sgd", "mse")
    x = tf.constant(TEXTS)
    history = model.fit(x, np.ones((4, 1), "float32"), batch_size=4, epochs=3, verbose=0).history
    assert history["loss"][0] > history["loss"][-1]
    assert np.allclose(model.predict(x, verbose=0), model(x), atol=1e-6)
