"""ClusterCoordinator.schedule on workers of this process: what TensorFlow's own tests ask of it, and what users rely on."""

import threading
import time
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.eventually import eventually
from tests.servers.coordinator.functions import WORKERS, Coordinator, Gate, counter, good, waiting
from tests.servers.remote.serving import serving

# --- Scheduling ---------------------------------------------------------------------------------------------------


def test_every_scheduled_function_runs_once(coordinator: Any, strategy: Any) -> None:
    v = counter(strategy)

    @tf.function
    def add() -> Any:
        v.assign_add(2.0)

    for total in (10.0, 20.0):
        for _ in range(5):
            coordinator.schedule(add)
        coordinator.join()
        coordinator.join()
        assert coordinator.done()
        assert float(v.numpy()) == total


def test_schedule_returns_before_the_function_has_run(coordinator: Any) -> None:
    gate = Gate()
    values = [coordinator.schedule(waiting(gate)) for _ in range(WORKERS + 2)]
    assert not coordinator.done()
    assert "NOT_READY" in repr(values[0])
    gate.open.set()
    assert coordinator.fetch(values) == [1.0] * len(values)
    assert "READY" in repr(values[0])


def test_workers_run_beside_each_other(coordinator: Any) -> None:
    gate, slow = Gate(), None
    slow = waiting(gate)
    gate.open.set()
    coordinator.schedule(slow).fetch()  # traced: from now on nobody waits for a trace
    assert gate.entered.acquire(timeout=120)
    gate.open.clear()
    for _ in range(WORKERS):
        coordinator.schedule(slow)
    for _ in range(WORKERS):
        assert gate.entered.acquire(timeout=120)  # all of them are inside
    gate.open.set()
    coordinator.join()


def test_a_function_is_traced_once_however_many_workers_run_it(coordinator: Any, strategy: Any) -> None:
    v, traces = counter(strategy), []

    @tf.function
    def add(amount: Any) -> Any:
        traces.append(threading.current_thread().name)
        v.assign_add(amount)
        return amount

    amounts = [np.float32(i) for i in range(60)]
    values = [coordinator.schedule(add, args=(amount,)) for amount in amounts]
    assert coordinator.fetch(values) == amounts
    first = len(traces)
    for amount in amounts:
        coordinator.schedule(add, (amount,))
    coordinator.join()
    assert len(traces) == first <= 2  # to learn which variables it uses, and to compile
    assert float(v.numpy()) == 2 * sum(amounts)


def test_arguments_and_results_are_structures(coordinator: Any) -> None:
    @tf.function
    def combine(pair: Any, *, scale: Any) -> Any:
        a, b = pair
        return {"sum": a + b, "parts": [a * scale, (b,)], "none": None}

    value = coordinator.schedule(combine, args=((np.float32(1), np.ones(2, "float32")),), kwargs={"scale": 3})
    found = value.fetch()
    np.testing.assert_array_equal(found["sum"], [2, 2])
    assert isinstance(found["sum"], np.ndarray)
    assert found["parts"][0] == 3
    assert found["none"] is None
    assert isinstance(value.get()["sum"], tf.Tensor)
    assert coordinator.fetch({"a": [value], "b": 5})["b"] == 5
    assert coordinator.fetch({"a": [value], "b": 5})["a"][0]["parts"][0] == 3


def test_a_function_that_returns_nothing_gives_none(coordinator: Any) -> None:
    assert coordinator.schedule(tf.function(lambda: None)).fetch() is None


def test_a_method_is_scheduled_as_any_function(coordinator: Any, strategy: Any) -> None:
    class Model(tf.Module):
        def __init__(self) -> None:
            self.v = counter(strategy)

        @tf.function
        def step(self, amount: Any) -> Any:
            self.v.assign_add(amount)
            return self.v

    model = Model()
    values = [coordinator.schedule(model.step, args=(np.float32(1),)) for _ in range(6)]
    coordinator.join()
    assert float(model.v.numpy()) == 6
    # What it read, and its own 1: another function may have read the same before either change was sent.
    assert all(1 <= float(value) <= 6 for value in coordinator.fetch(values))


def test_a_result_that_is_a_variable_arrives_as_its_value(coordinator: Any, strategy: Any) -> None:
    v = counter(strategy)
    value = coordinator.schedule(tf.function(lambda: {"v": v, "w": [v]}))
    assert isinstance(value.get()["v"], tf.Tensor)
    v.assign(9.0)
    assert value.fetch()["v"] == value.fetch()["w"][0] == 0


def test_nothing_is_lost_of_what_functions_add_that_run_in_python(coordinator: Any, strategy: Any) -> None:
    v = counter(strategy, "int64")

    @tf.function
    def add() -> None:
        for _ in tf.range(5):  # a loop that is not compiled
            v.assign_add(1)
        v.assign_sub(1)

    for _ in range(30):
        coordinator.schedule(add)
    coordinator.join()
    assert int(v.numpy()) == 120


def test_run_and_reduce_within_a_scheduled_function(coordinator: Any, strategy: Any) -> None:
    v = counter(strategy)

    @tf.function
    def step() -> Any:
        def replica() -> Any:
            v.assign_add(2.0)
            return v + 0.0

        return strategy.reduce("SUM", strategy.run(replica), axis=None)

    for _ in range(5):
        value = coordinator.schedule(step)
    coordinator.join()
    assert float(v.numpy()) == 10
    assert 2 <= value.fetch() <= 10


def test_a_long_queue_makes_schedule_wait(coordinator: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    # Private: a quarter of a million functions may wait otherwise.
    monkeypatch.setattr("stratagem._servers.coordinator._queue.LIMIT", 4)
    gate = Gate()
    slow, scheduled = waiting(gate), []

    def schedule() -> None:
        for _ in range(4 + WORKERS + 3):
            scheduled.append(coordinator.schedule(slow))

    thread = threading.Thread(target=schedule)
    thread.start()
    assert gate.entered.acquire(timeout=120)  # so functions are on their way
    time.sleep(0.3)
    assert len(scheduled) <= 4 + WORKERS
    gate.open.set()
    thread.join(240)
    assert not thread.is_alive()
    assert coordinator.fetch(scheduled) == [1.0] * (4 + WORKERS + 3)


# --- What cannot be scheduled -------------------------------------------------------------------------------------


def test_only_a_tf_function_can_be_scheduled(coordinator: Any) -> None:
    with pytest.raises(TypeError, match=r"only accepts a `tf\.function`"):
        coordinator.schedule(lambda: 1)


def test_a_remote_value_is_no_argument(coordinator: Any) -> None:
    value = coordinator.schedule(tf.function(lambda: tf.constant(1.0)))
    identity = tf.function(lambda x: x)
    for args, kwargs in (((value,), None), (([{"a": value}],), None), (None, {"x": value})):
        with pytest.raises(ValueError, match="RemoteValue cannot be used as an argument"):
            coordinator.schedule(identity, args=args, kwargs=kwargs)
    assert value.fetch() == 1


def test_there_is_one_coordinator_for_a_strategy(coordinator: Any, strategy: Any) -> None:
    assert Coordinator(strategy) is coordinator
    assert coordinator.strategy is strategy
    assert Coordinator(serving(1)) is not coordinator


@pytest.mark.parametrize("make", [lambda: tf.distribute.OneDeviceStrategy("CPU:0"), tf.distribute.get_strategy])
def test_another_kind_of_strategy_has_no_coordinator(make: Any) -> None:
    with pytest.raises(ValueError, match="ParameterServerStrategy"):
        Coordinator(make())


def test_a_scheduled_function_does_not_schedule(coordinator: Any) -> None:
    for ask in (lambda: coordinator.schedule(good).fetch(), coordinator.join):
        coordinator.schedule(tf.function(lambda ask=ask: ask()))
        with pytest.raises(RuntimeError, match="called `schedule` or `join` itself"):
            coordinator.join()


# --- Resources, threads -------------------------------------------------------------------------------------------


def test_a_resource_of_every_worker(coordinator: Any) -> None:
    made: list[str] = []

    def make(text: str) -> Any:
        made.append(text)
        return tf.constant(3.0)

    values = coordinator._create_per_worker_resources(make, args=("x",))
    add = tf.function(lambda x, y: x + y)
    found = coordinator.fetch([coordinator.schedule(add, args=(values, values)) for _ in range(12)])
    assert found == [6.0] * 12
    assert 1 <= len(made) <= WORKERS


def test_idle_threads_end_and_start_again(coordinator: Any) -> None:
    def alive() -> list[str]:
        return [t.name for t in threading.enumerate() if t.name.startswith("stratagem worker")]

    for _ in range(3):
        assert coordinator.schedule(good).fetch() == 4
        eventually(lambda: not alive())


def test_threads_may_schedule_at_once(coordinator: Any, strategy: Any) -> None:
    v = counter(strategy, "int32")
    add = tf.function(lambda: v.assign_add(1))

    def schedule() -> None:
        for _ in range(25):
            coordinator.schedule(add)
            time.sleep(0.001)

    threads = [threading.Thread(target=schedule) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    coordinator.join()
    assert int(v.numpy()) == 100
