"""Sharding among workers: what TensorFlow 2.15 was measured to give each of them, and that every example counts once."""

import json
import logging
from collections.abc import Callable, Iterable
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import stratagem as tf
from stratagem._base.errors import FailedPreconditionError, InvalidArgumentError, NotFoundError
from stratagem._base.job import Job
from stratagem._data import SHARD_HINT, AutoShardPolicy, Dataset
from stratagem._data.files import TextLineDataset
from tests.data.workers import distributed, on_all_workers, pieces, steps_by_worker, with_policy

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

AUTO, FILE, DATA, OFF, HINT = (AutoShardPolicy[name] for name in ("AUTO", "FILE", "DATA", "OFF", "HINT"))

# Policy, rows, batch size, drop_remainder, what each of two workers with one replica got, step by step.
MEASURED = [
    (policy, *case)
    for policy in (AUTO, DATA)
    for case in [
        (12, 4, False, [[0, 1], [4, 5], [8, 9]], [[2, 3], [6, 7], [10, 11]]),
        (14, 8, False, [[0, 1, 2, 3], [8, 9, 10]], [[4, 5, 6, 7], [11, 12, 13]]),
        (5, 4, False, [[0, 1], [4]], [[2, 3], []]),
        (6, 3, False, [[0, 1], [3, 4]], [[2], [5]]),
        (10, 4, True, [[0, 1], [4, 5]], [[2, 3], [6, 7]]),
    ]
] + [
    (OFF, 12, 4, False, *([[[0, 1], [2, 3], [4, 5], [6, 7], [8, 9], [10, 11]]] * 2)),
    (OFF, 6, 3, False, [[0, 1], [2], [3, 4], [5]], [[0], [1, 2], [3], [4, 5]]),
]


@pytest.mark.parametrize(("policy", "rows", "batch", "drop", "first", "second"), MEASURED)
def test_two_workers_get_what_tensorflow_gives_them(
    policy: AutoShardPolicy, rows: int, batch: int, drop: bool, first: Any, second: Any
) -> None:
    found = steps_by_worker(lambda: with_policy(Dataset.range(rows).batch(batch, drop), policy), workers=2)
    assert found == [[[piece] for piece in first], [[piece] for piece in second]]


def test_with_sharding_off_the_pieces_of_all_replicas_go_round() -> None:
    found = steps_by_worker(lambda: with_policy(Dataset.range(14).batch(7), OFF), workers=2, local=2)
    assert found == [
        [[[0, 1], [2, 3]], [[4, 5], [6]], [[7, 8], [9, 10]], [[11, 12], [13]]],
        [[[0, 1], [2]], [[3, 4], [5, 6]], [[7, 8], [9]], [[10, 11], [12, 13]]],
    ]


def test_a_hint_becomes_the_workers_shard() -> None:
    def make() -> Dataset:
        return with_policy(Dataset.range(12).shard(SHARD_HINT, SHARD_HINT).batch(4), HINT)

    assert steps_by_worker(make, workers=2) == [
        [[[0, 2]], [[4, 6]], [[8, 10]]],
        [[[1, 3]], [[5, 7]], [[9, 11]]],
    ]


@pytest.fixture
def three_files(tmp_path: Path) -> list[str]:
    """Three text files of four lines."""
    for i in range(3):
        (tmp_path / f"f{i}").write_text("".join(f"f{i}l{j}\n" for j in range(4)))
    return [str(tmp_path / f"f{i}") for i in range(3)]


def lines(*places: str) -> list[bytes]:
    return [f"f{file}l{line}".encode() for file, line in places]


PAIRS = {
    name: [lines((file, "0"), (file, "1")), lines((file, "2"), (file, "3"))]
    for name, file in zip("ABC", "012", strict=True)
}


def named(names: Iterable[str], path: str) -> Dataset:
    """The plans that read the same files: how a program writes it down does not matter."""
    files = list(names)
    return {
        "names": lambda: TextLineDataset(files),
        "dataset of names": lambda: TextLineDataset(Dataset.from_tensor_slices(files)),
        "list_files": lambda: TextLineDataset(Dataset.list_files(files, shuffle=False)),
        "flat_map": lambda: Dataset.from_tensor_slices(files).flat_map(TextLineDataset),
        "interleave": lambda: Dataset.list_files(files, shuffle=False).interleave(TextLineDataset, cycle_length=1),
    }[path]()


@pytest.mark.parametrize("path", ["names", "dataset of names", "list_files", "flat_map", "interleave"])
@pytest.mark.parametrize("policy", [AUTO, FILE])
def test_workers_read_files_of_their_own_until_all_are_read(
    policy: AutoShardPolicy, path: str, three_files: list[str]
) -> None:
    first, second = steps_by_worker(lambda: with_policy(named(three_files, path).batch(4), policy), workers=2)
    assert first == [[piece] for piece in PAIRS["A"] + PAIRS["C"]]
    assert second == [[piece] for piece in PAIRS["B"]] + [[[]], [[]]]  # takes part, without rows


def test_sharding_data_of_files_gives_every_worker_a_part_of_every_batch(three_files: list[str]) -> None:
    found = steps_by_worker(lambda: with_policy(TextLineDataset(three_files).batch(4), DATA), workers=2)
    assert found == [[[PAIRS[f][half]] for f in "ABC"] for half in (0, 1)]


def test_fewer_files_than_workers_are_an_error_that_says_what_to_set(three_files: list[str]) -> None:
    dataset = TextLineDataset(three_files).batch(4)
    with pytest.raises(
        InvalidArgumentError, match=r"only has 3 file\(s\).*required 4 shards/workers.*DATA or OFF"
    ) as raised:
        steps_by_worker(lambda: dataset, workers=4)
    assert f"The files: {', '.join(map(repr, three_files))}." in str(raised.value)
    assert "auto_shard_policy = tf.data.experimental.AutoShardPolicy.DATA\n" in str(raised.value)
    assert "With OFF every worker reads all rows." in str(raised.value)


def test_what_reads_files_only_in_part_is_sharded_by_data(three_files: list[str]) -> None:
    def make() -> Dataset:
        return Dataset.zip((TextLineDataset(three_files), Dataset.range(100))).batch(4)

    by_worker = steps_by_worker(make, workers=2)
    seen = [(line, number) for steps in by_worker for ((ls, ns),) in steps for line, number in zip(ls, ns, strict=True)]
    assert sorted(number for _, number in seen) == list(range(12))
    assert len({line for line, _ in seen}) == 12  # TensorFlow shards the files and then the batches: half is lost


def test_shuffled_files_are_divided_before_they_are_shuffled(three_files: list[str]) -> None:
    def make() -> Dataset:
        names = Dataset.list_files(three_files, shuffle=False)
        return TextLineDataset(names.shuffle(3)).batch(4)  # unseeded: another order on every worker

    by_worker = steps_by_worker(make, workers=2)
    assert sorted(line for steps in by_worker for (piece,) in steps for line in piece) == sorted(
        line for pair in PAIRS.values() for half in pair for line in half
    )


@pytest.mark.parametrize("policy", [AUTO, DATA, OFF])
def test_a_hint_needs_its_policy(policy: AutoShardPolicy) -> None:
    dataset = with_policy(Dataset.range(4).shard(SHARD_HINT, SHARD_HINT).batch(2), policy)
    with pytest.raises(FailedPreconditionError, match=r"SHARD_HINT.*AutoShardPolicy.HINT"):
        steps_by_worker(lambda: dataset, workers=1)


def test_sharding_by_files_needs_sources_that_read_files() -> None:
    dataset = with_policy(Dataset.zip((Dataset.range(4), Dataset.range(4))).batch(2), FILE)
    with pytest.raises(NotFoundError, match=r"unshardable source dataset.*Rows does not.*DATA or AUTO"):
        steps_by_worker(lambda: dataset, workers=2)


def test_all_workers_need_equally_many_replicas() -> None:
    with pytest.raises(ValueError, match=r"num_replicas_in_sync` \(3\) that cannot be divided by `num_workers` \(2\)"):
        on_all_workers(2, lambda job: distributed(Dataset.range(4).batch(2), job, replicas=3))


LAYOUTS = st.tuples(st.integers(1, 4), st.integers(1, 3))
PIPELINES: dict[str, Callable[[int, int], Dataset]] = {
    "memory": lambda rows, batch: Dataset.range(rows).shuffle(7, seed=1).batch(batch),
    "made": lambda rows, batch: Dataset.range(rows).shuffle(7, seed=1).batch(batch).filter(lambda x: True),
}


@given(rows=st.integers(0, 40), batch=st.integers(1, 9), layout=LAYOUTS, pipeline=st.sampled_from(sorted(PIPELINES)))
def test_shards_of_data_are_disjoint_cover_everything_and_lie_as_on_one_worker(
    rows: int, batch: int, layout: tuple[int, int], pipeline: str
) -> None:
    workers, local = layout

    def make() -> Dataset:
        return PIPELINES[pipeline](rows, batch)

    (alone,) = steps_by_worker(make, 1, workers * local)
    divided = steps_by_worker(make, workers, local)
    assert [list(chain(*step)) for step in zip(*divided, strict=True)] == alone
    seen = [row for step in alone for piece in step for row in piece]
    assert sorted(seen) == list(range(rows))


@given(rows=st.integers(0, 40), batch=st.integers(1, 9), layout=LAYOUTS)
def test_hinted_shards_are_disjoint_and_cover_everything(rows: int, batch: int, layout: tuple[int, int]) -> None:
    workers, local = layout
    make = lambda: with_policy(Dataset.range(rows).shard(SHARD_HINT, SHARD_HINT).batch(batch), HINT)  # noqa: E731
    by_worker = steps_by_worker(make, workers, local)
    rows_of = [[row for step in steps for piece in step for row in piece] for steps in by_worker]
    assert sorted(chain(*rows_of)) == list(range(rows))
    assert max(map(len, rows_of)) - min(map(len, rows_of)) <= 1
    assert len({len(steps) for steps in by_worker}) == 1  # all make the same number of steps


def resumed(make: Callable[[], Dataset], before: tuple[int, int], steps: int, after: tuple[int, int]) -> list[int]:
    """Rows seen by a job of `before` workers and replicas a worker in `steps` steps, and then by one of `after`."""
    seen: list[int] = []

    def start(job: Job) -> str:
        iterator = iter(distributed(make(), job, before[1]))
        seen.extend(row for _, step in zip(range(steps), iterator, strict=False) for p in pieces(step) for row in p)
        return json.dumps(iterator.get_state())

    (state,) = set(on_all_workers(before[0], start))

    def go_on(job: Job) -> None:
        iterator = iter(distributed(make(), job, after[1]))
        iterator.set_state(json.loads(state))
        seen.extend(row for step in iterator for piece in pieces(step) for row in piece)

    on_all_workers(after[0], go_on)
    return seen


@pytest.fixture(scope="module")
def numbered_files(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Files of different lengths, whose lines count from 0 to 22 through all of them."""
    numbers = iter(range(23))
    folder = tmp_path_factory.mktemp("numbered")
    for file, length in enumerate([3, 0, 11, 1, 8]):
        (folder / str(file)).write_text("".join(f"{next(numbers)}\n" for _ in range(length)))
    return [str(folder / str(file)) for file in range(5)]


@given(
    policy=st.sampled_from([FILE, DATA, HINT]),
    batch=st.integers(1, 9),
    before=LAYOUTS,
    after=LAYOUTS,
    steps=st.integers(0, 8),
)
def test_another_number_of_workers_and_replicas_goes_on_with_the_very_next_examples(
    policy: AutoShardPolicy,
    batch: int,
    before: tuple[int, int],
    after: tuple[int, int],
    steps: int,
    numbered_files: list[str],
) -> None:
    def make() -> Dataset:
        if policy is FILE:
            rows = TextLineDataset(numbered_files, num_parallel_reads=2).map(tf.strings.to_number)
        else:
            rows = Dataset.range(23).shuffle(7, seed=1)
        rows = rows.shard(SHARD_HINT, SHARD_HINT) if policy is HINT else rows
        return with_policy(rows.batch(batch), policy)

    assert sorted(resumed(make, before, steps, after)) == list(range(23))


def test_what_a_worker_caches_serves_its_later_epochs(three_files: list[str]) -> None:
    read: list[Any] = []

    def note(line: Any) -> Any:
        read.append(line)
        return line

    dataset = TextLineDataset(three_files).map(lambda line: tf.py_function(note, [line], tf.string)).cache().batch(4)
    ((first, second),) = on_all_workers(1, lambda job: [list(data) for data in [distributed(dataset, job, 2)] * 2])
    assert len(first) == len(second) == 3
    assert len(read) == 12


def test_a_position_of_several_workers_has_to_be_joined_from_all_of_them() -> None:
    def make() -> Dataset:
        return with_policy(Dataset.range(8).shard(SHARD_HINT, SHARD_HINT).batch(4), HINT)

    state, _ = on_all_workers(2, lambda job: iter(distributed(make(), job)).get_state())
    del state["parent"]["parents"][0]["streams"]["1"]  # as if worker 0 had saved its own one
    with pytest.raises(InvalidArgumentError, match=r"2 workers.*worker 0 of 1.*\[1\] are not in it.*Join"):
        on_all_workers(1, lambda job: iter(distributed(make(), job, 2)).set_state(state))


def test_a_position_of_another_policy_is_refused() -> None:
    make = lambda policy: with_policy(Dataset.range(8).batch(4), policy)  # noqa: E731
    (state,) = on_all_workers(1, lambda job: iter(distributed(make(DATA), job, 2)).get_state())
    with pytest.raises(InvalidArgumentError, match=r"sharded by OFF.*of another policy"):
        on_all_workers(1, lambda job: iter(distributed(make(OFF), job, 2)).set_state(state))


def told(caplog: pytest.LogCaptureFixture, dataset: Dataset, workers: int, local: int) -> list[tuple[str, str]]:
    caplog.clear()
    with caplog.at_level(logging.INFO):
        on_all_workers(workers, lambda job: iter(distributed(dataset, job, local)))
    return list(dict.fromkeys((record.levelname, record.message) for record in caplog.records))  # every worker's


def test_the_log_tells_policy_reason_and_the_examples_of_every_worker(caplog: pytest.LogCaptureFixture) -> None:
    dataset = Dataset.range(100).shuffle(100).batch(32)
    assert told(caplog, dataset, 2, 4) == [
        (
            "INFO",
            "input: sharded by DATA (AUTO: not every source reads files) over 2 workers, 8 replicas: "
            "examples of an epoch by worker: 52, 48",
        )
    ]
    assert "of a global batch by worker: 16, 16" in told(caplog, dataset.repeat(), 2, 4)[0][1]
    assert "by worker: 48, 48" in told(caplog, Dataset.range(100).batch(32, True), 2, 4)[0][1]
    assert "known at the end" in told(caplog, Dataset.range(9).filter(lambda x: x > 1).batch(2), 2, 1)[0][1]
    mapped = Dataset.from_tensor_slices(np.zeros(10)).batch(4).map(lambda x: x).prefetch(1)
    assert "by worker: 5, 5" in told(caplog, mapped, 2, 1)[0][1]
    assert told(caplog, mapped, 1, 2) == []  # a worker alone has all


def test_an_empty_shard_is_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    (_, (level, warning)) = told(caplog, Dataset.range(100).batch(3), 4, 1)
    assert level == "WARNING"
    assert "replica 3 of 4 gets no example: 100 examples in batches of 3" in warning
    (_, (level, warning)) = told(caplog, with_policy(Dataset.range(8).batch(4), HINT), 2, 1)
    assert level == "WARNING"
    assert "every worker gets all of it" in warning
