"""A step's Python code runs once: a variable becomes an input where the code first reads it, in branches and loops, too."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf


class Counter:
    """How often Python code ran. Methods of it are no part of what a step reads."""

    def __init__(self) -> None:
        self.runs = 0

    def __call__(self) -> None:
        self.runs += 1


class Values:
    """Three variables, none of which has been read."""

    def __init__(self) -> None:
        self.w, self.b, self.late = tf.Variable([2.0, 3.0]), tf.Variable(1.0), tf.Variable(5.0)


def in_cond(v: Values, x: Any) -> Any:
    return jax.lax.cond(jnp.sum(x) > 0, lambda x: x * v.late.value, lambda x: x, x)


def in_switch(v: Values, x: Any) -> Any:
    return jax.lax.switch(1, [lambda x: x, lambda x: x * v.late.value, lambda x: x + v.b.value], x)


def in_scan(v: Values, x: Any) -> Any:
    return jax.lax.scan(lambda total, row: (total + row * v.late.value, total), jnp.zeros(()), x)[0] * x


def in_while(v: Values, x: Any) -> Any:
    return jax.lax.while_loop(lambda s: s[0] < 3, lambda s: (s[0] + 1, s[1] * v.late.value), (0, x))[1]


def in_scan_in_scan(v: Values, x: Any) -> Any:
    def inner(total: Any, row: Any) -> Any:
        return total + row * v.late.value, None

    def outer(total: Any, row: Any) -> Any:
        return jax.lax.scan(inner, total + v.b.value, jnp.stack([row, row]))[0], None

    return jax.lax.scan(outer, jnp.zeros(()), x)[0] * x


def in_remat(v: Values, x: Any) -> Any:
    return jax.checkpoint(lambda x: jnp.sin(x) * v.late.value)(x)


def in_jit(v: Values, x: Any) -> Any:
    multiply = jax.jit(lambda x: x * v.late.value)
    return multiply(x) + multiply(x + 1.0)


def in_vmap(v: Values, x: Any) -> Any:
    return jax.vmap(lambda row: row * v.late.value + v.b.value)(x)


def in_grad(v: Values, x: Any) -> Any:
    return jax.grad(lambda x: jnp.sum(x**2 * v.late.value))(x)


def in_custom_vjp(v: Values, x: Any) -> Any:
    @jax.custom_vjp
    def scaled(x: Any, factor: Any) -> Any:
        return x * factor

    scaled.defvjp(lambda x, f: (x * f, (x, f)), lambda kept, g: (g * kept[1], jnp.sum(g * kept[0])))
    return scaled(x, v.late.value)


def in_tf_cond(v: Values, x: Any) -> Any:
    return tf.cond(tf.reduce_sum(x) > 0, lambda: x * v.late, lambda: x)


def in_tf_loop(v: Values, x: Any) -> Any:
    return tf.while_loop(lambda i, y: i < 3, lambda i, y: (i + 1, y * v.late), [tf.constant(0), x])[1]


def in_map(v: Values, x: Any) -> Any:
    return tf.map_fn(lambda row: row * v.late, x)


PLACES = [
    in_cond,
    in_switch,
    in_scan,
    in_while,
    in_scan_in_scan,
    in_remat,
    in_jit,
    in_vmap,
    in_grad,
    in_custom_vjp,
    in_tf_cond,
    in_tf_loop,
    in_map,
]
# JAX has no reverse of its own loops of unknown length.
DIFFERENTIABLE = [place for place in PLACES if place not in (in_while,)]


@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.__name__)
def test_a_variable_may_be_read_first_in_a_program_inside_of_the_step(place: Callable[..., Any]) -> None:
    v, counter = Values(), Counter()

    @tf.function
    def step(x: Any) -> Any:
        counter()
        return place(v, x * v.w)

    x = tf.constant([0.5, 1.5])
    expected = place(v, x * v.w.value)
    for _ in range(2):
        np.testing.assert_allclose(step(x), expected, rtol=1e-6)
    v.late.assign(-2.0)
    np.testing.assert_allclose(step(x), place(v, x * v.w.value), rtol=1e-6)
    assert counter.runs == 1


@pytest.mark.parametrize("place", DIFFERENTIABLE, ids=lambda place: place.__name__)
@pytest.mark.parametrize("persistent", [False, True], ids=["once", "persistent"])
def test_a_tape_watches_a_variable_that_is_first_read_in_a_program_inside(place: Any, persistent: bool) -> None:
    v, counter = Values(), Counter()

    def gradients(x: Any) -> Any:
        counter()
        with tf.GradientTape(persistent=persistent) as tape:
            loss = tf.reduce_sum(place(v, x * v.w) ** 2)
        return tape.gradient(loss, [v.w, v.late])

    x = tf.constant([0.5, 1.5])
    for found, expected in zip(tf.function(gradients)(x), gradients(x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-5)
    assert counter.runs == 2, "once in the step, once outside of it"


def test_a_sum_over_two_replicas_reads_each_variable_where_it_is_needed() -> None:
    strategy, counter = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), Counter()
    with strategy.scope():
        v = Values()

    def replica(x: Any) -> Any:
        counter()
        return tf.reduce_sum(in_cond(v, x * v.w) + v.b)

    @tf.function
    def step(x: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(replica, (x,)), axis=None)

    rows = np.arange(8, dtype="float32").reshape(4, 2)
    (batch,) = strategy.experimental_distribute_dataset(tf.data.Dataset.from_tensors(rows).unbatch().batch(4))
    expected = sum(
        float(np.sum(part * [2, 3] * (5 if np.sum(part * [2, 3]) > 0 else 1) + 1)) for part in (rows[:2], rows[2:])
    )
    assert float(step(batch)) == pytest.approx(expected)
    assert counter.runs == 1


def test_a_step_that_draws_runs_its_python_once_and_loses_no_element() -> None:
    strategy, counter = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), Counter()
    with strategy.scope():
        total = tf.Variable(0.0, aggregation=tf.VariableAggregation.SUM)

    @tf.function
    def step(iterator: Any) -> None:
        counter()
        strategy.run(lambda x: total.assign_add(tf.reduce_sum(x)), (next(iterator),))
        strategy.run(lambda x: total.assign_add(tf.reduce_sum(x)), (next(iterator),))

    data = tf.data.Dataset.range(8).map(lambda i: tf.cast(i, "float32")).batch(2)
    iterator = iter(strategy.experimental_distribute_dataset(data))
    step(iterator)
    step(iterator)
    assert float(total) == sum(range(8))
    assert counter.runs == 1


@pytest.mark.parametrize("built", [True, False], ids=["built before", "lazy layers"])
def test_slots_are_made_in_the_one_recording_and_lazy_layers_cost_one_more(built: bool) -> None:
    strategy, counter = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), Counter()
    tf.keras.utils.set_random_seed(0)
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.layers.LSTM(3), tf.keras.layers.Dense(1)])
        optimizer, metric = tf.keras.optimizers.Adam(0.1), tf.keras.metrics.Mean()
        if built:
            model.build((None, 5, 2))

    @tf.function
    def step(x: Any) -> Any:
        counter()
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x) ** 2)
        optimizer.apply_gradients(
            zip(tape.gradient(loss, model.trainable_variables), model.trainable_variables, strict=True)
        )
        metric.update_state(loss)
        return loss

    x = tf.constant(np.random.default_rng(0).normal(size=(4, 5, 2)).astype("float32"))
    losses = [float(strategy.run(step, (x,)).values[0]) for _ in range(3)]
    assert losses[2] < losses[0]
    assert float(metric.result()) == pytest.approx(np.mean(losses))
    assert counter.runs == (1 if built else 2), "TensorFlow's too runs once more where the first run made variables"


def test_code_that_asks_whether_a_model_is_built_has_the_program_of_a_built_one() -> None:
    model = tf.keras.Sequential([tf.keras.layers.Dense(1, kernel_initializer="ones", use_bias=False)])

    @tf.function
    def step(x: Any) -> Any:
        decay = sum(tf.reduce_sum(v) for v in model.trainable_variables)  # nothing, until the model has been called
        return tf.reduce_sum(model(x)) + decay

    assert [float(step(tf.ones([2, 3]))) for _ in range(2)] == [9.0, 9.0]


def test_nested_tapes_know_what_is_connected_without_a_second_run() -> None:
    v, counter = Values(), Counter()

    def second(x: Any) -> Any:
        counter()
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = tf.reduce_sum(v.w * x) * v.late + v.b * v.b * v.b
            of_w, of_b = inner.gradient(y, [v.w, v.b])
            total = tf.reduce_sum(of_w)  # x times late: without w itself
        return outer.gradient([total, of_b], [v.w, v.late, v.b])

    x = tf.constant([0.5, 1.5])
    found, expected = tf.function(second)(x), second(x)
    assert found[0] is expected[0] is None
    np.testing.assert_allclose(found[1:], expected[1:], rtol=1e-6)
    assert counter.runs == 2


def test_unconnected_sources_are_none_in_the_one_run() -> None:
    v, counter = Values(), Counter()

    @tf.function
    def step(x: Any) -> Any:
        counter()
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(v.w * x)
        gradients = tape.gradient(y, [v.w, v.late])
        return gradients[0] if gradients[1] is None else gradients[1]

    np.testing.assert_array_equal(step(tf.constant([0.5, 1.5])), [0.5, 1.5])
    assert counter.runs == 1


def test_a_variable_that_is_first_read_after_a_tape_has_closed_is_not_connected() -> None:
    v = Values()

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = tf.reduce_sum(v.w * x)
        z = y * v.late
        return tape.gradient(y, v.w), tape.gradient(z, v.late), tape.gradient(z, v.w)

    of_w, of_late, of_w_outside = step(tf.constant([0.5, 1.5]))
    np.testing.assert_array_equal(of_w, [0.5, 1.5])
    assert of_late is None
    assert of_w_outside is None


def test_a_variable_that_is_first_read_while_a_tape_does_not_record_is_watched_afterwards() -> None:
    v = Values()

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                unrecorded = v.late * 10.0
            y = v.late * x + unrecorded
        return tape.gradient(y, v.late)

    assert float(step(tf.constant(3.0))) == 3.0


def test_a_tape_that_watches_nothing_by_itself_watches_what_it_is_told() -> None:
    v = Values()

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(v.late)
            y = v.late * v.b * x
        return tape.gradient(y, [v.late, v.b])

    of_late, of_b = step(tf.constant(3.0))
    assert float(of_late) == 3.0
    assert of_b is None


def test_a_tape_in_a_branch_watches_what_it_reads_there() -> None:
    v, counter = Values(), Counter()

    @tf.function
    def step(x: Any) -> Any:
        counter()

        def differentiated() -> Any:
            with tf.GradientTape() as tape:
                y = v.late * v.late * x
            return tape.gradient(y, v.late)

        return tf.cond(x > 0, differentiated, lambda: x)

    assert float(step(tf.constant(3.0))) == 30.0
    assert float(step(tf.constant(-3.0))) == -3.0
    assert counter.runs == 1


def test_a_variable_that_is_only_assigned_has_its_new_value() -> None:
    v = Values()

    @tf.function
    def step(x: Any) -> Any:
        v.b.assign(x)
        return v.b * v.late

    assert float(step(tf.constant(3.0))) == 15.0
    assert float(v.b) == 3.0


# --- What one run alone does not tell ---------------------------------------------------------------------------------


def test_what_a_step_builds_once_in_a_list_is_followed() -> None:
    strategy, made = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]), []

    def replica(x: Any) -> Any:
        if not made:
            made.append(tf.Variable(4.0, aggregation=tf.VariableAggregation.MEAN))
        return made[0] * x

    with strategy.scope():
        found = [float(strategy.run(replica, (tf.constant(2.0),)).values[0])]
        made[0] = tf.Variable(10.0, aggregation=tf.VariableAggregation.MEAN)
        found.append(float(strategy.run(replica, (tf.constant(2.0),)).values[0]))
    assert found == [8.0, 20.0]


def test_settings_beside_what_a_step_builds_once_are_followed() -> None:
    strategy, cfg = tf.distribute.OneDeviceStrategy("CPU:0"), {"scale": 1.0}

    def replica(x: Any) -> Any:
        if "w" not in cfg:
            cfg["w"] = tf.Variable(1.0)
        return cfg["w"] * x * cfg["scale"]

    found = []
    with strategy.scope():
        for scale in (1.0, 2.0, 4.0):
            cfg["scale"] = scale
            found.append(float(strategy.run(replica, (tf.constant(1.0),))))
    assert found == [1.0, 2.0, 4.0]


def test_an_optimizers_setting_that_changes_before_a_recording_is_used_is_in_the_program() -> None:
    v, optimizer = tf.Variable(1.0), tf.keras.optimizers.SGD(1.0)

    @tf.function
    def step(iterator: Any) -> Any:
        x, y = next(iterator), next(iterator)
        optimizer.apply_gradients([(x * y, v)])
        return v + 0.0

    def drawn(values: list[float]) -> Any:
        return iter(tf.data.Dataset.from_tensor_slices(values))

    with pytest.raises(tf.errors.OutOfRangeError):
        step(drawn([10.0]))
    optimizer.clipnorm = 1.0
    assert float(step(drawn([10.0, 10.0]))) == 0.0
