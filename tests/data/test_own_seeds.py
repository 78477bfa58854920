"""Datasets that every worker has for itself: their unseeded shuffles differ by worker, and those of shards do not."""

from collections.abc import Callable
from typing import Any

import jax
import pytest

from stratagem._base.job import Job
from stratagem._data import AutoShardPolicy, Dataset, DistributedDatasetFromFunction, InputContext, InputOptions

# Private: threads of one process agree on no seed, so that of a job is given to each.
from stratagem._data.stages._seeds import seeded_by
from tests.data.workers import WorkersMesh, distributed, on_all_workers, pieces, with_policy

ROWS = 48
Distribute = Callable[[Dataset, Job], Any]


def by_function(dataset: Dataset, job: Job) -> Any:
    """The dataset as the result of a worker's input function."""
    mesh = WorkersMesh(tuple(jax.devices()[:1]) * job.workers, job)
    context = InputContext(job.workers, job.worker, job.workers)
    options = InputOptions(experimental_per_replica_buffer_size=0)
    return DistributedDatasetFromFunction(lambda _: dataset, context, mesh, options)


def undivided(dataset: Dataset, job: Job) -> Any:
    """The dataset with policy OFF."""
    return distributed(with_policy(dataset, AutoShardPolicy.OFF), job)


def orders(make: Callable[[Job], Dataset], distribute: Distribute = by_function, epochs: int = 1) -> list[list[int]]:
    """The rows in the order in which each of two workers gets them."""

    def work(job: Job) -> list[int]:
        with seeded_by(1):  # what the workers agreed on
            data = make(job)
        made = distribute(data, job)
        return [row for _ in range(epochs) for step in made for piece in pieces(step) for row in piece]

    return on_all_workers(2, work)


MADE: dict[str, Callable[[Dataset], Dataset]] = {
    "rows": lambda data: data.shuffle(ROWS),
    "repeated": lambda data: data.shuffle(ROWS).repeat(1),
    "cached": lambda data: data.shuffle(ROWS).cache(),
    "elements": lambda data: data.filter(lambda v: v >= 0).shuffle(ROWS),
    "within": lambda data: data.batch(12).interleave(lambda v: Dataset.from_tensor_slices(v).shuffle(12)),
    "windows": lambda data: data.group_by_window(lambda v: v % 2, lambda k, w: w.shuffle(24), window_size=24),
    "sampled": lambda data: Dataset.sample_from_datasets([data.take(24), data.skip(24)], [0.5, 0.5]),
}


@pytest.mark.parametrize("name", MADE)
@pytest.mark.parametrize("distribute", [by_function, undivided])
def test_unseeded_orders_of_a_workers_own_dataset_differ_by_worker(name: str, distribute: Distribute) -> None:
    def make(_: Job) -> Dataset:
        data = MADE[name](Dataset.range(ROWS)).batch(4)
        list(data)  # what it caches is not what the workers get
        return data

    first, second = orders(make, distribute)
    assert sorted(first) == sorted(second) == list(range(ROWS))
    assert first != second
    assert orders(make, distribute) == [first, second]


def test_every_epoch_of_a_workers_own_dataset_has_an_order_of_its_own() -> None:
    both = orders(lambda _: Dataset.range(ROWS).shuffle(ROWS).batch(4), epochs=2)
    assert len({tuple(rows[at : at + ROWS]) for rows in both for at in (0, ROWS)}) == 4


def test_a_seed_of_the_program_is_the_same_on_all_workers() -> None:
    first, second = orders(lambda _: Dataset.range(ROWS).shuffle(ROWS, seed=3).batch(4))
    assert first == second == [int(v) for batch in Dataset.range(ROWS).shuffle(ROWS, seed=3).batch(4) for v in batch]


@pytest.mark.parametrize("memory", [True, False])
def test_shards_of_a_shuffled_dataset_stay_disjoint(memory: bool) -> None:
    """Even if each worker has the whole of the same dataset, too."""

    def make(job: Job) -> Dataset:
        rows = Dataset.range(ROWS) if memory else Dataset.range(ROWS).filter(lambda v: v >= 0)
        data = rows.shuffle(ROWS, reshuffle_each_iteration=False)
        list(by_function(data.batch(4), job))
        return data.shard(2, job.worker).batch(4)

    first, second = orders(make)
    assert sorted(first + second) == list(range(ROWS))


@pytest.mark.parametrize("divided", [True, False])
def test_every_worker_goes_on_at_its_own_position(divided: bool) -> None:
    def make(job: Job) -> Any:
        data = Dataset.range(ROWS).shuffle(ROWS).repeat(2)
        return iter(by_function((data.shard(2, job.worker) if divided else data).batch(4), job))

    def work(job: Job) -> tuple[list[Any], list[Any]]:
        with seeded_by(1):
            walk = make(job)
        for _ in range(3):
            next(walk)
        state = walk.get_state()
        rest = [pieces(step) for step in walk]
        with seeded_by(2):  # another process has agreed on another seed
            again = make(job)
        again.set_state(state)
        return rest, [pieces(step) for step in again]

    (first, first_again), (second, second_again) = on_all_workers(2, work)
    assert (first, second) == (first_again, second_again)
    assert first != second


def test_another_number_of_workers_goes_on_from_old_positions_with_a_warning(caplog: pytest.LogCaptureFixture) -> None:
    def work(job: Job) -> Any:
        with seeded_by(1):
            walk = iter(by_function(Dataset.range(ROWS).shuffle(ROWS).batch(4), job))
        next(walk)
        return walk.get_state(), pieces(next(walk))

    (state, _), (_, of_second) = on_all_workers(2, work)

    def go_on(job: Job) -> Any:
        walk = iter(by_function(Dataset.range(ROWS).shuffle(ROWS).batch(4), job))
        walk.set_state(state)
        return pieces(next(walk))

    assert on_all_workers(3, go_on)[1] == of_second
    assert "saved by 2 workers, and there are 3" in caplog.text
