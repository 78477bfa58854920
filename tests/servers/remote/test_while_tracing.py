"""What other threads see while an update is traced: variables and optimizers as they are."""

import threading
import time
from collections.abc import Callable
from typing import Any, final

import jax
import keras
import numpy as np
import pytest

import stratagem as tf
from tests.servers.coordinator.functions import Coordinator
from tests.servers.remote.serving import serving

ROWS = 50
VALUES = np.arange(ROWS * 3, dtype="float32").reshape(ROWS, 3)


@final
class Pause:
    """Traces of an optimizer wait in the middle, once this is asked for."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, optimizer: type[Any]) -> None:
        self.wanted, self.begun, self.over = False, threading.Event(), threading.Event()
        update: Callable[..., Any] = optimizer.update_step

        def update_step(*args: Any, **kwargs: Any) -> Any:
            if self.wanted:
                self.begun.set()
                assert self.over.wait(120)
            return update(*args, **kwargs)

        monkeypatch.setattr(optimizer, "update_step", update_step)


@pytest.mark.parametrize("shards", [None, 2])
def test_rows_are_found_while_an_update_of_some_rows_is_traced(
    shards: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    strategy = serving(2, 1, shards)
    coordinator = Coordinator(strategy)
    pause = Pause(monkeypatch, keras.optimizers.SGD)
    with strategy.scope():
        table, optimizer = tf.Variable(VALUES), keras.optimizers.SGD(1.0)
    variables = [table] if shards is None else table.variables

    @tf.function
    def step(ids: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.gather(table, ids))
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    coordinator.schedule(step, args=(np.array([0]),))
    coordinator.join()
    pause.wanted = True
    coordinator.schedule(step, args=(np.arange(10),))  # so many rows are traced anew
    assert pause.begun.wait(120)
    try:
        np.testing.assert_array_equal(tf.nn.embedding_lookup(table, [49, 30]), VALUES[[49, 30]])
        assert tuple(table.shape) == VALUES.shape
        table.assign_add(np.ones_like(VALUES))
    finally:
        pause.over.set()
    coordinator.join()
    wanted = VALUES + 1.0
    wanted[:10] -= 1.0
    wanted[0] -= 1.0
    np.testing.assert_array_equal(table.numpy(), wanted)


def test_an_optimizer_is_whole_while_its_update_is_traced(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = serving(2, 1)
    coordinator = Coordinator(strategy)
    pause = Pause(monkeypatch, keras.optimizers.Adam)
    with strategy.scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2)])
        optimizer = keras.optimizers.Adam(use_ema=True, global_clipnorm=1.0)
        optimizer.build(model.trainable_variables)

    def seen() -> list[Any]:
        lists = (optimizer.variables, optimizer._trainable_variables, optimizer._model_variables_moving_average)
        return [[v.path for v in each] for each in lists] + [optimizer.global_clipnorm]

    @tf.function
    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x))
        variables = model.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    before, pause.wanted = seen(), True
    coordinator.schedule(step, args=(np.ones((4, 3), "float32"),))
    assert pause.begun.wait(120)
    during = seen()
    pause.over.set()
    coordinator.join()
    assert during == before
    assert int(optimizer.iterations) == 1


def test_workers_trace_steps_that_run_eagerly_one_after_another() -> None:
    strategy = serving(1, 2)
    inside: list[int] = []
    most = 0

    class Slow(keras.layers.Layer):  # type: ignore[misc]
        def call(self, x: Any) -> Any:
            nonlocal most
            assert isinstance(x, jax.core.Tracer)
            inside.append(1)
            most = max(most, len(inside))
            time.sleep(0.02)  # in which another thread would begin
            inside.pop()
            return x

    with strategy.scope():
        model = keras.Sequential([keras.Input((3,)), Slow(), keras.layers.Dense(2)])
        model.compile("sgd", "mse", run_eagerly=True)
    model.fit(np.ones((32, 3)), np.ones((32, 2)), batch_size=2, verbose=0)
    assert int(model.optimizer.iterations) == 16
    assert most == 1
