"""Datasets of several workers, compared step by step."""

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from stratagem._base.errors import ClusterError
from stratagem._base.job import Job
from stratagem._data import AutoShardPolicy, Dataset
from stratagem._data.files import TextLineDataset
from tests.data.workers import distributed, on_all_workers, with_policy

X = np.arange(24.0)


def told(*made: Dataset, policy: AutoShardPolicy = AutoShardPolicy.AUTO) -> str:
    """The error of all workers, or nothing."""

    def work(job: Job) -> str:
        try:
            iter(distributed(with_policy(made[job.worker], policy), job))
        except ClusterError as error:
            return str(error)
        return ""

    (found,) = set(on_all_workers(len(made), work))
    return found


MADE: dict[str, Callable[[], Dataset]] = {
    "in memory": lambda: Dataset.from_tensor_slices(X).shuffle(8, seed=1).repeat(2).batch(4),
    "mapped": lambda: (
        Dataset.range(9).map(lambda v: v + 1).filter(lambda v: v > 2).shuffle(4, seed=1).batch(2).prefetch(2)
    ),
    "interleaved": lambda: Dataset.range(4).interleave(lambda i: Dataset.range(i), cycle_length=2).batch(2),
    "windows": lambda: Dataset.range(9).window(2).flat_map(lambda w: w).batch(2, drop_remainder=True),
    "sampled": lambda: Dataset.sample_from_datasets([Dataset.range(3), Dataset.range(4)], [0.5, 0.5], seed=1).batch(2),
    "cached": lambda: Dataset.range(9).cache().enumerate().padded_batch(3),
    "grouped": lambda: (
        Dataset.range(9).group_by_window(lambda v: v % 2, lambda k, w: w.batch(2), window_size=4).rebatch(3)
    ),
}


@pytest.mark.parametrize("name", MADE)
def test_the_same_program_makes_the_same_steps(name: str, caplog: pytest.LogCaptureFixture) -> None:
    assert told(MADE[name](), MADE[name](), MADE[name]()) == ""
    assert "differ" not in caplog.text


@pytest.mark.sampled
@pytest.mark.parametrize("first", MADE)
@pytest.mark.parametrize("second", MADE)
def test_other_programs_make_other_ones(first: str, second: str) -> None:
    found = told(MADE[first](), MADE[first](), MADE[second]())
    assert ("The workers' datasets differ: worker:0 has " in found) is (first != second)
    assert ("worker:2 has " in found) is (first != second)


def test_other_lengths_are_told_as_such() -> None:
    found = told(Dataset.from_tensor_slices(X).batch(4), Dataset.from_tensor_slices(X[:5]).batch(4))
    assert found.startswith("The workers' datasets have different lengths: worker:0 has 6 batches (24 examples); ")


def test_workers_with_data_of_their_own_may_differ() -> None:
    assert told(MADE["cached"](), MADE["windows"](), policy=AutoShardPolicy.OFF) == ""


@pytest.mark.parametrize("seeds", [(1, 2), (3, 3)])
def test_files_have_to_be_in_one_order(tmp_path: Path, seeds: tuple[int, int]) -> None:
    for i in range(4):
        (tmp_path / f"{i}.txt").write_text("a\nb\n")
    made = [
        Dataset.list_files(str(tmp_path / "*.txt"), seed=seed).interleave(TextLineDataset).batch(2) for seed in seeds
    ]
    expected = "The orders of the workers' files differ: worker:1 shuffles with the seeds [" if seeds == (1, 2) else ""
    assert told(*made).startswith(expected)
    assert bool(told(*made)) is bool(expected)


def test_examples_of_files_may_be_in_any_order(tmp_path: Path) -> None:
    names = []
    for i in range(4):
        (tmp_path / f"{i}.txt").write_text("a\nb\n")
        names.append(str(tmp_path / f"{i}.txt"))
    made = [TextLineDataset(names).shuffle(4, seed=seed).batch(2) for seed in (1, 2)]
    assert told(*made) == ""
