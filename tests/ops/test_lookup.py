"""Look-up tables in compiled functions, in replicas, in checkpoints, and what they refuse."""

import json
import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf

# The errors of this library that TensorFlow has no names for.
from stratagem._base.errors import CheckpointError, TracedDecisionError
from tests.ops.table_programs import PROGRAMS, results

lookup = tf.lookup
ANSWERS = json.loads(Path(__file__).with_name("tensorflow_tables.json").read_text())
BIG = 2**53 + 1


def numbers() -> Any:
    keys = tf.constant([5, BIG, -3], tf.int64)
    return lookup.StaticHashTable(lookup.KeyValueTensorInitializer(keys, tf.constant([1, 2, 3], tf.int64)), -1)


def test_numbers_are_looked_up_in_one_program(caplog: pytest.LogCaptureFixture) -> None:
    table, words = numbers(), lookup.KeyValueTensorInitializer([7, 8], [0, 1], "int64", "int64")
    vocabulary = lookup.StaticVocabularyTable(words, 3)

    @tf.function
    def both(keys: Any) -> Any:
        return table[keys], vocabulary.lookup(keys)

    keys = tf.constant([[BIG, BIG - 1], [5, 7]], tf.int64)
    with caplog.at_level(logging.INFO, "stratagem"):
        found = both(keys)
    assert "runs in Python" not in caplog.text
    assert [x.numpy().tolist() for x in found] == [x.numpy().tolist() for x in both.python_function(keys)]
    assert found[0].numpy().tolist() == [[2, -1], [1, -1]]
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    assert [int(v[0, 0]) for v in strategy.run(both, (keys,))[0].values] == [2, 2]


@pytest.mark.sampled
@pytest.mark.parametrize("name", PROGRAMS)
def test_a_compiled_function_uses_tables_that_change_as_tensorflow(name: str, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO, "stratagem"):
        found = results(PROGRAMS[name], tf)
    assert "runs in Python" not in caplog.text
    assert len(found) == len(ANSWERS[name])
    for mine, wanted in zip(found, ANSWERS[name], strict=True):
        if isinstance(wanted, str):
            assert mine == wanted
        else:
            dtype, shape, numbers = wanted
            assert str(mine.dtype) == dtype
            np.testing.assert_array_equal(mine, np.array(numbers, dtype).reshape(shape), strict=True)


def test_a_table_that_changes_is_used_in_python_where_no_program_can_and_not_in_a_replica() -> None:
    words = lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    numbers = lookup.experimental.MutableHashTable(tf.int64, tf.int64, 0)
    one, word = tf.constant([1], tf.int64), tf.constant(["a"])

    def with_strings(word: Any) -> Any:
        words.insert(word, words.lookup(word) + 1)
        return words.lookup(word)[0]

    def in_a_branch(word: Any) -> Any:
        return tf.cond(numbers.size() > 0, lambda: numbers.lookup(one), lambda: one + 6)[0]

    def all_keys(word: Any) -> Any:
        return tf.reduce_sum(numbers.export()[0])

    numbers.insert(one, tf.constant([5], tf.int64))
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    for use, wanted in ((with_strings, 1), (in_a_branch, 5), (all_keys, 1)):
        assert int(tf.function(use)(word)) == wanted
        with pytest.raises(TracedDecisionError, match=r"Inside strategy\.run it (uses|exports) a table that changes"):
            strategy.run(use, (word,))
    assert words[word].numpy().tolist() == [1]


@pytest.mark.parametrize("kind", ["float64", "string"])
def test_a_checkpoint_has_a_table(kind: str, tmp_path: Path) -> None:
    def make(**options: Any) -> Any:
        return lookup.experimental.DenseHashTable(tf.string, kind, default, "empty", "deleted", **options)

    default = "none" if kind == "string" else tf.constant(0.1, tf.float64)
    table, left_out = make(), make(checkpoint=False)
    for each in (table, left_out):
        each.insert(["a", b"\xff"], ["x", b"\x00"] if kind == "string" else tf.constant([np.pi, np.nan], tf.float64))
    path = tf.train.Checkpoint(table=table, other=left_out).save(str(tmp_path / "ck"))
    restored, other = make(), make(checkpoint=False)
    restored.insert(["b"], default[None] if kind != "string" else ["y"])
    tf.train.Checkpoint(table=restored, other=other).restore(path)
    assert int(other.size()) == 0
    for found, wanted in zip(restored.export(), table.export(), strict=True):
        assert str(np.asarray(found).tolist()) == str(np.asarray(wanted).tolist())
    whole = lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    with pytest.raises(CheckpointError, match="has a table from object to"):
        tf.train.Checkpoint(table=whole).restore(path)


def test_exports_have_the_order_of_keys() -> None:
    table = lookup.StaticHashTable(lookup.KeyValueTensorInitializer(["b", "a", "b"], [1, 2, 1]), 0)
    keys, values = table.export()
    assert keys.numpy().tolist() == [b"b", b"a"]
    assert values.numpy().tolist() == [1, 2]
    assert table.name is None
    assert (table.key_dtype, table.value_dtype) == (tf.string, tf.int32)
    assert table.lookup(["a", "c"]).numpy().tolist() == [2, 0]  # lists are keys, too


def test_tables_of_tensorflow_1_need_no_initializer() -> None:
    v1 = tf.compat.v1
    table = v1.lookup.StaticHashTable(lookup.KeyValueTensorInitializer(["a"], [1]), 0)
    assert table.initializer is None
    assert v1.tables_initializer() is None
    assert isinstance(table, lookup.StaticHashTable)
    assert v1.lookup.StaticVocabularyTable(None, 5).initializer is None
    assert v1.lookup.TextFileIndex is lookup.TextFileIndex


@pytest.mark.parametrize(
    ("options", "text"),
    [
        (("f", "string", -1, "int64", -1), "number of a line is int64"),
        (("f", "string", -3, "int64", -1), "is a column from 0"),
        (("f", "float32", -2, "int64", -1), "a string or an integer"),
        (("", "string", -2, "int64", -1), "got an empty one"),
        (("f", "string", -2, "int64", -1, 0), "reads one line or more"),
    ],
)
def test_places_in_a_file_that_do_not_fit(options: Any, text: str) -> None:
    with pytest.raises(ValueError, match=text):
        lookup.TextFileInitializer(*options)


def test_dtypes_are_checked() -> None:
    table = numbers()
    with pytest.raises(TypeError, match="Keys of this table are int64, got int32"):
        table.lookup(tf.constant([5]))
    with pytest.raises(ValueError, match="a scalar, got shape"):
        lookup.StaticHashTable(lookup.KeyValueTensorInitializer([1], [2]), [0])
    for keys, values in ((["a"], ["b"]), ([1], tf.constant([2], tf.int64)), ([1.5], tf.constant([2], tf.int64))):
        with pytest.raises(TypeError, match="of a vocabulary are"):
            lookup.StaticVocabularyTable(lookup.KeyValueTensorInitializer(keys, values), 1)
    made = lookup.KeyValueTensorInitializer([1], [2], tf.int64, tf.int64)
    with pytest.raises(TypeError, match="cannot be looked up as string"):
        lookup.StaticVocabularyTable(made, 1, lookup_key_dtype=tf.string)
    table = lookup.experimental.MutableHashTable(tf.string, tf.int64, 0)
    with pytest.raises(tf.errors.InvalidArgumentError, match="have the shape"):
        table.lookup(["a", "b"], dynamic_default_values=tf.constant([1], tf.int64))
    assert table.lookup(["a", "b"], tf.constant([1, 2], tf.int64)).numpy().tolist() == [1, 2]


def test_ragged_and_sparse_keys_are_looked_up_in_their_places() -> None:
    words = lookup.KeyValueTensorInitializer(["a", "b"], tf.constant([0, 1], tf.int64))
    keys = tf.RaggedTensor.from_row_lengths(tf.constant(["a", "c", "b"]), [2, 0, 1])
    for table, missing in ((lookup.StaticHashTable(words, -1), -1), (lookup.StaticVocabularyTable(words, 1), 2)):
        found = table.lookup(keys)
        assert found.to_list() == [[0, missing], [], [1]]
        sparse = table[keys.to_sparse()]
        assert sparse.values.numpy().tolist() == [0, missing, 1]
        assert sparse.indices.numpy().tolist() == [[0, 0], [0, 1], [2, 0]]
    with pytest.raises(TypeError, match="Keys of this table are int64, got string"):
        numbers().lookup(keys)
