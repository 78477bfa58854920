"""A mirrored variable that would differ between replicas is refused while the step is traced."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import DivergenceError
from tests.core.step.observing import compilations

AXIS = "replica"


@pytest.fixture
def two() -> Any:
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def replica_id() -> Any:
    """This replica's id as a float."""
    return tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)


def mirrored(two: Any, **options: Any) -> Any:
    with two.scope():
        return tf.Variable(0.0, name="weight", **options)


# --- In steps ---------------------------------------------------------------------------------------------------------


def test_the_error_names_the_variable_and_the_line(two: Any) -> None:
    v = mirrored(two)

    def replica() -> None:
        v.assign(replica_id())

    line = replica.__code__.co_firstlineno + 1
    with pytest.raises(DivergenceError, match=rf"variable weight .*test_divergence\.py:{line}\..*aggregation="):
        two.run(replica)
    assert float(v) == 0.0


def test_it_is_found_before_anything_is_compiled(two: Any) -> None:
    v = mirrored(two)
    with compilations() as compiled, pytest.raises(DivergenceError):
        two.run(lambda: v.assign(replica_id()))
    assert not [name for name in compiled if "replica" in name]


def test_equal_values_may_be_assigned(two: Any) -> None:
    v = mirrored(two)
    two.run(lambda: v.assign(v * 2.0 + 1.0))
    assert float(v) == 1.0


def test_values_made_equal_may_be_assigned(two: Any) -> None:
    v = mirrored(two)

    def replica() -> None:
        context = tf.distribute.get_replica_context()
        v.assign(context.all_reduce("SUM", replica_id()) + tf.reduce_sum(context.all_gather(replica_id()[None], 0)))

    two.run(replica)
    assert float(v) == 2.0


@pytest.mark.parametrize(
    ("aggregation", "expected"),
    [
        (tf.VariableAggregation.SUM, 1.0),
        (tf.VariableAggregation.MEAN, 0.5),
        (tf.VariableAggregation.ONLY_FIRST_REPLICA, 0.0),
    ],
)
def test_an_aggregation_makes_values_equal(two: Any, aggregation: Any, expected: float) -> None:
    v = mirrored(two, aggregation=aggregation)
    two.run(lambda: v.assign(replica_id()))
    assert float(v) == expected


def test_sync_on_read_variables_may_differ(two: Any) -> None:
    v = mirrored(two, synchronization=tf.VariableSynchronization.ON_READ, aggregation=tf.VariableAggregation.SUM)
    two.run(lambda: v.assign(replica_id() + 1.0))
    assert float(v) == 3.0


def test_one_replica_has_nothing_to_differ_from() -> None:
    one = tf.distribute.MirroredStrategy(["CPU:0"])
    v = mirrored(one)
    one.run(lambda x: v.assign(x), args=(tf.constant(4.0),))
    assert float(v) == 4.0


def test_data_differs_between_replicas_but_other_arguments_do_not(two: Any) -> None:
    v = mirrored(two)
    batch = next(iter(two.experimental_distribute_dataset(tf.data.Dataset.range(4).batch(4))))

    def assign_data(x: Any) -> None:
        v.assign(tf.cast(x[0], tf.float32))

    with pytest.raises(DivergenceError):
        two.run(assign_data, args=(batch,))
    two.run(assign_data, args=(tf.constant([7.0, 8.0]),))
    assert float(v) == 7.0


def test_the_forgotten_all_reduce_of_an_own_optimizer_is_found(two: Any) -> None:
    with two.scope():
        layer = keras.layers.Dense(1)
        layer.build((None, 1))
    batch = next(
        iter(two.experimental_distribute_dataset(tf.data.Dataset.from_tensor_slices(np.ones((4, 1), "f4")).batch(4)))
    )

    def replica(reduce: bool, x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x))
        grads = tape.gradient(loss, layer.trainable_variables)
        if reduce:
            grads = tf.distribute.get_replica_context().all_reduce("SUM", grads)
        for v, g in zip(layer.trainable_variables, grads, strict=True):
            v.assign_sub(0.1 * g)

    with pytest.raises(DivergenceError, match="kernel"):
        two.run(replica, args=(False, batch))
    two.run(replica, args=(True, batch))
    np.testing.assert_allclose(layer.bias.numpy(), [-0.4], rtol=1e-6)


def test_random_numbers_differ_but_their_seeds_advance_alike(two: Any) -> None:
    v = mirrored(two)
    with two.scope():
        dropout = keras.layers.Dropout(0.5, seed=1)
    with pytest.raises(DivergenceError):
        two.run(lambda: v.assign(tf.reduce_sum(dropout(tf.ones((4,)), training=True))))
    two.run(lambda: dropout(tf.ones((4,)), training=True))  # assigns its seed


def test_what_leaves_a_branch_or_loop_is_followed(two: Any) -> None:
    v = mirrored(two)

    def by_branch() -> None:
        v.assign(tf.cond(replica_id() > 0, lambda: tf.constant(1.0), lambda: tf.constant(2.0)))

    def by_loop() -> None:
        v.assign(tf.while_loop(lambda x: x < 5.0, lambda x: (x + 2.0,), [replica_id()])[0])

    for replica in (by_branch, by_loop):
        with pytest.raises(DivergenceError):
            two.run(replica)


# --- The analysis -----------------------------------------------------------------------------------------------------


def psum(x: Any) -> Any:
    return jax.lax.psum(x, AXIS)


def scan_mixing(x: Any, y: Any) -> Any:
    """The second carry becomes the first one only after a round."""
    (a, b), rows = jax.lax.scan(lambda c, _: ((c[0], c[0] + c[1] * 0), c[1]), (x, y), None, length=3)
    return a, b, rows


def three_rounds(x: Any, y: Any) -> Any:
    """What varies reaches the last carry after three rounds."""
    return jax.lax.scan(lambda c, _: ((c[0], c[0], c[1], c[2]), None), (x, y, y, y), None, length=5)[0]


def loop_until(x: Any, y: Any) -> Any:
    """The number of rounds varies, and so does all that they change."""
    return jax.lax.while_loop(lambda c: c[0] < 10.0, lambda c: (c[0] + 1.0, c[1] + 1.0), (x, y))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda x, y: (x, y, x + y, y * 2), [True, False, True, False]),
        (lambda x, y: (psum(x), psum(x) + x, psum(y)), [False, True, False]),
        (lambda x, y: jax.lax.pmax(x, AXIS), [False]),
        (lambda x, y: jax.lax.pmean(x, AXIS), [False]),
        (lambda x, y: jax.lax.all_gather(x, AXIS), [False]),
        (lambda x, y: jax.lax.ppermute(y, AXIS, [(0, 1), (1, 0)]), [True]),
        (lambda x, y: jax.lax.axis_index(AXIS), [True]),
        (lambda x, y: jnp.zeros(()), [False]),
        (lambda x, y: jax.jit(lambda a, b: (a, b, psum(a)))(x, y), [True, False, False]),
        (lambda x, y: jax.checkpoint(lambda a, b: (a, psum(a) * b))(x, y), [True, False]),
        (lambda x, y: jax.nn.relu(y), [False]),
        (lambda x, y: jax.nn.relu(x), [True]),
        (scan_mixing, [True, True, True]),
        (three_rounds, [True, True, True, True]),
        (lambda x, y: scan_mixing(psum(x), y), [False, False, False]),
        (loop_until, [True, True]),
        (lambda x, y: loop_until(y, x), [False, True]),
        (lambda x, y: jax.lax.cond(x > 0, lambda: y, lambda: y * 2), [True]),
        (lambda x, y: jax.lax.cond(y > 0, lambda: (x, y), lambda: (y, y)), [True, False]),
        (lambda x, y: jax.vmap(lambda a: a * y)(jnp.ones(3)), [False]),
    ],
)
def test_what_varies(function: Callable[..., Any], expected: list[bool], two: Any) -> None:
    v, equal = mirrored(two), mirrored(two)

    def refused(output: int) -> bool:
        def replica() -> None:
            outputs = jax.tree.leaves(function(replica_id(), equal.value))
            v.assign(tf.reduce_sum(outputs[output]))

        try:
            two.run(replica)
        except DivergenceError:
            return True
        return False

    assert [refused(output) for output in range(len(expected))] == expected


def test_a_sum_over_another_axis_makes_nothing_equal(two: Any) -> None:
    v = mirrored(two)
    function = jax.vmap(lambda a: jax.lax.psum(a, "rows"), axis_name="rows")
    with pytest.raises(DivergenceError):
        two.run(lambda: v.assign(tf.reduce_sum(function(tf.ones(3) * replica_id()))))
