"""Optimizers inside a step: gradients are summed over replicas once, and everything that Keras offers still works."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.keras.facade import batches, largest_difference, make_step, mirrored, small_model, train
from tests.thorough import thorough_but

START = [np.random.default_rng(1).normal(size=w.shape).astype(np.float32) for w in small_model().get_weights()]
OPTIMIZERS: dict[str, Callable[[], Any]] = {
    "weight decay": lambda: tf.keras.optimizers.AdamW(0.01, weight_decay=0.1),
    "moving average of the weights": lambda: tf.keras.optimizers.SGD(
        0.1, use_ema=True, ema_momentum=0.5, ema_overwrite_frequency=2
    ),
    "gradient accumulation": lambda: tf.keras.optimizers.SGD(0.1, gradient_accumulation_steps=2),
    "loss scaling": lambda: tf.keras.optimizers.LossScaleOptimizer(
        tf.keras.optimizers.SGD(0.1), initial_scale=4.0, dynamic_growth_steps=2
    ),
    "clipped by norm": lambda: tf.keras.optimizers.SGD(0.5, clipnorm=0.05),
    "clipped by global norm": lambda: tf.keras.optimizers.SGD(0.5, global_clipnorm=0.05),
    "clipped by value": lambda: tf.keras.optimizers.SGD(0.5, clipvalue=0.01),
    "schedule": lambda: tf.keras.optimizers.SGD(tf.keras.optimizers.schedules.ExponentialDecay(0.5, 1, 0.5)),
    "nesterov": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9, nesterov=True),
    "adamax": lambda: tf.keras.optimizers.Adamax(0.01),
    "ftrl": lambda: tf.keras.optimizers.Ftrl(0.1),
    "lion": lambda: tf.keras.optimizers.Lion(0.01),
}


def trained(strategy: Any, make: Callable[[], Any], steps: int = 4) -> tuple[list[np.ndarray], Any]:
    with strategy.scope():
        model, optimizer = small_model(), make()
        model.set_weights(START)
    return train(strategy, model, optimizer, steps), optimizer


# What is more than an update by a variable's own gradient. (What is no more is in test_every_optimizer.py.)
QUICK = ("gradient accumulation", "loss scaling", "clipped by global norm")


@pytest.mark.sampled
@pytest.mark.parametrize("kind", thorough_but(QUICK, OPTIMIZERS))
def test_two_replicas_update_like_one_device(kind: str) -> None:
    two, optimizer = trained(mirrored(), OPTIMIZERS[kind])
    one, alone = trained(tf.distribute.get_strategy(), OPTIMIZERS[kind])
    assert largest_difference(two, START) > 1e-4
    assert largest_difference(two, one) < 2e-6
    for a, b in zip(optimizer.variables, alone.variables, strict=True):
        assert np.allclose(a.numpy(), b.numpy(), rtol=1e-5, atol=2e-6), a.path


def test_gradients_are_summed_and_iterations_count_steps() -> None:
    """10 - 1 * (1 + 2) = 7 (measured on TensorFlow)."""
    strategy = mirrored()
    with strategy.scope():
        v, optimizer = tf.Variable(10.0), tf.keras.optimizers.SGD(1.0)

    def step() -> Any:
        gradient = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group + 1, tf.float32)
        return optimizer.apply_gradients([(gradient, v)])

    strategy.run(step)
    assert v.numpy() == 7.0
    assert optimizer.iterations.numpy() == 1
    strategy.run(step)
    assert v.numpy() == 4.0
    assert optimizer.iterations.numpy() == 2


def test_the_learning_rate_is_assigned_between_steps_without_a_new_program() -> None:
    strategy = mirrored()
    with strategy.scope():
        v, optimizer = tf.Variable(10.0), tf.keras.optimizers.SGD(1.0)
    traces: list[int] = []

    def step() -> None:
        traces.append(1)
        optimizer.apply_gradients([(tf.constant(0.5), v)])

    strategy.run(step)
    assert v.numpy() == 9.0
    once = len(traces)
    optimizer.learning_rate = 0.5
    strategy.run(step)
    assert v.numpy() == 8.5
    optimizer.learning_rate.assign(2.0)
    strategy.run(step)
    assert v.numpy() == 6.5
    assert len(traces) == once


def test_gradients_that_are_not_summed_would_diverge() -> None:
    strategy = mirrored()
    with strategy.scope():
        model, optimizer = small_model(), tf.keras.optimizers.SGD(0.1)
    (batch,) = batches(strategy)
    before = model.get_weights()
    for option in ({"skip_gradients_aggregation": True}, {"experimental_aggregate_gradients": False}):
        step = make_step(
            model, optimizer, lambda g, v, option=option: optimizer.apply_gradients(zip(g, v, strict=True), **option)
        )
        with pytest.raises(
            ValueError, match=r"Mirrored variable .* would get a different value on every replica"
        ) as caught:
            strategy.run(step, args=batch)
        assert type(caught.value).__name__ == "DivergenceError"
        assert largest_difference(model.get_weights(), before) == 0.0


def test_gradients_summed_by_the_program_are_not_summed_again_when_told_so() -> None:
    strategy = mirrored()
    with strategy.scope():
        summed, plain = small_model(), small_model()
        summed.set_weights(START)
        plain.set_weights(START)
        optimizers = tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.SGD(0.1)
    (batch,) = batches(strategy)

    def own(gradients: Any, variables: Any) -> None:
        total = tf.distribute.get_replica_context().all_reduce("SUM", gradients)
        optimizers[0].apply_gradients(zip(total, variables, strict=True), skip_gradients_aggregation=True)

    strategy.run(make_step(summed, optimizers[0], own), args=batch)
    strategy.run(make_step(plain, optimizers[1]), args=batch)
    assert largest_difference(summed.get_weights(), plain.get_weights()) < 1e-7


def test_a_step_may_train_two_models_with_two_optimizers() -> None:
    strategy = mirrored()
    with strategy.scope():
        first, second = small_model(), small_model()
        first.set_weights(START)
        second.set_weights(START)
        optimizers = tf.keras.optimizers.SGD(0.1), tf.keras.optimizers.Adam(0.1)
    steps = make_step(first, optimizers[0]), make_step(second, optimizers[1])

    def both(images: Any, labels: Any) -> Any:
        return [step(images, labels) for step in steps]

    (batch,) = batches(strategy)
    strategy.run(both, args=batch)
    for model, optimizer in (
        (first, lambda: tf.keras.optimizers.SGD(0.1)),
        (second, lambda: tf.keras.optimizers.Adam(0.1)),
    ):
        one, _ = trained(tf.distribute.get_strategy(), optimizer, steps=1)
        assert largest_difference(model.get_weights(), one) < 1e-6


def test_loss_scaling_skips_a_step_that_is_not_finite_on_any_replica() -> None:
    strategy = mirrored()
    with strategy.scope():
        v = tf.Variable(1.0)
        optimizer = tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.SGD(1.0), initial_scale=8.0)

    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = optimizer.scale_loss(v * x)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])

    def data(values: list[float]) -> Any:
        return strategy.run(
            lambda t: t[tf.distribute.get_replica_context().replica_id_in_sync_group], (tf.constant(values),)
        )

    strategy.run(step, args=(data([0.25, 0.25]),))
    assert v.numpy() == 0.5
    strategy.run(step, args=(data([0.25, np.inf]),))
    assert v.numpy() == 0.5
    assert optimizer.dynamic_scale.numpy() == 4.0
    strategy.run(step, args=(data([0.25, 0.25]),))
    assert v.numpy() == 0.0


def test_an_optimizer_from_outside_of_the_scope_is_refused() -> None:
    strategy, optimizer = mirrored(), tf.keras.optimizers.SGD(0.1)
    with strategy.scope():
        v = tf.Variable(1.0)
    with pytest.raises(RuntimeError, match=r"was created outside of strategy.scope\(\)"):
        strategy.run(lambda: optimizer.apply_gradients([(tf.constant(1.0), v)]))
    assert v.numpy() == 1.0


@pytest.mark.parametrize("replicas", [1, 2])
def test_an_optimizer_counts_in_64_bits_as_in_tensorflow(replicas: int) -> None:
    strategy = mirrored(replicas)
    with strategy.scope():
        optimizer, v = tf.keras.optimizers.Adam(0.1), tf.Variable([1.0])

    @tf.function
    def step() -> Any:
        strategy.run(lambda: optimizer.apply_gradients([(tf.constant([1.0]), v)]))
        return tf.identity(optimizer.iterations)

    assert [int(step()) for _ in range(3)] == [1, 2, 3]
    assert (optimizer.iterations.dtype, optimizer.iterations.numpy().dtype) == ("int64", np.int64)
    optimizer.iterations.assign(2**40)
    assert int(step()) == 2**40 + 1
