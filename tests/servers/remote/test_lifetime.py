"""Servers keep what a program can still use, and forget the rest."""

import gc
import threading
import time
import weakref
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._servers.remote import VariableServer

# Private: when an object is gone is told when something new comes, by an amount of memory that no test measures.
from stratagem._servers.remote._finalizers import FinalizationQueue
from tests.servers.coordinator.functions import Coordinator, draw
from tests.servers.remote.remote_tasks import remote_strategy
from tests.servers.remote.serving import serving, shrinking


def kept(strategy: Any) -> tuple[int, int]:
    """How many variables and updates all servers have."""
    servers: list[VariableServer] = [actor._target for actor in strategy.servers.actors]
    return sum(len(server._values) for server in servers), sum(len(server._updates) for server in servers)


def trained(strategy: Any, scheduled: bool) -> None:
    """A model is made, trained and left."""
    with strategy.scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
        optimizer = keras.optimizers.SGD(momentum=0.9)
    step, x = shrinking(model, optimizer), np.ones((2, 3), "float32")
    if scheduled:
        coordinator = tf.distribute.experimental.coordinator.ClusterCoordinator(strategy)
        for _ in range(3):
            coordinator.schedule(step, args=(x,))
        coordinator.join()
    else:
        with strategy.scope():
            step(x)


def test_a_variable_that_all_servers_kept_is_forgotten_by_all() -> None:
    strategy = serving(servers=3)
    with strategy.scope():
        variable = tf.Variable(1.0)
    strategy.servers.move_to(range(3), variable._placement)
    assert kept(strategy) == (3, 0)
    del variable
    gc.collect()
    with strategy.scope():
        new = tf.Variable(2.0)
    assert kept(strategy) == (1, 0)
    assert float(new.numpy()) == 2


@pytest.mark.thorough
@pytest.mark.parametrize("scheduled", [True, False])
def test_the_variables_and_updates_of_a_model_that_is_gone_are_forgotten(scheduled: bool) -> None:
    strategy = serving(servers=2, workers=2)
    found = []
    for _ in range(4):
        trained(strategy, scheduled)
        keras.backend.clear_session()
        gc.collect()
        with strategy.scope():
            tf.Variable(0.0)  # what is gone is told to servers when something new comes
        found.append(kept(strategy))
    assert found[3] == found[1]
    assert found[3][0] < 12  # those of one model, which has 6, until the next step is compiled


def test_what_is_used_is_kept() -> None:
    strategy = serving(servers=2, workers=1)
    with strategy.scope():
        variables = [tf.Variable(float(i)) for i in range(6)]
    gc.collect()
    with strategy.scope():
        variables.append(tf.Variable(6.0))
    assert [float(v.numpy()) for v in variables] == list(range(7))


def test_a_note_is_taken_once_when_its_object_is_gone() -> None:
    class Thing:
        pass

    gone, things = FinalizationQueue(), [Thing() for _ in range(3)]
    for i, thing in enumerate(things):
        gone.watch(thing, i)
    assert gone.drain() == []
    del things[1], thing
    gc.collect()
    assert gone.drain() == [1]
    assert gone.drain() == []


def scheduled(strategy: Any) -> None:
    """Functions that use variables and data."""
    coordinator = Coordinator(strategy)
    with strategy.scope():
        v = tf.Variable(1.0)

    @tf.function
    def step(iterator: Any) -> Any:
        v.assign_add(tf.cast(next(iterator), tf.float32))
        return v.read_value()

    iterator = iter(coordinator.create_per_worker_dataset(tf.data.Dataset.range(10)))
    for function in (step, draw):
        for _ in range(2):
            coordinator.schedule(function, args=(iterator,))
        coordinator.join()


def fitted(strategy: Any) -> None:
    """A model is made and trained."""
    with strategy.scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
        model.compile("adam", "mse")
    model.fit(np.ones((8, 3)), np.ones((8, 2)), batch_size=4, verbose=0)
    keras.backend.clear_session()


def called_here(strategy: Any) -> None:
    """The coordinator takes a step itself."""
    with strategy.scope():
        v = tf.Variable(1.0)
    strategy.run(lambda: v.assign_add(1.0))


@pytest.mark.sampled
@pytest.mark.parametrize("engine", ["one process", "several"])
@pytest.mark.parametrize("use", [Coordinator, scheduled, fitted, called_here])
def test_a_strategy_that_nobody_has_is_gone_and_so_are_its_tasks(
    use: Any, engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of a RayClusterResolver these are processes, with their memory and devices."""
    strategy = serving(1, 2) if engine == "one process" else remote_strategy(monkeypatch, 1, 2)
    use(strategy)
    left: list[Any] = [weakref.ref(x) for x in (strategy, *strategy.tasks, *strategy.servers.actors)]
    del strategy
    end = time.monotonic() + 120.0
    while (found := [ref() for ref in left if ref() is not None]) and time.monotonic() < end:
        del found
        gc.collect()  # threads of workers end when they had nothing to do for a while
        time.sleep(0.02)
    assert found == []


def test_a_coordinator_is_watched_while_somebody_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = remote_strategy(monkeypatch)
    coordinator: Any = Coordinator(strategy)
    gc.collect()
    time.sleep(0.2)
    assert any(thread.name == "stratagem watch" for thread in threading.enumerate())

    def check() -> None:
        raise tf.errors.UnavailableError(None, None, "Ray's first process is gone.")

    def join_again_and_again() -> None:
        while True:
            coordinator.join()
            time.sleep(0.02)

    strategy.servers.actors[0].check = check  # type: ignore[method-assign]
    with pytest.raises(tf.errors.UnavailableError, match="first process"):
        join_again_and_again()
