"""Servers keep what a program can still use, and forget the rest."""

import gc
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem.coordinator import _coordinator
from stratagem.remote import VariableServer
from stratagem.remote._gone import Gone
from tests.remote.serving import serving, shrinking


@pytest.fixture(autouse=True)
def threads_that_end_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_coordinator, "_IDLE", 0.05)


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

    gone, things = Gone(), [Thing() for _ in range(3)]
    for i, thing in enumerate(things):
        gone.watch(thing, i)
    assert gone.taken() == []
    del things[1], thing
    gc.collect()
    assert gone.taken() == [1]
    assert gone.taken() == []
