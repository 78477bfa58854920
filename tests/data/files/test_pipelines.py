"""Whole pipelines over TFRecord files: several workers, several processes, and checkpoints in the middle of a file."""

import collections
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import stratagem as tf
from stratagem._data import AutoShardPolicy
from stratagem.data import Dataset, TFRecordDataset
from tests import prepared
from tests.data.files.test_records import write
from tests.data.workers import steps_by_worker, with_policy

COUNTS = [300, 0, 411, 250, 37]  # records of the files, which are numbered through


def numbered_examples(folder: Path, compression: str = "") -> list[str]:
    """Files of Examples that hold their number and bytes of many lengths."""
    t, number, files = tf.train, 0, []
    for i, count in enumerate(COUNTS):
        records = []
        for _ in range(count):
            lists = {
                "number": t.Feature(int64_list=t.Int64List(value=[number])),
                "body": t.Feature(bytes_list=t.BytesList(value=[bytes([number % 256]) * (number * 37 % 3000)])),
            }
            records.append(t.Example(features=t.Features(feature=lists)).SerializeToString())
            number += 1
        files.append(write(folder / f"part-{i}", records, compression))
    return files


FEATURES = {"number": tf.io.FixedLenFeature([], tf.int64), "body": tf.io.FixedLenFeature([], tf.string)}


def number_of(record: Any) -> Any:
    """The number of an Example, once its body is what it must be."""
    parsed = tf.io.parse_single_example(record, FEATURES)
    number = int(parsed["number"])
    assert parsed["body"].item() == bytes([number % 256]) * (number * 37 % 3000)
    return parsed["number"]


def by_names(files: list[str]) -> Dataset:
    return TFRecordDataset(Dataset.from_tensor_slices(files), num_parallel_reads=2)


def interleaved(files: list[str]) -> Dataset:
    return Dataset.from_tensor_slices(files).interleave(TFRecordDataset, cycle_length=3, block_length=2)


@pytest.mark.sampled
@pytest.mark.parametrize("make", [TFRecordDataset, by_names, interleaved])
@pytest.mark.parametrize("policy", [AutoShardPolicy.FILE, AutoShardPolicy.DATA])
def test_two_workers_see_every_record_once(
    tmp_path: Path, make: Callable[[list[str]], Dataset], policy: AutoShardPolicy
) -> None:
    files = numbered_examples(tmp_path)
    found = steps_by_worker(lambda: with_policy(make(files).map(number_of).batch(32), policy), workers=2, local=2)
    seen = collections.Counter(n for worker in found for step in worker for piece in step for n in piece)
    assert seen == collections.Counter(range(sum(COUNTS)))
    assert len(found[0]) == len(found[1])


@pytest.mark.thorough
def test_two_processes_read_a_half_each_of_what_this_one_wrote(tmp_path: Path) -> None:
    numbered_examples(tmp_path)
    program = f"""
import json, sys
import stratagem as tf
names = tf.data.Dataset.list_files({str(tmp_path / "part-*")!r}, shuffle=False).shard(2, int(sys.argv[1]))
feature = {{"number": tf.io.FixedLenFeature([], tf.int64)}}
batches = tf.data.TFRecordDataset(names, num_parallel_reads=2).batch(64)
numbers = batches.map(lambda b: tf.io.parse_example(b, feature)["number"]).unbatch()
print(json.dumps([int(n) for n in numbers.as_numpy_iterator()]))
"""
    halves = [json.loads(prepared.run(program, worker).stdout) for worker in range(2)]
    assert [len(half) for half in halves] == [300 + 411 + 37, 250]
    assert collections.Counter(halves[0] + halves[1]) == collections.Counter(range(sum(COUNTS)))


# Checkpoints in the middle of a file.

PLANS: dict[str, Callable[[list[str], str], Dataset]] = {
    "parsed": lambda files, c: TFRecordDataset(files, c, num_parallel_reads=2).map(number_of, num_parallel_calls=2),
    "shuffled": lambda files, c: (
        TFRecordDataset(Dataset.list_files(files, seed=3), c, num_parallel_reads=3)
        .map(number_of).shuffle(50, seed=1).batch(7).prefetch(2)
    ),
    "interleaved": lambda files, c: (
        Dataset.list_files(files, seed=3)
        .interleave(lambda f: TFRecordDataset(f, c), cycle_length=2, num_parallel_calls=2)
        .map(number_of).shuffle(20, seed=1).repeat(2).batch(50)
    ),
    "parsed in batches": lambda files, c: (
        TFRecordDataset(files, c)
        .batch(11).map(lambda b: tf.io.parse_example(b, FEATURES)["number"]).unbatch().shuffle(30, seed=2)
    ),
}  # fmt: skip


@pytest.mark.sampled
@pytest.mark.parametrize("compression", ["", "GZIP"])
@pytest.mark.parametrize("plan", PLANS)
def test_a_checkpoint_in_the_middle_of_a_file_goes_on_at_the_next_record(
    tmp_path: Path, plan: str, compression: str
) -> None:
    def numbers(iterator: Any, count: int) -> list[Any]:
        return [element.tolist() for _, element in zip(range(count), iterator, strict=False)]

    files = numbered_examples(tmp_path, compression)
    tf.random.set_seed(5)
    iterator = iter(PLANS[plan](files, compression))
    numbers(iterator, 9)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "checkpoint"))
    rest = numbers(iterator, 2000)
    assert len(rest) > 20
    restored = iter(PLANS[plan](files, compression))
    numbers(restored, 3)
    tf.train.Checkpoint(iterator=restored).restore(path).assert_consumed()
    assert numbers(restored, 2000) == rest
