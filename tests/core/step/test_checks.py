"""`tf.debugging` in a compiled step: a failed check is TensorFlow's error where the step was called, and changes nothing."""

from collections.abc import Callable
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._core.values import per_replica
from stratagem.testing import STRATEGIES
from tests.servers.remote.remote_tasks import remote_job
from tests.servers.remote.serving import serving

FAILED = r"x was -2 Condition x > 0 did not hold\."


def checked(x: Any) -> None:
    tf.debugging.assert_positive(x, message="x was -2")


def plain(x: Any) -> Any:
    checked(x)
    return x * 2


def in_cond(x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) < 0, lambda: (checked(x), x)[1], lambda: x * 2)


def in_a_loop(x: Any) -> Any:
    return tf.while_loop(lambda i, v: i < 3, lambda i, v: (checked(v), (i + 1, v * 2))[1], [tf.constant(0), x])[1]


def in_a_map(x: Any) -> Any:
    return tf.map_fn(lambda v: (checked(v), v * 2)[1], x)


def vectorized(x: Any) -> Any:
    return tf.vectorized_map(lambda v: (checked(v), v * 2)[1], x)


def under_a_tape(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        checked(x)
        y = x**2
    return tape.gradient(y, x)


def inside_a_gradient(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = in_a_map(x) + tf.debugging.check_numerics(x, "fine")
    return tape.gradient(y, x)


def recomputed(x: Any) -> Any:
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.recompute_grad(plain)(x) if hasattr(tf, "recompute_grad") else plain(x)
    return tape.gradient(y, x)


PLACES: list[Callable[[Any], Any]] = [
    plain,
    in_cond,
    in_a_loop,
    in_a_map,
    vectorized,
    under_a_tape,
    inside_a_gradient,
    recomputed,
]


@pytest.mark.sampled
@pytest.mark.parametrize("place", PLACES, ids=lambda f: f.__name__)
def test_a_failed_check_of_a_function_is_tensorflows_error(place: Callable[[Any], Any]) -> None:
    f = tf.function(place)
    for _ in range(2):
        assert f(tf.constant([1.0, 3.0])).shape == (2,)
        with pytest.raises(tf.errors.InvalidArgumentError, match=FAILED):
            f(tf.constant([1.0, -2.0]))


@pytest.mark.sampled
@pytest.mark.parametrize("name", STRATEGIES)
def test_a_failed_check_changes_no_variable_under_any_strategy(name: str) -> None:
    strategy = STRATEGIES[name]()
    with strategy.scope():
        v = tf.Variable(1.0)
        optimizer = keras.optimizers.SGD(1.0)
        total = keras.metrics.Sum()

    @tf.function
    def step(x: Any) -> Any:
        def replica() -> Any:
            with tf.GradientTape() as tape:
                loss = v * x
            checked(x)
            optimizer.apply_gradients([(tape.gradient(loss, v), v)])
            total.update_state(1.0)
            return loss

        return strategy.run(replica)

    optimizer.build([v])
    replicas = strategy.num_replicas_in_sync
    for x in (1.0, -2.0, 1.0):
        if x > 0:
            step(tf.constant(x))
        else:
            with pytest.raises(tf.errors.InvalidArgumentError, match=FAILED):
                step(tf.constant(x))
    assert (float(v.numpy()), float(total.result())) == (1.0 - 2 * replicas, 2.0 * replicas)
    assert int(optimizer.iterations) == 2


@pytest.mark.parametrize("rows", [[1, 1], [2, 1]], ids=str)
def test_one_replica_is_enough(rows: list[int]) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable(1.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def step(x: Any) -> Any:
        def replica(x: Any) -> Any:
            checked(x)
            v.assign_add(tf.reduce_sum(x))
            return x

        return strategy.run(replica, (x,))

    def given(last: float) -> Any:
        return per_replica([np.ones(rows[0], np.float32), np.full(rows[1], last, np.float32)], strategy.mesh)

    step(given(1.0))
    with pytest.raises(tf.errors.InvalidArgumentError, match=FAILED + r" \(replica 1\)\nx = \[-2\]"):
        step(given(-2.0))
    assert float(v.numpy()) == 1.0 + sum(rows)


def test_the_first_of_several_failed_checks_is_told() -> None:
    @tf.function
    def f(x: Any, n: Any) -> Any:
        tf.debugging.assert_less(x, 10.0, message="first {")
        tf.debugging.assert_equal(n, tf.constant(2**40 + 1, tf.int64), message="second")
        tf.Assert(tf.reduce_all(x > 0), [x, n])
        return x

    right, error = tf.constant(2**40 + 1, tf.int64), tf.errors.InvalidArgumentError
    with pytest.raises(error, match=r"^first \{ Condition x < y did not hold\.\nx = \[20 -2\]\ny = 10$"):
        f(tf.constant([20.0, -2.0]), right)
    with pytest.raises(error, match=r"^second Condition x == y did not hold\.\nx = 3\ny = 1099511627777$"):
        f(tf.constant([1.0, -2.0]), tf.constant(3, tf.int64))
    with pytest.raises(error, match=r"of tf\.Assert did not hold\.\ndata\[0\] = \[1 -2\]\ndata\[1\] = 1099511627777$"):
        f(tf.constant([1.0, -2.0]), right)


def test_of_large_tensors_the_edges_are_told() -> None:
    @tf.function
    def f(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        return x

    with pytest.raises(tf.errors.InvalidArgumentError, match=r"x = \[\[0 1 2 \.\.\. 97 98 99\]\]$"):
        f(tf.range(100.0)[None])


def test_steps_after_the_failed_one_are_not_taken() -> None:
    with tf.distribute.MirroredStrategy(["CPU:0"]).scope():
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, use_bias=False, kernel_initializer="zeros")])

        def loss(y: Any, p: Any) -> Any:
            checked(y)
            return tf.reduce_mean(y - p, axis=-1)

        model.compile(keras.optimizers.SGD(1.0), loss=loss, steps_per_execution=4)
    x, y = np.ones((4, 1), np.float32), np.array([[1.0], [1.0], [-2.0], [1.0]], np.float32)
    with pytest.raises(tf.errors.InvalidArgumentError, match=FAILED):
        model.fit(x, y, batch_size=1, shuffle=False, verbose=0)
    assert float(model.weights[0].numpy()[0, 0]) == 2.0  # of the two steps before


@pytest.mark.sampled
@pytest.mark.parametrize("engine", ["threads", "processes"])
def test_a_failed_check_of_a_closure_is_raised_where_the_coordinator_joins(
    engine: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = v * x
        checked(x)
        optimizer.apply_gradients([(tape.gradient(loss, v), v)])
        count.assign_add(1.0)
        return loss

    def jobs(coordinator: Any) -> None:
        coordinator.schedule(step, (tf.constant(1.0),))
        coordinator.join()
        coordinator.schedule(step, (tf.constant(-2.0),))
        with pytest.raises(tf.errors.InvalidArgumentError, match=FAILED):
            coordinator.join()

    def made(strategy: Any) -> tuple[Any, Any, Any]:
        with strategy.scope():
            v, count, optimizer = tf.Variable(1.0), tf.Variable(0.0), keras.optimizers.SGD(1.0)
            optimizer.build([v])
            return v, count, optimizer

    if engine == "threads":
        coordinator = tf.distribute.coordinator.ClusterCoordinator(serving())
        v, count, optimizer = made(coordinator.strategy)
        jobs(coordinator)
    else:
        with remote_job(monkeypatch, 2, 1) as coordinator:
            v, count, optimizer = made(coordinator.strategy)
            jobs(coordinator)
    assert (float(v.numpy()), float(count.numpy()), int(optimizer.iterations)) == (0.0, 1.0, 1)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("rows", "wrong", "told"), [(5, None, ""), (5, 4, "replica 1"), (7, 1, "replica 0"), (7, 5, "replica 1")]
)
def test_checks_of_other_shapes_on_every_replica_keep_their_values(rows: int, wrong: int | None, told: str) -> None:
    """Of 5 rows replica 0 has 3, as many as the second check has values; of 7 it has 4, and replica 1 has 3."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    values = np.arange(1, 1 + rows, dtype=np.float32)
    if wrong is not None:
        values[wrong] = -7.0
    (batch,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(values).batch(rows))

    def replica(x: Any) -> Any:
        tf.debugging.assert_positive(x)
        tf.debugging.assert_positive(tf.constant([1.0, 2.0, 3.0]) * tf.reduce_max(x))
        return tf.reduce_sum(x)

    if wrong is None:
        assert float(strategy.reduce("SUM", strategy.run(replica, args=(batch,)), axis=None)) == values.sum()
        return
    with pytest.raises(tf.errors.InvalidArgumentError, match=told) as caught:
        strategy.run(replica, args=(batch,))
    assert "-7" in str(caught.value)
