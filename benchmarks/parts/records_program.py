"""TFRecord files of labelled images and the pipelines that read them; the same code for Stratagem and for TensorFlow."""

import time
from pathlib import Path
from typing import Any

import numpy as np
from parts.paired import Timer

BATCH = 64
FILES = 8
PIPELINES = ("read", "parse_single_example", "parse_example")
PIXELS, WEIGHTS = 784, 16
BYTES = 960  # of a record in a file, or a few fewer


def pattern(folder: str) -> str:
    """What matches the files that `write` makes."""
    return str(Path(folder, "part-*"))


def write(tf: Any, folder: str, megabytes: int) -> int:
    """Write the files; how many examples they hold, which are numbered from 0."""
    count = -(-megabytes * 1_000_000 // BYTES)
    random = np.random.default_rng(0)
    images, weights = random.bytes(1 << 20), random.normal(size=WEIGHTS)
    for part in range(FILES):
        with tf.io.TFRecordWriter(str(Path(folder, f"part-{part}"))) as writer:
            for number in range(part, count, FILES):
                writer.write(_example(tf, number, images, weights))
    return count


def _example(tf: Any, number: int, images: bytes, weights: np.ndarray) -> bytes:
    train, start = tf.train, number * 7919 % (len(images) - PIXELS)
    lists = {
        "number": train.Feature(int64_list=train.Int64List(value=[number])),
        "label": train.Feature(int64_list=train.Int64List(value=[number % 10])),
        "weights": train.Feature(float_list=train.FloatList(value=weights + number)),
        "image": train.Feature(bytes_list=train.BytesList(value=[images[start : start + PIXELS]])),
    }
    return train.Example(features=train.Features(feature=lists)).SerializeToString()


def numbers(tf: Any, folder: str, worker: int, workers: int) -> list[int]:
    """The examples that one of several input pipelines reads: each has its own files."""
    names = tf.data.Dataset.list_files(pattern(folder), shuffle=False).shard(workers, worker)
    records = tf.data.TFRecordDataset(names, num_parallel_reads=2)
    batches = records.batch(BATCH).map(lambda batch: tf.io.parse_example(batch, features(tf))["number"])
    return [number for batch in batches.as_numpy_iterator() for number in batch.tolist()]


def features(tf: Any) -> dict[str, Any]:
    """What parsing is told to expect."""
    return {
        "number": tf.io.FixedLenFeature([], tf.int64),
        "label": tf.io.FixedLenFeature([], tf.int64),
        "weights": tf.io.FixedLenFeature([WEIGHTS], tf.float32),
        "image": tf.io.FixedLenFeature([], tf.string),
    }


def timer(tf: Any, folder: str, name: str) -> Timer:
    """How long so many epochs take."""
    dataset = _dataset(tf, folder, name)

    def run(epochs: int) -> float:
        start = time.perf_counter()
        for _ in range(epochs):
            batches = sum(1 for _ in dataset)
            assert batches > 1
        return time.perf_counter() - start

    return run


def _dataset(tf: Any, folder: str, name: str) -> Any:
    records = tf.data.TFRecordDataset(tf.data.Dataset.list_files(pattern(folder), shuffle=False))
    wanted, parallel = features(tf), tf.data.AUTOTUNE
    if name == "parse_single_example":
        records = records.map(lambda record: tf.io.parse_single_example(record, wanted), num_parallel_calls=parallel)
    batches = records.batch(BATCH)
    if name == "parse_example":
        batches = batches.map(lambda batch: tf.io.parse_example(batch, wanted), num_parallel_calls=parallel)
    return batches.prefetch(parallel)
