"""Programs about rows of databases, and about serialized Examples in files."""

import sqlite3
from typing import Any

from .answers import Program, items

_ROWS = [("ann", 1, 1.5, None, 1, b"x\0y"), ("bob", 2**40, 2.25, 7, 0, b"z"), ("é", -3, -0.5, 8, 2, b"12ab")]


def _rows(tf: Any, folder: str, query: str, types: Any, driver: str = "sqlite") -> Any:
    """The rows of a query of a table with text, integers, reals, integers with a NULL, small integers and blobs."""
    path = f"{folder}/x.db"
    connection = sqlite3.connect(path)
    connection.execute("create table t (s text, i integer, f real, n integer, b integer, l blob)")
    connection.executemany("insert into t values (?, ?, ?, ?, ?, ?)", _ROWS)
    connection.commit()
    connection.close()
    return tf.data.experimental.SqlDataset(driver, path, query, types)


SQL: dict[str, Program] = {
    "rows": lambda tf, D, at: _rows(tf, at, "select s, i, f from t order by i", (tf.string, tf.int64, tf.float64)),
    "a dict": lambda tf, D, at: _rows(tf, at, "select s, b from t", {"a": tf.string, "b": tf.int32}),
    "one column": lambda tf, D, at: _rows(tf, at, "select s from t", tf.string),
    "small integers": lambda tf, D, at: _rows(
        tf, at, "select b, b, b, b from t", (tf.int8, tf.int16, tf.uint8, tf.uint16)
    ),
    "truth": lambda tf, D, at: _rows(tf, at, "select b, f from t", (tf.bool, tf.bool)),
    "too large": lambda tf, D, at: _rows(tf, at, "select i from t", (tf.int32,)),
    "reals as integers": lambda tf, D, at: _rows(tf, at, "select f from t", (tf.int64,)),
    "integers as reals": lambda tf, D, at: _rows(tf, at, "select b from t", (tf.float64,)),
    "integers as text": lambda tf, D, at: _rows(tf, at, "select i from t", (tf.string,)),
    "text as numbers": lambda tf, D, at: _rows(tf, at, "select s, '12ab', '1.5e1x' from t", (tf.int64, tf.int64, tf.float64)),
    "nothing": lambda tf, D, at: _rows(tf, at, "select n, n, n from t", (tf.int64, tf.string, tf.float64)),
    "blobs": lambda tf, D, at: _rows(tf, at, "select l from t", (tf.string,)),
    "no rows": lambda tf, D, at: _rows(tf, at, "select b from t where b > 9", (tf.int32,)),
    "repeated": lambda tf, D, at: _rows(tf, at, "select b from t", (tf.int32,)).repeat(2).batch(4),
    "too many columns": lambda tf, D, at: _rows(tf, at, "select s, i from t", (tf.string,)),
    "too few columns": lambda tf, D, at: _rows(tf, at, "select s from t", (tf.string, tf.int64)),
    "another driver": lambda tf, D, at: _rows(tf, at, "select s from t", (tf.string,), "mysql"),
    "a type that is none of SQLite's": lambda tf, D, at: _rows(tf, at, "select f from t", (tf.float32,)),
    "no query": lambda tf, D, at: _rows(tf, at, "selekt", (tf.string,)),
    "no table": lambda tf, D, at: _rows(tf, at, "select s from zz", (tf.string,)),
}  # fmt: skip


def _example(tf: Any, a: int, b: bytes) -> bytes:
    features = {
        "a": tf.train.Feature(int64_list=tf.train.Int64List(value=[a])),
        "b": tf.train.Feature(bytes_list=tf.train.BytesList(value=[b])),
    }
    found: bytes = tf.train.Example(features=tf.train.Features(feature=features)).SerializeToString(deterministic=True)
    return found


def _features(tf: Any) -> Any:
    return {"a": tf.io.FixedLenFeature([], tf.int64), "b": tf.io.FixedLenFeature([], tf.string)}


def _files(tf: Any, folder: str, **options: Any) -> Any:
    """The Examples of two files with three each, in batches of four."""
    for file in range(2):
        with tf.io.TFRecordWriter(f"{folder}/{file}.tfrecord") as writer:
            for i in range(3):
                writer.write(_example(tf, 10 * file + i, b"s%d" % i))
    options = {"num_epochs": 1, "shuffle": False, **options}
    return tf.data.experimental.make_batched_features_dataset(f"{folder}/*.tfrecord", 4, _features(tf), **options)


def _serialized(tf: Any, D: Any) -> Any:
    return D.from_tensor_slices([_example(tf, i, b"x") for i in range(3)])


def _parsed(tf: Any, dataset: Any, **options: Any) -> Any:
    features = {"a": tf.io.FixedLenFeature([], tf.int64)}
    return dataset.apply(tf.data.experimental.parse_example_dataset(features, **options))


def _written(tf: Any, dataset: Any, folder: str, compression: Any = None) -> Any:
    tf.data.experimental.TFRecordWriter(folder + "/x", compression).write(dataset)
    return items(tf.data.TFRecordDataset(folder + "/x", compression))


EXAMPLES: dict[str, Program] = {
    "of files": lambda tf, D, at: _files(tf, at),
    "with a label": lambda tf, D, at: _files(tf, at, label_key="a"),
    "with a label that is no feature": lambda tf, D, at: _files(tf, at, label_key="q"),
    "for ever": lambda tf, D, at: _files(tf, at, num_epochs=None),
    "in full batches": lambda tf, D, at: _files(tf, at, drop_final_batch=True),
    "of two files at once": lambda tf, D, at: _files(tf, at, reader_num_threads=2, parser_num_threads=2),
    "by a reader": lambda tf, D, at: _files(tf, at, reader=tf.data.TFRecordDataset, reader_args=["", None]),
    "in a random order": lambda tf, D, at: sorted(
        int(a) for batch in items(_files(tf, at, num_epochs=2, shuffle=True)) for a in batch["a"]
    ),
    "of no files": lambda tf, D, at: tf.data.experimental.make_batched_features_dataset(
        at + "/*", 4, _features(tf), num_epochs=1
    ),
    "in batches": lambda tf, D: _parsed(tf, _serialized(tf, D).batch(2)),
    "in full batches of a known size": lambda tf, D: _parsed(
        tf, _serialized(tf, D).batch(3, drop_remainder=True), num_parallel_calls=2, deterministic=True
    ),
    "one by one": lambda tf, D: _parsed(tf, _serialized(tf, D)),
    "of numbers": lambda tf, D: _parsed(tf, D.range(3).batch(2)),
    "without features": lambda tf, D: tf.data.experimental.parse_example_dataset(None),
    "written": lambda tf, D, at: _written(tf, D.from_tensor_slices(["a", "é"]), at),
    "written, compressed": lambda tf, D, at: _written(tf, D.from_tensor_slices(["a", "b"]), at, "GZIP"),
    "written: numbers": lambda tf, D, at: _written(tf, D.range(3), at),
    "written: batches": lambda tf, D, at: _written(tf, D.from_tensor_slices(["a", "b"]).batch(2), at),
    "written: a list": lambda tf, D, at: _written(tf, ["a"], at),
}  # fmt: skip
