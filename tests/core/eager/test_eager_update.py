"""optimizer.apply_gradients outside of steps: one compiled program with the results of Keras' own operations."""

from collections.abc import Callable
from typing import Any

import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf
from tests.core.step.observing import programs_made

OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "SGD": lambda: keras.optimizers.SGD(0.1),
    "momentum": lambda: keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "Adam": lambda: keras.optimizers.Adam(0.1),
    "AdamW, clipped": lambda: keras.optimizers.AdamW(0.1, global_clipnorm=0.5),
    "Nadam": lambda: keras.optimizers.Nadam(0.1),
    "a schedule": lambda: keras.optimizers.RMSprop(keras.optimizers.schedules.ExponentialDecay(0.1, 2, 0.5)),
    "averages": lambda: keras.optimizers.Adagrad(0.1, use_ema=True, ema_overwrite_frequency=2),
}
GRADIENTS = [[1.0, -2.0], [0.5, 0.25], [3.0, 0.0]]


def weights(make: Callable[[], Any], update: Callable[[Any, list[Any], list[Any]], None]) -> list[np.ndarray]:
    optimizer, v, w = make(), tf.Variable([1.0, 2.0]), tf.Variable(3.0)
    for g in GRADIENTS:
        update(optimizer, [tf.constant(g), tf.constant(g[0])], [v, w])
    return [v.numpy(), w.numpy(), *(x.numpy() for x in optimizer.variables)]


@pytest.mark.sampled
@pytest.mark.parametrize("name", OPTIMIZERS)
def test_the_weights_are_those_of_single_operations(name: str) -> None:
    at_once = weights(OPTIMIZERS[name], lambda o, g, v: o.apply_gradients(zip(g, v, strict=True)))
    single = weights(OPTIMIZERS[name], lambda o, g, v: o.apply(g, v))
    for a, b in zip(at_once, single, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6, atol=1e-7)


def test_a_scaled_loss_is_that_of_a_compiled_step() -> None:
    def trained(decorate: Callable[[Any], Any]) -> list[float]:
        optimizer, v = (
            keras.optimizers.LossScaleOptimizer(keras.optimizers.Adam(0.1), initial_scale=4.0),
            tf.Variable(3.0),
        )

        @decorate
        def step() -> None:
            with tf.GradientTape() as tape:
                loss = optimizer.scale_loss(v * v)
            optimizer.apply_gradients([(tape.gradient(loss, v), v)])

        for _ in range(3):
            step()
        return [float(v), *map(float, optimizer.variables)]

    assert trained(lambda f: f) == pytest.approx(trained(tf.function), rel=1e-6)


def test_one_program_serves_all_calls(monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)
    weights(OPTIMIZERS["Adam"], lambda o, g, v: o.apply_gradients(zip(g, v, strict=True)))
    assert len(made) == 1


def test_a_setting_that_changes_takes_effect() -> None:
    optimizer, v = keras.optimizers.SGD(1.0), tf.Variable(10.0)
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    optimizer.learning_rate = 2.0
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    optimizer.clipnorm = 0.5
    optimizer.apply_gradients([(tf.constant(1.0), v)])
    assert float(v) == 10.0 - 1.0 - 2.0 - 1.0


def test_variables_without_a_gradient_stay() -> None:
    optimizer, v, w = keras.optimizers.SGD(1.0), tf.Variable(10.0), tf.Variable(20.0)
    with tf.GradientTape() as tape:
        loss = v * v
    gradients = tape.gradient(loss, [v, w])
    with pytest.warns(UserWarning, match="Gradients do not exist"):
        optimizer.apply_gradients(zip(gradients, [v, w], strict=True))
    assert [float(v), float(w)] == [-10.0, 20.0]


def test_an_update_under_a_tape_is_not_differentiated() -> None:
    optimizer, v = keras.optimizers.SGD(0.5), tf.Variable(3.0)
    with tf.GradientTape(persistent=True) as tape:
        y = v * v
        optimizer.apply_gradients([(tape.gradient(y, v), v)])
        z = v * 7.0
    assert float(v) == 0.0
    assert float(tape.gradient(z, v)) == 7.0


def test_an_update_in_a_strategys_scope_is_the_same() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        optimizer, v = keras.optimizers.SGD(0.5), tf.Variable(3.0)
        optimizer.apply_gradients([(jnp.asarray(2.0), v)])
    assert float(v) == 2.0
