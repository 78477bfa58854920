"""Datasets that every worker makes for itself."""

import collections
import sys
import threading
import weakref
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._servers.coordinator import PerWorkerValues

# Private: threads meet in the middle of a call; and workers whose numbers begin anywhere.
from stratagem._servers.coordinator._values import PerWorkerDataset, PerWorkerRegistry
from tests.servers.coordinator.functions import WORKERS, counter, draw, good
from tests.thorough import thorough_but


def test_every_worker_reads_all_of_a_data_set_and_its_end_is_an_error(coordinator: Any) -> None:
    iterator = iter(coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(3)))
    values = []

    def schedule() -> None:
        for _ in range(200):
            values.append(coordinator.schedule(draw, args=(iterator,)))
        coordinator.join()

    with pytest.raises(tf.errors.OutOfRangeError):
        schedule()
    found: collections.Counter[int] = collections.Counter()
    for value in values:
        try:
            found[int(value.fetch())] += 1
        except (tf.errors.OutOfRangeError, tf.errors.CancelledError):
            continue
    assert set(found) <= {0, 1, 2}
    assert max(found.values()) <= WORKERS
    assert found[0] >= 1
    coordinator.join()


# The guide's is a tf.function, too, and what makes a distributed dataset.
@pytest.mark.parametrize(
    "kind",
    thorough_but(
        ["function", "from function", "of the guide"],
        ["function", "tf.function", "dataset", "distributed", "from function", "of the guide"],
    ),
)
def test_a_data_set_comes_from_whatever_the_guides_pass(coordinator: Any, strategy: Any, kind: str) -> None:
    def make() -> Any:
        return tf.data.Dataset.from_tensors(np.float32(5)).repeat()

    def made_by_context(context: Any) -> Any:
        return make()

    given: dict[str, Any] = {
        "function": make,
        "tf.function": tf.function(make),
        "dataset": make(),
        "distributed": strategy.experimental_distribute_dataset(make().batch(1)),
        "from function": strategy.distribute_datasets_from_function(made_by_context),
        "of the guide": tf.function(lambda: strategy.distribute_datasets_from_function(made_by_context)),
    }
    data = coordinator.create_per_worker_dataset(given[kind])
    assert data.element_spec.dtype == tf.float32
    values = [coordinator.schedule(draw, args=(iter(data),)) for _ in range(4)]
    assert [float(np.ravel(v)[0]) for v in coordinator.fetch(values)] == [5.0] * 4


@pytest.mark.parametrize("wrong", [5, "data", None])
def test_anything_else_is_no_data_set(coordinator: Any, wrong: Any) -> None:
    with pytest.raises(ValueError, match="dataset"):
        coordinator.create_per_worker_dataset(wrong)


def test_nobody_draws_from_all_workers_at_once(coordinator: Any) -> None:
    iterator = iter(coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(3)))
    with pytest.raises(NotImplementedError, match="schedule"):
        next(iterator)


def test_workers_shuffle_differently(coordinator: Any) -> None:
    gate = threading.Barrier(WORKERS)

    def meet(x: Any) -> Any:
        gate.wait(120)
        return x

    @tf.function
    def first(iterator: Any) -> Any:
        return tf.py_function(meet, [next(iterator)], tf.int64)

    data = coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(10_000).shuffle(10_000))
    draw_once, iterator = tf.function(lambda it: next(it)), iter(data)
    coordinator.schedule(draw_once, args=(iterator,)).fetch()
    values = [coordinator.schedule(first, args=(iterator,)) for _ in range(WORKERS)]
    assert len(set(map(int, coordinator.fetch(values)))) == WORKERS


def test_a_data_set_function_creates_no_variable(coordinator: Any) -> None:
    def make() -> Any:
        tf.Variable(1.0)
        return tf.data.Dataset.range(3)

    coordinator.schedule(draw, args=(iter(coordinator.create_per_worker_dataset(make)),))
    with pytest.raises(ValueError, match="create a variable"):
        coordinator.join()


def test_what_a_data_set_function_adds_counts(coordinator: Any) -> None:
    made, calls = counter(coordinator.strategy), []

    def dataset_fn() -> Any:
        calls.append(True)
        made.assign_add(1.0)
        return tf.data.Dataset.range(3).repeat()

    iterator = iter(coordinator.create_per_worker_dataset(dataset_fn))
    for _ in range(10):
        coordinator.schedule(draw, args=(iterator,))
    coordinator.join()
    assert float(made.numpy()) == len(calls) >= 1


def test_a_data_set_that_two_threads_need_at_the_same_time_is_made_once() -> None:
    calls: list[int] = []
    asked, made = threading.Event(), threading.Event()

    def make(worker: int) -> Any:
        calls.append(worker)
        asked.set()
        made.wait(120)
        return tf.data.Dataset.range(3)

    data = PerWorkerDataset(make, "numbers", [1, 2], weakref.WeakSet())
    specs: list[Any] = []
    threads = [threading.Thread(target=lambda: data.of(1))]
    threads[0].start()
    assert asked.wait(120)
    threads.append(threading.Thread(target=lambda: specs.append(data.element_spec)))
    threads[1].start()
    threads[1].join(0.2)  # it waits, or, if it did not, makes another one
    made.set()
    for thread in threads:
        thread.join()
    assert calls == [1]
    assert specs == [tf.TensorSpec((), tf.int64)]


def test_the_first_worker_may_have_any_number_and_one_that_has_made_its_data_set_is_asked_before() -> None:
    calls: list[int] = []

    def make(worker: int) -> Any:
        calls.append(worker)
        return tf.data.Dataset.range(3)

    for wanted in ([3], [5]):
        data = PerWorkerDataset(make, "numbers", [3, 5], weakref.WeakSet())
        calls.clear()
        data.of(wanted[0])
        assert data.element_spec == tf.TensorSpec((), tf.int64)
        assert calls == wanted
    calls.clear()
    assert PerWorkerDataset(make, "numbers", [3, 5], weakref.WeakSet()).element_spec.dtype == tf.int64
    assert calls == [3]


def test_a_data_set_function_that_fails_once_is_tried_again(coordinator: Any) -> None:
    calls: list[int] = []

    def make() -> Any:
        calls.append(1)
        if len(calls) == 1:
            raise OSError("the file is not there yet")
        return tf.data.Dataset.from_tensors(1).repeat()

    iterator = iter(coordinator.create_per_worker_dataset(make))
    assert coordinator.fetch([coordinator.schedule(draw, args=(iterator,)) for _ in range(5)]) == [1] * 5
    coordinator.join()


def test_one_that_always_fails_is_the_users_error_and_names_the_worker(coordinator: Any) -> None:
    calls: list[int] = []

    def make() -> Any:
        calls.append(1)
        raise OSError("no such file")

    iterator = iter(coordinator.create_per_worker_dataset(make))
    value = coordinator.schedule(draw, args=(iterator,))
    for ask in (value.fetch, coordinator.join):
        with pytest.raises(OSError, match="no such file") as caught:
            ask()
        assert "worker:" in "".join(caught.value.__notes__)
        assert "twice" in "".join(caught.value.__notes__)
    assert len(calls) == 2
    assert coordinator.schedule(good).fetch() == 4


def test_a_worker_may_be_lost_while_values_are_made() -> None:
    every, made, interval = PerWorkerRegistry(), threading.Event(), sys.getswitchinterval()

    def make() -> None:
        kept = [PerWorkerValues(lambda worker: None, "nothing", [0], every) for _ in range(20_000)]
        made.set()
        del kept

    sys.setswitchinterval(1e-6)
    try:
        thread = threading.Thread(target=make)
        thread.start()
        while not made.is_set():
            every.lost(0)
        thread.join()
    finally:
        sys.setswitchinterval(interval)
