"""Replicas are not sent what they know: replica 0's value of what is equal on all of them."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from jax.extend import core as xc

import stratagem as tf

# Private: a program's messages are counted where it is made.
from stratagem._core.step.programs import _trace as tracing
from tests.core.step.observing import count

REPLICAS = 2


@pytest.fixture
def messages(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The number of sums over replicas in each program that is traced."""
    found: list[int] = []
    without = tracing.without_needless_messages

    def counted(*args: Any) -> xc.ClosedJaxpr:
        closed = without(*args)
        found.append(count(closed, "psum"))
        return closed

    monkeypatch.setattr(tracing, "without_needless_messages", counted)
    return found


@pytest.fixture(scope="module")
def strategy() -> tf.distribute.MirroredStrategy:
    return tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(REPLICAS)])


def of_first_replica(strategy: tf.distribute.Strategy, start: Any) -> tf.Variable:
    """A variable that takes what replica 0 assigns."""
    with strategy.scope():
        return tf.Variable(start, aggregation=tf.VariableAggregation.ONLY_FIRST_REPLICA)


def replica_id() -> Any:
    return tf.distribute.get_replica_context().replica_id_in_sync_group


def test_the_number_of_steps_of_an_optimizer_is_no_message(
    strategy: tf.distribute.MirroredStrategy, messages: list[int]
) -> None:
    with strategy.scope():
        weights, optimizer = tf.Variable(np.ones(3, "float32")), tf.keras.optimizers.Adam()

    def step() -> None:
        optimizer.apply_gradients([(weights * 0.5, weights)])

    strategy.run(step)
    strategy.run(step)
    assert messages[-1] == 1  # that of the gradient
    assert int(optimizer.iterations) == 2


CHANGES: dict[str, tuple[Callable[[tf.Variable], Any], int, float]] = {
    "equal on all": (lambda v: v.assign(v * 3 + 1), 0, 7.0),
    "a constant": (lambda v: v.assign(5.0), 0, 5.0),
    "the replica's own": (lambda v: v.assign(tf.cast(replica_id(), tf.float32) + 4), 1, 4.0),
    "equal, of its own": (lambda v: v.assign(v + tf.cast(replica_id() * 0, tf.float32)), 1, 2.0),
    "in a function": (lambda v: tf.function(lambda: v.assign(v * 3 + 1))(), 0, 7.0),
    "in a branch": (lambda v: tf.cond(v > 0, lambda: v.assign(v * 3 + 1), lambda: v.assign(v)), 0, 7.0),
}


@pytest.mark.parametrize("name", CHANGES)
def test_only_a_value_that_may_differ_is_sent(
    strategy: tf.distribute.MirroredStrategy, messages: list[int], name: str
) -> None:
    change, sent, becomes = CHANGES[name]
    variable = of_first_replica(strategy, 2.0)

    def step() -> None:
        change(variable)

    strategy.run(step)
    assert [float(v) for v in strategy.experimental_local_results(variable)] == [becomes] * REPLICAS
    assert messages[-1] == sent
    assert variable.numpy().dtype == np.float32


def test_numbers_keep_every_bit(strategy: tf.distribute.MirroredStrategy) -> None:
    """The sign of zero, NaN, the largest integer."""
    floats, integers = of_first_replica(strategy, [1.0, 1.0, 1.0]), of_first_replica(strategy, np.int64(0))
    extremes = np.array([-0.0, np.nan, -np.inf], "float32")

    def step(largest: Any) -> None:
        floats.assign(extremes)
        integers.assign(largest)

    strategy.run(step, args=(np.int64(2**63 - 1),))
    assert floats.numpy().tobytes() == extremes.tobytes()
    assert int(integers.numpy()) == 2**63 - 1
