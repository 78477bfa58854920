"""Functions that begin with strings, or end with them, are saved with what they compute on the host: names, and no code."""

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.saved_models.stranger import description_of, replaced

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

layers = tf.keras.layers
WORDS = ["apple", "pear", "plum"]


def saved(tmp_path: Path, function: Callable[..., Any], *specs: Any) -> Any:
    """Returns the function of a module that was saved with it, and loaded."""
    module = tf.Module()
    module.function = tf.function(function, input_signature=specs)
    tf.saved_model.save(module, tmp_path / "model")
    return tf.saved_model.load(tmp_path / "model").function


STRINGS = tf.TensorSpec([None], tf.string)


def test_a_model_of_texts_is_that_for_any_number_of_rows_and_words(tmp_path: Path) -> None:
    texts = layers.TextVectorization(ngrams=2)
    texts.adapt(["a pear, a plum", "an apple"])
    inputs = tf.keras.Input((1,), dtype="string", name="text")
    hidden = layers.GlobalAveragePooling1D()(layers.Embedding(12, 4)(texts(inputs)))
    model = tf.keras.Model(inputs, layers.Dense(2)(hidden))
    tf.saved_model.save(model, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    for rows in ([["a pear"]], [["plum plum a b c d e f"], ["an"], ["x y"]]):
        given = tf.constant(rows)
        np.testing.assert_allclose(loaded(given), model(given), rtol=1e-6)
        (served,) = loaded.signatures["serving_default"](text=given).values()
        np.testing.assert_allclose(served, model(given), rtol=1e-6)
    assert loaded.signatures["serving_default"].inputs == [tf.TensorSpec([None, 1], tf.string, "text")]


def table(default: int = -1) -> Any:
    return tf.lookup.StaticHashTable(tf.lookup.KeyValueTensorInitializer(WORDS, tf.range(3)), default)


def test_tables_and_functions_of_strings(tmp_path: Path) -> None:
    numbers, buckets = (
        table(),
        tf.lookup.StaticVocabularyTable(tf.lookup.KeyValueTensorInitializer(WORDS, tf.range(3, dtype=tf.int64)), 5),
    )

    def function(words: Any, numeric: Any) -> Any:
        lower = tf.strings.lower(tf.strings.strip(words))
        parts = tf.strings.split(lower).to_tensor()
        return {
            "number": numbers.lookup(lower),
            "bucket": buckets[lower],
            "parts": tf.shape(parts)[1] * tf.ones([tf.shape(words)[0]], tf.int32),
            "length": tf.cast(tf.strings.length(lower), tf.float32) * numeric,
            "value": tf.strings.to_number(tf.strings.regex_replace(lower, "[a-z ]+", "1")),
            "same": tf.equal(words, "Plum") & (words != "x"),
            "text": tf.strings.join([lower, "!"]),
            "first": lower[0],
            "part": tf.strings.substr(tf.strings.join([words, words, words, words]), 3, 2),
        }

    loaded = saved(tmp_path, function, STRINGS, tf.TensorSpec([None], tf.float32))
    for words in (["Plum"], [" apple ", "fig tree", "Pear", "PLUM"]):
        given = tf.constant(words), np.arange(len(words), dtype="float32")
        found, wanted = loaded(*given), function(*given)
        assert found.keys() == wanted.keys()
        for name in found:
            assert np.asarray(found[name]).tolist() == np.asarray(wanted[name]).tolist(), name


def test_layers_that_look_up_and_hash(tmp_path: Path) -> None:
    made = [
        layers.StringLookup(vocabulary=WORDS, mask_token=""),
        layers.StringLookup(vocabulary=[*WORDS, "", "fig"], num_oov_indices=0, output_mode="one_hot"),
        layers.StringLookup(vocabulary=WORDS, output_mode="multi_hot", num_oov_indices=3),
        layers.StringLookup(vocabulary=WORDS, idf_weights=[0.5, 1.0, 2.0], output_mode="tf_idf"),
        layers.Hashing(7, mask_value=""),
        layers.Hashing(7, salt=[3, 4]),
        layers.TextVectorization(output_sequence_length=3, vocabulary=WORDS),
        layers.TextVectorization(output_mode="count", vocabulary=WORDS),
    ]
    cross = layers.HashedCrossing(11)
    loaded = saved(tmp_path, lambda x: [*(layer(x[:, None]) for layer in made), cross([x, x])], STRINGS)
    words = tf.constant(["apple", "", "fig", "plum"])
    wanted = [*(layer(words[:, None]) for layer in made), cross([words, words])]
    for found, expected in zip(loaded(words), wanted, strict=True):
        np.testing.assert_array_equal(found, expected)


def test_labels_are_looked_up_after_the_program(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    names = layers.StringLookup(vocabulary=WORDS, num_oov_indices=0, invert=True)

    def function(x: Any) -> Any:
        best = tf.argmax(x, axis=-1)
        return {"class": names(best), "shown": tf.strings.join([tf.strings.as_string(best), "."]), "score": x[:, 0] * 2}

    loaded, x = saved(tmp_path, function, tf.TensorSpec([None, 3])), np.eye(3, dtype="float32")[[2, 0]]
    caplog.clear()
    with caplog.at_level("INFO"):
        found = loaded(x)
    assert caplog.messages == []  # that Python runs it is as it was saved
    assert found["class"].tolist() == [b"plum", b"apple"]
    assert found["shown"].tolist() == [b"2.", b"0."]
    assert np.asarray(found["score"]).tolist() == [0, 2]
    assert loaded.structured_outputs["class"] == tf.TensorSpec([None], tf.string)


def examples(rows: int) -> Any:
    """Returns serialized Examples, of which the second has no words."""
    found = []
    for row in range(rows):
        feature = {
            "x": tf.train.Feature(float_list=tf.train.FloatList(value=[row, 1.0])),
            "town": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b"%d" % row] * row)),
            "city": tf.train.Feature(bytes_list=tf.train.BytesList(value=[WORDS[row % 3].encode()])),
        }
        if row != 1:
            words = [b"apple", b"fig"][: 1 + row % 2]
            feature["words"] = tf.train.Feature(bytes_list=tf.train.BytesList(value=words))
        found.append(tf.train.Example(features=tf.train.Features(feature=feature)).SerializeToString())
    return tf.constant(found)


def test_serialized_examples_and_feature_columns(tmp_path: Path) -> None:
    fc, vocabulary = tf.feature_column, tmp_path / "words.txt"
    vocabulary.write_text("\n".join(WORDS))
    city = fc.categorical_column_with_vocabulary_list("city", WORDS)
    words = fc.categorical_column_with_vocabulary_file("words", str(vocabulary), num_oov_buckets=2)
    columns = [
        fc.numeric_column("x", 2),
        fc.indicator_column(city),
        fc.embedding_column(words, 3),
        fc.indicator_column(fc.crossed_column(["city", "words"], 7)),
        fc.indicator_column(fc.categorical_column_with_hash_bucket("town", 4)),
    ]
    layer, spec = layers.DenseFeatures(columns), fc.make_parse_example_spec(columns)

    def function(serialized: Any) -> Any:
        return layer(tf.io.parse_example(serialized, spec))

    layer(tf.io.parse_example(examples(2), spec))
    loaded = saved(tmp_path, function, STRINGS)
    vocabulary.unlink()
    for rows in (1, 5):
        np.testing.assert_allclose(loaded(examples(rows)), function(examples(rows)), rtol=1e-6)
    assert np.shape(loaded(examples(2)[1:])) == (1, 2 + 3 + 3 + 7 + 4), "no row has a word"


KINDS = """
import importlib, pkgutil
import stratagem.saved_model
from stratagem._core.step.keys import _host_kinds
before = {*_host_kinds._BY_NAME, *_host_kinds._FUNCTIONS}
for _, name, _ in pkgutil.iter_modules(stratagem.__path__):
    if name.startswith("_"):
        importlib.import_module(f"stratagem.{name}")
print(sorted({*_host_kinds._BY_NAME, *_host_kinds._FUNCTIONS} - before), "feature_column.Vocabulary" in before)
"""


def test_a_process_that_only_loads_models_knows_every_kind_of_object() -> None:
    """An Estimator's export names feature columns, and was called damaged where nobody had imported them."""
    done = subprocess.run([sys.executable, "-c", KINDS], capture_output=True, text=True, check=True, timeout=300)
    assert done.stdout == "[] True\n"


def test_a_loaded_function_of_strings_trains_in_replicas(tmp_path: Path) -> None:
    model = tf.keras.Sequential(
        [tf.keras.Input((1,), dtype="string"), layers.StringLookup(vocabulary=WORDS), layers.Embedding(4, 1)]
    )
    tf.saved_model.save(model, tmp_path / "model")
    strategy = STRATEGIES["mirrored 2"]()
    with strategy.scope():
        loaded = tf.saved_model.load(tmp_path / "model")
    (table_,) = loaded.trainable_variables
    before = np.asarray(table_.value)

    def replica(words: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(loaded(words[:, None]))
        (gradient,) = tape.gradient(loss, [table_])
        table_.assign_sub(tf.distribute.get_replica_context().all_reduce("sum", gradient))

    dataset = tf.data.Dataset.from_tensor_slices(["pear", "pear", "plum", "fig"]).batch(4)
    for batch in strategy.experimental_distribute_dataset(dataset):
        tf.function(lambda words: strategy.run(replica, args=(words,)))(batch)
    assert np.ravel(before - np.asarray(table_.value)).round(5).tolist() == [1, 0, 2, 1]


def shout(text: Any) -> Any:
    return tf.strings.upper(text)


SHOUTING = layers.TextVectorization(standardize=shout, vocabulary=WORDS)


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        (lambda x: tf.py_function(lambda v: len(v), [x], tf.int32), r"py_function"),
        (lambda x: SHOUTING(x), r"'shout' \(.*test_strings.py, line \d+\)"),
        (lambda x: tf.io.read_file(x[0]), r"read_file \(.*_gfile.py, line \d+\) on the host"),
        (lambda x: tf.io.decode_png(x[0]), r"decode_png"),
        (lambda x: tf.strings.length(x) if x[0] == "a" else tf.strings.length(x) + 1, r"runs in Python"),
    ],
)
def test_what_no_file_may_name_is_refused(function: Any, problem: str, tmp_path: Path) -> None:
    with pytest.raises((NotImplementedError, tf.errors.UnimplementedError), match=problem):
        saved(tmp_path, function, STRINGS)
    assert not (tmp_path / "model").exists()


def test_a_file_that_names_another_function_is_refused(tmp_path: Path) -> None:
    words = table()
    saved(tmp_path, lambda x: words.lookup(tf.strings.lower(x)), STRINGS)

    file = description_of(tmp_path / "model")
    short = json.dumps(json.loads(file.read_text()))

    def renamed(old: str, new: str) -> None:
        changed = short.replace(old, new)
        assert changed != short
        replaced(tmp_path / "model", file, changed.encode())
        with pytest.raises(tf.errors.DataLossError, match=r"may name|is not known|not there"):
            tf.saved_model.load(tmp_path / "model")

    for name in ("io.write_file", "os.system", "__import__", "operator.attrgetter"):
        renamed('"strings.lower"', f'"{name}"')
    renamed('"lookup.StaticHashTable"', '"layers.Lambda"')
    renamed('{"value": [-1, 0]}', '{"value": [-1, 7]}')
    renamed('{"value": [0, 0]}', '{"value": [1, 0]}')


def test_integers_of_64_bits_keep_them_beside_strings(tmp_path: Path) -> None:
    """Strings of what a program computes are made after it, in Python, where JAX would take 32 bits of an array."""
    module = tf.Module()
    module.named = tf.function(
        lambda x: (x + 1, tf.strings.as_string(x + 1)), input_signature=[tf.TensorSpec([None], tf.int64)]
    )
    tf.saved_model.save(module, tmp_path)
    for given in (np.array([1, 1 << 40]), tf.constant([1, 1 << 40], tf.int64)):
        number, text = tf.saved_model.load(tmp_path).named(given)
        assert number.dtype == np.int64
        assert number.tolist() == [2, (1 << 40) + 1]
        assert text.tolist() == [b"2", b"1099511627777"]


def test_calls_before_the_program_may_be_written_behind_calls_after_it(tmp_path: Path) -> None:
    module = tf.Module()

    @tf.function(input_signature=[tf.TensorSpec([None], tf.string), tf.TensorSpec([None], tf.float32)])
    def mixed(words: Any, numbers: Any) -> Any:
        shown = tf.strings.as_string(tf.cast(numbers * 2, tf.int32))
        lengths = tf.strings.length(words)
        return tf.strings.join([shown, words]), lengths * tf.cast(numbers, tf.int32), tf.strings.upper(words)

    module.mixed = mixed
    tf.saved_model.save(module, tmp_path / "model")
    loaded = tf.saved_model.load(tmp_path / "model")
    for function in (loaded.mixed, tf.function(loaded.mixed)):
        joined, products, upper = function(tf.constant(["a", "bcd"]), tf.constant([3.0, 4.0]))
        assert joined.numpy().tolist() == [b"6a", b"8bcd"]
        assert products.numpy().tolist() == [3, 12]
        assert upper.numpy().tolist() == [b"A", b"BCD"]


@pytest.mark.parametrize(
    "array", [np.array(["é", "b"]), np.array(["é", "b"], object), np.array([b"c", b"d"])], ids=repr
)
def test_arrays_of_texts_of_each_kind_are_arguments(array: np.ndarray, tmp_path: Path) -> None:
    module = tf.Module()
    joined = tf.function(lambda s: tf.strings.join([s, array]), input_signature=[tf.TensorSpec([2], tf.string)])
    module.joined = joined
    tf.saved_model.save(module, tmp_path / "model")
    words = tf.constant(["x", "y"])
    found = tf.saved_model.load(tmp_path / "model").joined(words)
    assert found.numpy().tolist() == joined(words).numpy().tolist()
