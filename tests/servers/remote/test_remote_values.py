"""What workers of other processes make for the coordinator: datasets, iterators, results."""

import gc
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from tests.servers.coordinator.functions import Coordinator, draw
from tests.servers.remote.remote_tasks import remote_strategy


def made(strategy: Any) -> int:
    """How many datasets and iterators its worker has."""
    return len(strategy.tasks[0].actor.target._values)


def waiting(strategy: Any) -> int:
    """How many iterators of the worker have an element that was drawn and not used."""
    return len(strategy.tasks[0].actor.target._pending)


def test_workers_forget_what_past_epochs_have_made(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = remote_strategy(monkeypatch)
    coordinator: Any = Coordinator(strategy)
    with strategy.scope():
        total = tf.Variable(0, dtype=tf.int64)

    @tf.function
    def add(iterator: Any) -> None:
        total.assign_add(next(iterator))

    found = []
    for _ in range(4):
        data = coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(1, 5).shuffle(4).prefetch(2))
        for iterator in (iter(data), iter(data)):
            for _ in range(4):
                coordinator.schedule(add, args=(iterator,))
            coordinator.join()
        del data, iterator
        gc.collect()
        found.append((made(strategy), waiting(strategy)))
    assert int(total.numpy()) == 4 * 2 * 10
    assert found[3] == found[0]


@pytest.mark.thorough
def test_what_is_used_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = remote_strategy(monkeypatch)
    coordinator: Any = Coordinator(strategy)
    data = coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(100))
    iterators = [iter(data) for _ in range(3)]
    for expected in range(3):
        gc.collect()
        assert [int(coordinator.schedule(draw, args=(one,)).fetch()) for one in iterators] == [expected] * 3
    del iterators[1], data
    gc.collect()
    assert [int(coordinator.schedule(draw, args=(one,)).fetch()) for one in iterators] == [3, 3]
    gc.collect()
    coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(1)).of(0)
    assert made(strategy) == 4  # datasets, the new one among them, and iterators


def test_an_iterator_that_goes_is_closed_unless_another_one_is_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = remote_strategy(monkeypatch)
    closed: list[int] = []

    def dataset_fn() -> Any:
        iterator = iter(tf.data.Dataset.range(100))
        iterator.close = lambda: closed.append(1)  # type: ignore[method-assign]
        return iterator

    task = strategy.tasks[0].actor.target
    task.make(-1, dataset_fn)
    task.iterate(-2, -1)
    task.iterate(-3, -1)
    assert (int(task.take(-2)), int(task.take(-3)), int(task.peek(-2))) == (0, 1, 2)
    task.drop([-1])
    task.drop([-2])
    assert closed == []
    assert int(task.take(-3)) == 3
    task.drop([-3, -4])
    assert closed == [1]
    assert (made(strategy), waiting(strategy)) == (0, 0)


def test_results_are_tensors(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = remote_strategy(monkeypatch)
    coordinator: Any = Coordinator(strategy)
    with strategy.scope():
        v = tf.Variable([1.5, 2.5], dtype="float64")
    text = np.asarray(["a"])

    @tf.function
    def several() -> Any:
        return {"v": v.read_value(), "count": tf.constant(2**40, tf.int64), "text": text, "none": None}

    values = [coordinator.schedule(several) for _ in range(40)]
    for value in values:
        fetched, found = value.fetch(), value.get()
        assert (type(fetched["v"]), fetched["v"].dtype, found["v"].dtype) == (np.ndarray, np.float64, tf.float64)
        assert isinstance(found["v"], jax.Array)
        assert (found["v"].numpy().tolist(), int(found["count"].numpy())) == ([1.5, 2.5], 2**40)
        assert (fetched["text"] is text, found["text"] is text, found["none"]) == (True, True, None)
        assert value.get()["v"] is found["v"]
        assert type(value.fetch()["v"]) is np.ndarray


def test_a_function_that_runs_in_python_gets_tensors_from_steps_and_iterators(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = remote_strategy(monkeypatch)
    coordinator: Any = Coordinator(strategy)
    with strategy.scope():
        v = tf.Variable(1.0)

    @tf.function
    def loop(iterator: Any) -> float:
        total = 0.0
        for _ in range(2):
            loss = strategy.run(lambda: v.assign_add(1.0) + 0.0)
            element = next(iterator)
            total += loss.numpy() + element["b"].numpy()
            assert list(element) == ["b", "a"]
            if loss > 2.0:
                break
        return float(total)

    data = coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.from_tensors({"b": 10.0, "a": b"x"}).repeat())
    assert coordinator.schedule(loop, args=(iter(data),)).fetch() == 2.0 + 3.0 + 20.0


def test_a_data_set_says_what_its_elements_look_like(monkeypatch: pytest.MonkeyPatch) -> None:
    coordinator: Any = Coordinator(remote_strategy(monkeypatch, workers=2))
    data = coordinator.create_per_worker_dataset(lambda: tf.data.Dataset.range(10).batch(5))
    assert data.element_spec == tf.TensorSpec((None,), tf.int64)
    numbers = coordinator.create_per_worker_dataset(lambda: [1, 2])
    with pytest.raises(AttributeError, match="element_spec"):
        _ = numbers.element_spec
