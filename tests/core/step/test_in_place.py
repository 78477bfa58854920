"""The new value of a variable takes the memory of the last one."""

from collections.abc import Callable, Sequence
from typing import Any

import jax
import keras
import numpy as np
import pytest

import stratagem as tf

SIZE = 16
BATCH = np.ones((8, SIZE), "float32")


def network() -> keras.Sequential:
    """Weights and slots of equal shapes: the memory of each would do for any other."""
    return keras.Sequential([keras.Input((SIZE,)), *(keras.layers.Dense(SIZE) for _ in range(3))])


def places(variables: Sequence[Any]) -> list[list[int]]:
    """Where the values of variables lie, on each device."""
    arrays = jax.block_until_ready([v._value for v in variables])
    return [[shard.data.unsafe_buffer_pointer() for shard in array.addressable_shards] for array in arrays]


def step_of(strategy: tf.distribute.Strategy, kind: Callable[[float], Any]) -> tuple[Callable[[], Any], list[Any]]:
    """A step that returns the gradients, which have the shapes of the variables; and what it writes."""
    with strategy.scope():
        net, optimizer = network(), kind(0.01)
        optimizer.build(net.trainable_variables)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(net(BATCH) ** 2)
        gradients = tape.gradient(loss, net.trainable_variables)
        optimizer.apply_gradients(zip(gradients, net.trainable_variables, strict=True))
        return gradients

    return lambda: strategy.run(step), [*net.trainable_variables, *optimizer.variables]


def fit_of(strategy: tf.distribute.Strategy, kind: Callable[[float], Any]) -> tuple[Callable[[], Any], list[Any]]:
    """Five steps of `fit`, which are one program; and what it writes."""
    with strategy.scope():
        net, optimizer = network(), kind(0.01)
        net.compile(optimizer, "mse", steps_per_execution=5)
    rows = np.tile(BATCH, (5, 1))

    def fit() -> None:
        net.fit(rows, rows, batch_size=len(BATCH), verbose=0)

    fit()
    return fit, [*net.trainable_variables, *optimizer.variables]


@pytest.mark.sampled
@pytest.mark.parametrize("replicas", [1, 2])
@pytest.mark.parametrize("way", [step_of, fit_of], ids=["step", "fit"])
@pytest.mark.parametrize("optimizer", ["Adam", "SGD", "Ftrl"])
def test_a_value_takes_the_place_of_the_last_one(optimizer: str, way: Any, replicas: int) -> None:
    strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
    step, variables = way(strategy, getattr(keras.optimizers, optimizer))
    step()
    before = places(variables)
    step()
    assert places(variables) == before
    assert [len(each) for each in before] == [replicas] * len(variables)
