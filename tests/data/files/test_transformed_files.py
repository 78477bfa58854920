"""A dataset of files has every transformation, with the results that a dataset of the same elements has."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf

ROWS = 12


def written(folder: Path) -> dict[str, Any]:
    """A dataset for each class that reads files."""
    (folder / "lines").write_text("".join(f"{i},{i % 3}\n" for i in range(ROWS)))
    (folder / "bytes").write_bytes(bytes(range(2 * ROWS)))
    with tf.io.TFRecordWriter(str(folder / "records")) as writer:
        for i in range(ROWS):
            writer.write(b"%d" % i)
    return {
        "TextLineDataset": tf.data.TextLineDataset(str(folder / "lines")),
        "TFRecordDataset": tf.data.TFRecordDataset(str(folder / "records")),
        "CsvDataset": tf.data.experimental.CsvDataset(str(folder / "lines"), [tf.int32, tf.int32]),
        "FixedLengthRecordDataset": tf.data.FixedLengthRecordDataset(str(folder / "bytes"), 2),
    }


def parity(*element: Any) -> Any:
    first = element[0]
    return tf.cast((tf.strings.length(first) if first.dtype == tf.string else first) % 2, tf.int64)


TRANSFORMATIONS: dict[str, Callable[[Any], Any]] = {
    "window": lambda d: d.window(4, 2).flat_map(lambda *parts: parts[0].batch(4)),
    "group_by_window": lambda d: d.group_by_window(parity, lambda key, part: part.batch(3), window_size=3),
    "bucket_by_sequence_length": lambda d: d.bucket_by_sequence_length(lambda *e: 1, [3], [2, 2], no_padding=True),
    "interleave": lambda d: d.interleave(lambda *e: tf.data.Dataset.from_tensors(e), cycle_length=2),
    "shard": lambda d: d.shard(2, 1),
    "unbatch": lambda d: d.batch(5).unbatch(),
    "rebatch": lambda d: d.batch(5).rebatch(3),
    "ragged_batch": lambda d: d.ragged_batch(3),
    "padded_batch": lambda d: d.padded_batch(5),
    "cache": lambda d: d.cache().repeat(2),
    "concatenate": lambda d: d.concatenate(d.take(2)),
    "zip": lambda d: tf.data.Dataset.zip(d, d.skip(1)),
    "sample": lambda d: tf.data.Dataset.sample_from_datasets([d, d], seed=1),
    "choose": lambda d: tf.data.Dataset.choose_from_datasets([d, d], tf.data.Dataset.range(2).repeat(3)),
    "scan": lambda d: d.scan(np.int64(0), lambda count, *e: (count + 1, (count, e[0]))),
    "take_while": lambda d: d.enumerate().take_while(lambda i, e: i < 5),
    "rejection_resample": lambda d: d.rejection_resample(lambda *e: 0, [1.0], seed=1),
}


@pytest.mark.parametrize("name", TRANSFORMATIONS)
def test_a_transformed_dataset_of_files_is_that_of_its_elements(name: str, tmp_path: Path) -> None:
    for source, dataset in written(tmp_path).items():
        rows = list(dataset.as_numpy_iterator())
        assert len(rows) == ROWS
        columns = (
            tuple(map(np.array, zip(*rows, strict=True))) if isinstance(rows[0], tuple) else np.array(rows, object)
        )
        same = tf.data.Dataset.from_tensor_slices(columns)
        found, wanted = (list(TRANSFORMATIONS[name](d).as_numpy_iterator()) for d in (dataset, same))
        assert jax.tree.structure(found) == jax.tree.structure(wanted), source
        for one, other in zip(jax.tree.leaves(found), jax.tree.leaves(wanted), strict=True):
            np.testing.assert_array_equal(one, other, err_msg=source)
    snapshot = TRANSFORMATIONS[name](dataset.snapshot(str(tmp_path / "snapshot")))
    assert len(list(snapshot.as_numpy_iterator())) == len(found)
