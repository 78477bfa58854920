"""The datasets of files are classes, as programs that ask `isinstance` expect; what is made from them is a plain Dataset."""

import sqlite3
from pathlib import Path

import numpy as np
import pytest

import stratagem as tf


@pytest.fixture
def lines(tmp_path: Path) -> str:
    path = tmp_path / "lines.txt"
    path.write_text("1,2\n3,4\n")
    return str(path)


def datasets(folder: Path, lines: str) -> dict[type, tf.data.Dataset]:
    """One dataset of every class that TensorFlow has beside Dataset."""
    with tf.io.TFRecordWriter(str(folder / "records")) as writer:
        writer.write(b"record")
    connection = sqlite3.connect(folder / "table.db")
    connection.execute("create table t as select 7 as n")
    connection.commit()
    connection.close()
    experimental = tf.data.experimental
    return {
        tf.data.TFRecordDataset: tf.data.TFRecordDataset(str(folder / "records")),
        tf.data.TextLineDataset: tf.data.TextLineDataset(lines),
        tf.data.FixedLengthRecordDataset: tf.data.FixedLengthRecordDataset(lines, 4),
        experimental.CsvDataset: experimental.CsvDataset(lines, [tf.int32, tf.int32]),
        experimental.SqlDataset: experimental.SqlDataset(
            "sqlite", str(folder / "table.db"), "select n from t", (tf.int32,)
        ),
        experimental.RandomDataset: experimental.RandomDataset(seed=1).take(1),
    }


def test_every_source_of_files_is_a_class_of_datasets(tmp_path: Path, lines: str) -> None:
    made = datasets(tmp_path, lines)
    for kind, dataset in made.items():
        assert issubclass(kind, tf.data.Dataset)
        assert isinstance(dataset, tf.compat.v1.data.Dataset)
        assert not isinstance(tf.data.Dataset.range(3), kind)
        assert len(list(dataset)) >= 1
        if kind is not tf.data.experimental.RandomDataset:  # `take` has made a plain one
            assert isinstance(dataset, kind)
    assert isinstance(tf.data.experimental.RandomDataset(seed=1), tf.data.experimental.RandomDataset)


def test_what_is_made_from_a_dataset_of_files_is_a_plain_one(lines: str) -> None:
    dataset = tf.data.TextLineDataset(lines)
    for made in (
        dataset.batch(2),
        dataset.map(lambda line: line),
        dataset.with_options(tf.data.Options()),
        dataset.take(1),
    ):
        assert type(made) is tf.data.Dataset
    assert type(tf.data.TextLineDataset.from_tensor_slices([1, 2])) is tf.data.Dataset
    assert list(tf.data.TextLineDataset.range(2).as_numpy_iterator()) == [0, 1]


def test_a_class_of_datasets_is_a_function_for_interleave(lines: str) -> None:
    names = tf.data.Dataset.from_tensor_slices([lines, lines])
    read = list(names.interleave(tf.data.TextLineDataset, cycle_length=2).as_numpy_iterator())
    assert read == [b"1,2", b"1,2", b"3,4", b"3,4"]
    assert list(names.flat_map(tf.compat.v1.data.TextLineDataset).as_numpy_iterator())[:2] == [b"1,2", b"3,4"]


FUNCTIONS_OF_STRINGS = (
    *(tf.io.encode_base64, tf.io.decode_base64, tf.io.decode_compressed, tf.io.decode_json_example),
    lambda given: tf.io.decode_raw(given, tf.int32),
    lambda given: tf.io.parse_tensor(given, tf.int32),
    lambda given: tf.io.decode_csv(given, [[1]]),
    *(tf.strings.lower, tf.strings.upper, tf.strings.strip, tf.strings.length, tf.strings.to_number),
)


@pytest.mark.parametrize("function", FUNCTIONS_OF_STRINGS)
def test_functions_of_strings_refuse_numbers_and_none_as_tensorflow_does(function: object) -> None:
    assert callable(function)
    for given in (3, [1.5], np.float32([2])):
        with pytest.raises(TypeError):
            function(given)
    with pytest.raises(ValueError, match="None"):
        function(None)


@pytest.mark.parametrize("parse", [tf.io.parse_single_example, tf.io.parse_example])
def test_examples_that_are_no_strings_are_value_errors_as_in_tensorflow(parse: object) -> None:
    assert callable(parse)
    for given in (3, [1.5], None):
        with pytest.raises(ValueError, match=r"takes (strings|a tensor)"):
            parse(given, {"a": tf.io.FixedLenFeature([], tf.int64)})
