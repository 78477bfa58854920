"""tf.GradientTape inside a compiled step: TensorFlow's answers, real layers, and what is refused."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import TapeError
from tests.core.step.observing import count, programs_made
from tests.parity.tape_behaviours import BEHAVIOURS
from tests.thorough import thorough_but

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

RECORDED = json.loads((Path(__file__).parents[2] / "parity" / "recorded" / "tape.json").read_text())["behaviours"]

# Where we differ from TensorFlow: the reason, and what we give.
DIFFERENT = {
    "gather_repeats_add_up": ("gradients are dense; the numbers are the same", [2.0, 0.0, 1.0]),
}
# TensorFlow drops surplus output_gradients without a word.
REFUSED = {"output_gradients_weigh_the_target": (ValueError, "1 targets but 2 output_gradients")}


def plain(value: Any) -> Any:
    """A result in the notation of the recording."""
    if value is None:
        return None
    if isinstance(value, dict):
        return {key: plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    return json.loads(json.dumps(np.asarray(value).tolist()), parse_constant=str)


def compiled(function: Callable[..., Any], *args: Any) -> Any:
    """The result of the function as one compiled program."""
    return tf.function(function)(*args)


# --- TensorFlow's answers ---------------------------------------------------------------------------------------------


@pytest.mark.sampled
@pytest.mark.parametrize("name", [n for n in BEHAVIOURS if n not in REFUSED and "value" in RECORDED[n]["function"]])
def test_same_value_as_tensorflow(name: str) -> None:
    expected = DIFFERENT[name][1] if name in DIFFERENT else RECORDED[name]["function"]["value"]
    assert plain(compiled(BEHAVIOURS[name](tf))) == expected


@pytest.mark.parametrize("name", [n for n in BEHAVIOURS if "error" in RECORDED[n]["function"]])
def test_same_error_as_tensorflow(name: str) -> None:
    recorded = RECORDED[name]["function"]
    with pytest.raises(BaseException) as caught:  # noqa: PT011  # the recording says which
        compiled(BEHAVIOURS[name](tf))
    assert recorded["error"] in {cls.__name__ for cls in type(caught.value).__mro__}
    assert recorded["message"].removeprefix(recorded["error"] + ": ") in str(caught.value)


@pytest.mark.parametrize("name", REFUSED)
def test_refused_where_tensorflow_ignores_arguments(name: str) -> None:
    error, text = REFUSED[name]
    with pytest.raises(error, match=text):
        compiled(BEHAVIOURS[name](tf))


@pytest.mark.parametrize("name", DIFFERENT)
def test_the_documented_differences_are_real(name: str) -> None:
    assert RECORDED[name]["function"] != {"value": DIFFERENT[name][1]}


# --- Sources, targets, seeds ------------------------------------------------------------------------------------------


def test_watches_arguments_from_the_call_on() -> None:
    def step(x: Any) -> Any:
        before = x * x
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * before
        return tape.gradient(y, x)

    assert float(compiled(step, tf.constant(3.0))) == 9.0  # `before` was computed unwatched: a constant


def test_watches_structures() -> None:
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch({"x": x, "more": [y]})
            z = x * y
        return tape.gradient(z, {"x": x, "more": [y, None]})

    grads = compiled(step, tf.constant(2.0), tf.constant(5.0))
    assert plain(grads) == {"x": 5.0, "more": [2.0, None]}


def test_sources_keep_their_structure() -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.Dense(1)])

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x))
        return tape.gradient(loss, [tuple(layer.trainable_variables) for layer in model.layers])

    grads = compiled(step, tf.ones((4, 3)))
    assert [type(g) for g in grads] == [tuple, tuple]
    assert [[g.shape for g in group] for group in grads] == [[(3, 2), (2,)], [(2, 1), (1,)]]


def test_unconnected_sources_are_none_or_zeros_of_their_shape() -> None:
    v, far = tf.Variable([1.0, 2.0]), tf.Variable([[1.0]])

    def step(zero: bool) -> Any:
        with tf.GradientTape() as tape:
            y = v * v
        how = tf.UnconnectedGradients.ZERO if zero else tf.UnconnectedGradients.NONE
        return tape.gradient(y, [v, far], unconnected_gradients=how)

    assert plain(compiled(step, False)) == [[2.0, 4.0], None]
    assert plain(compiled(step, True)) == [[2.0, 4.0], [[0.0]]]


def test_a_model_that_does_not_use_a_variable_trains_the_others() -> None:
    used, unused = keras.layers.Dense(1), keras.layers.Dense(1)
    used.build((None, 2))
    unused.build((None, 2))
    optimizer = keras.optimizers.SGD(0.1)
    variables = [*used.trainable_variables, *unused.trainable_variables]
    before = [v.numpy() for v in variables]

    def step(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(used(x))
        pairs = [(g, v) for g, v in zip(tape.gradient(loss, variables), variables, strict=True) if g is not None]
        optimizer.apply_gradients(pairs)

    compiled(step, tf.ones((4, 2)))
    changed = [not np.array_equal(a, v.numpy()) for a, v in zip(before, variables, strict=True)]
    assert changed == [True, True, False, False]


def test_output_gradients_are_spread_over_their_targets() -> None:
    v = tf.Variable([1.0, 2.0])

    def step() -> Any:
        with tf.GradientTape() as tape:
            y, z = v * v, v * 3.0
        return tape.gradient([y, z], v, output_gradients=[tf.constant(2.0), None])

    assert plain(compiled(step)) == [7.0, 11.0]


def test_jacobian_of_a_dense_layer() -> None:
    layer = keras.layers.Dense(2, activation="tanh")
    layer.build((None, 3))
    x = tf.constant([[1.0, -1.0, 0.5]])

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = layer(x)
        return tape.jacobian(y, [layer.kernel, layer.bias])

    def by_hand(kernel: Any, bias: Any) -> Any:
        return jnp.tanh(x @ kernel + bias)

    expected = jax.jacobian(by_hand, argnums=(0, 1))(layer.kernel.value, layer.bias.value)
    for got, want in zip(compiled(step, x), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)


def test_batch_jacobian() -> None:
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.stack([x[:, 0] * x[:, 1], x[:, 0] ** 2, x[:, 1]], axis=1)
        return tape.batch_jacobian(y, x)

    got = compiled(step, tf.constant([[2.0, 3.0], [5.0, 7.0]]))
    np.testing.assert_allclose(got[0], [[3.0, 2.0], [4.0, 0.0], [0.0, 1.0]])
    np.testing.assert_allclose(got[1], [[7.0, 5.0], [10.0, 0.0], [0.0, 1.0]])


def test_batch_jacobian_needs_one_batch() -> None:
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.reduce_sum(x)
        return tape.batch_jacobian(y, x)

    with pytest.raises(ValueError, match="need the same first dimension"):
        compiled(step, tf.ones((2, 2)))


def test_half_precision_gradients_have_the_dtype_of_their_sources() -> None:
    v = tf.Variable([1.0, 2.0])

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = tf.cast(v, tf.float16) * 2
        return tape.gradient(y, v)

    assert compiled(step).dtype == jnp.float32


# --- What is watched --------------------------------------------------------------------------------------------------


def test_watched_variables_are_those_read() -> None:
    v, w, unread, frozen = tf.Variable(1.0), tf.Variable(2.0), tf.Variable(3.0), tf.Variable(4.0, trainable=False)

    found: list[Any] = []

    def noting() -> None:
        _ = unread * 1.0
        with tf.GradientTape() as tape:
            _ = frozen * w * v
        found.append([id(x) for x in tape.watched_variables()])

    compiled(noting)
    assert all(ids == [id(v), id(w)] for ids in found)


def test_training_on_watched_variables() -> None:
    layer, optimizer = keras.layers.Dense(1), keras.optimizers.SGD(0.1)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(layer(x) ** 2)
        variables = tape.watched_variables()
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    run = tf.function(step)
    first = float(run(tf.ones((4, 2))))
    assert float(run(tf.ones((4, 2)))) < first


def test_without_automatic_watching_only_named_variables_have_gradients() -> None:
    layer = keras.layers.Dense(1)

    def step(x: Any) -> Any:
        layer(x)  # builds it
        with tf.GradientTape(watch_accessed_variables=False) as tape:
            tape.watch(layer.bias)
            y = layer(x)
        return tape.gradient(y, [layer.kernel, layer.bias]), len(tape.watched_variables())

    grads, watched = compiled(step, tf.ones((3, 2)))
    assert grads[0] is None
    assert plain(grads[1]) == [3.0]
    assert watched == 1


def test_assigning_under_the_tape_starts_a_new_value() -> None:
    v, w = tf.Variable(3.0), tf.Variable(2.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = v * v
            v.assign(w * 5.0)
            z = v * v
        return tape.gradient([y, z], [v, w])

    assert plain(compiled(step)) == [26.0, None]
    assert float(v) == 10.0


def test_an_average_over_replicas_is_a_value_like_any_other() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable([1.0, 2.0], aggregation=tf.VariableAggregation.MEAN)

    def step(x: Any) -> Any:
        v.assign([x, 2.0 * x])
        with tf.GradientTape() as tape:
            loss = x * tf.reduce_sum(tf.square(v))
        before = tape.gradient(loss, v)
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(tf.square(v))
            v.assign(x * v)
            loss += x * tf.reduce_sum(v)
        return before, tape.gradient(loss, v)

    x = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant([1.0, 3.0])[context.replica_id_in_sync_group]
    )
    found = [strategy.experimental_local_results(g) for g in strategy.run(step, args=(x,))]
    # As in TensorFlow: every replica's own, by the value that it has read.
    assert [[g.numpy().tolist() for g in each] for each in found] == [
        [[4.0, 8.0], [12.0, 24.0]],
        [[5.0, 9.0], [7.0, 11.0]],
    ]


def test_batch_statistics_change_under_the_tape() -> None:
    layer = keras.layers.BatchNormalization()
    layer.build((None, 2))
    x = np.random.default_rng(0).normal(size=(8, 2)).astype("float32")

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(layer(x, training=True) ** 3)
        return tape.gradient(loss, layer.trainable_variables)

    gamma, beta = compiled(step, x)

    def by_hand(gamma: Any, beta: Any) -> Any:
        return jnp.sum((gamma * (x - x.mean(0)) / jnp.sqrt(x.var(0) + 1e-3) + beta) ** 3)

    expected = jax.grad(by_hand, argnums=(0, 1))(jnp.ones(2), jnp.zeros(2))
    np.testing.assert_allclose(gamma, expected[0], rtol=1e-4)
    np.testing.assert_allclose(beta, expected[1], rtol=1e-4)
    np.testing.assert_allclose(layer.moving_mean.numpy(), 0.01 * x.mean(0), rtol=1e-4)


# --- One forward pass -------------------------------------------------------------------------------------------------


def test_several_gradients_share_one_forward_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    model = keras.Sequential([keras.Input((4,)), keras.layers.Dense(3, activation="tanh"), keras.layers.Dense(2)])
    first, second = model.layers
    made = programs_made(monkeypatch)

    def once(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(model(x) ** 2)
        return tape.gradient(loss, model.trainable_variables)

    def thrice(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = model(x)
            loss, other = tf.reduce_sum(y**2), tf.reduce_sum(y**3)
        return [
            tape.gradient(loss, first.trainable_variables),
            tape.gradient(loss, second.trainable_variables),
            tape.gradient(other, model.trainable_variables),
        ]

    single = compiled(once, tf.ones((5, 4)))
    several = compiled(thrice, tf.ones((5, 4)))
    for got, want in zip([*several[0], *several[1]], single, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)
    assert count(made[0].closed, "dot_general") == 5  # two forward; kernel, input, kernel backward
    assert count(made[1].closed, "dot_general") == 2 + 3 * 3  # two forward only


def test_the_forward_pass_is_there_once_when_its_values_are_returned(monkeypatch: pytest.MonkeyPatch) -> None:
    layer = keras.layers.Dense(3)
    layer.build((None, 4))
    made = programs_made(monkeypatch)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = layer(x)
            loss = tf.reduce_sum(tf.nn.softmax(y) ** 2)
        return y, loss, tape.gradient(loss, layer.trainable_variables)

    compiled(step, tf.ones((5, 4)))
    assert count(made[0].closed, "dot_general") == 2
    assert count(made[0].closed, "exp") == 1


def test_no_marker_is_left_in_the_program(monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)
    v = tf.Variable(2.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = tf.while_loop(
                lambda i, y: i < 3, lambda i, y: (i + 1, y * v), [0, v.read_value()], maximum_iterations=3
            )[1]
        return tape.gradient(y, v)

    assert float(compiled(step)) == 32.0
    assert count(made[0].closed, "tape_mark") == count(made[0].closed, "tape_gradient") == 0


# --- Tapes in tapes ---------------------------------------------------------------------------------------------------


def test_second_order_through_a_dense_model() -> None:
    model = keras.Sequential([keras.Input((2,)), keras.layers.Dense(4, activation="tanh"), keras.layers.Dense(1)])

    def step(x: Any) -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = model(x)
            slope = inner.gradient(y, x)
            penalty = tf.reduce_mean((tf.norm(slope, axis=1) - 1.0) ** 2)
        return outer.gradient(penalty, model.trainable_variables)

    weights = [v.value for v in model.trainable_variables]
    x = jnp.asarray(np.random.default_rng(1).normal(size=(3, 2)), "float32")

    def penalty(weights: Any) -> Any:
        def y(x: Any) -> Any:
            return jnp.sum(jnp.tanh(x @ weights[0] + weights[1]) @ weights[2] + weights[3])

        return jnp.mean((jnp.linalg.norm(jax.grad(y)(x), axis=1) - 1.0) ** 2)

    expected = jax.grad(penalty)(weights)
    got = compiled(step, x)
    assert got[3] is None  # the last bias does not change the slope
    for g, e in zip(got[:3], expected[:3], strict=True):
        np.testing.assert_allclose(g, e, rtol=1e-4, atol=1e-6)


def test_third_order() -> None:
    v = tf.Variable(2.0)

    def step() -> Any:
        with tf.GradientTape() as a:
            with tf.GradientTape() as b:
                with tf.GradientTape() as c:
                    y = v**4
                first = c.gradient(y, v)
            second = b.gradient(first, v)
        return first, second, a.gradient(second, v)

    assert plain(compiled(step)) == [32.0, 48.0, 48.0]


def test_hessian_as_jacobian_of_gradient() -> None:
    v = tf.Variable([1.0, 2.0])

    def step() -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = v[0] ** 2 * v[1] ** 3
            slope = inner.gradient(y, v)
        return outer.jacobian(slope, v)

    np.testing.assert_allclose(compiled(step), [[16.0, 24.0], [24.0, 12.0]], rtol=1e-6)


def test_the_gradient_of_one_model_trains_another() -> None:
    """MAML's inner step: the outer tape sees the inner update."""
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = v * v
            moved = v - 0.1 * inner.gradient(loss, v)
            outer_loss = moved**2
        return outer.gradient(outer_loss, v)

    np.testing.assert_allclose(compiled(step), 2 * 0.8 * 0.8 * 3.0, rtol=1e-6)


def test_stop_recording_lasts_as_long_as_its_block() -> None:
    v = tf.Variable(3.0)

    def step() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = v * v
            with tape.stop_recording():
                early = tape.gradient(y, v)
                hidden = v * v
            z = v * early + hidden
        return early, tape.gradient(z, v)

    assert plain(compiled(step)) == [6.0, 6.0]


# --- Layers whose programs have loops, branches, or derivatives of their own ------------------------------------------


def by_finite_differences(
    function: Callable[..., Any], variable: Any, index: tuple[int, ...], step: float = 1e-3
) -> float:
    """The slope of a scalar function of no arguments along one element of a variable."""
    value, results = variable.numpy().copy(), []
    for sign in (1, -1):
        moved = value.copy()
        moved[index] += sign * step
        variable.assign(moved)
        results.append(float(function()))
    variable.assign(value)
    return (results[0] - results[1]) / (2 * step)


@pytest.mark.sampled
@pytest.mark.parametrize(
    "cls", thorough_but(["LSTM", "SimpleRNN"], ["LSTM", "GRU", "SimpleRNN", "Bidirectional", "unrolled"])
)
def test_recurrent_layers(cls: str) -> None:
    if cls == "Bidirectional":
        layer = keras.layers.Bidirectional(keras.layers.LSTM(2))
    elif cls == "unrolled":
        layer = keras.layers.LSTM(2, unroll=True)
    else:
        layer = getattr(keras.layers, cls)(2)
    x = np.random.default_rng(2).normal(size=(3, 4, 2)).astype("float32")

    def loss(x: Any) -> Any:
        return tf.reduce_sum(layer(x) ** 2)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = loss(x)
        return tape.gradient(y, layer.trainable_variables)

    grads = compiled(step, x)
    for variable, gradient in zip(layer.trainable_variables, grads, strict=True):
        index = (0,) * len(variable.shape)
        slope = by_finite_differences(lambda: loss(x), variable, index)
        assert float(gradient[index]) == pytest.approx(slope, rel=0.05, abs=2e-3)


def under_scope(model: Any) -> Callable[[Any], Any]:
    return lambda x: model(x)


def under_checkpoint(model: Any) -> Callable[[Any], Any]:
    return jax.checkpoint(lambda x: model(x))


@pytest.mark.parametrize("wrap", [under_scope, under_checkpoint])
def test_rematerialised_layers(wrap: Callable[..., Any]) -> None:
    if wrap is under_scope:
        with keras.RematScope(mode="full"):
            model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)])
    else:
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(4, "tanh"), keras.layers.Dense(1)])
    run = wrap(model)
    x = np.random.default_rng(3).normal(size=(5, 3)).astype("float32")

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(run(x) ** 2)
        return tape.gradient(loss, model.trainable_variables)

    weights = [v.value for v in model.trainable_variables]
    expected = jax.grad(lambda w: jnp.sum((jnp.tanh(x @ w[0] + w[1]) @ w[2] + w[3]) ** 2))(weights)
    for got, want in zip(compiled(step, x), expected, strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-4, atol=1e-5)


def test_a_custom_derivative_is_used() -> None:
    @jax.custom_vjp
    def ours(x: Any) -> Any:
        return x * 2.0

    ours.defvjp(lambda x: (x * 2.0, None), lambda _, g: (g * 100.0,))
    v = tf.Variable(1.0)

    def step() -> Any:
        with tf.GradientTape() as tape:
            y = ours(v.read_value())
        return tape.gradient(y, v)

    assert float(compiled(step)) == 100.0


def test_a_gradient_through_a_branch() -> None:
    v = tf.Variable(3.0)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = tf.cond(x > 0, lambda: v * v, lambda: v * 10.0)
        return tape.gradient(y, v)

    assert plain([compiled(step, tf.constant(x)) for x in (1.0, -1.0)]) == [6.0, 10.0]


def test_a_gradient_through_a_loop() -> None:
    v = tf.Variable(2.0)

    def step(n: Any) -> Any:
        with tf.GradientTape() as tape:
            _, y = tf.while_loop(
                lambda i, y: i < n,
                lambda i, y: (i + 1, y * v),
                [tf.constant(0), tf.constant(1.0)],
                maximum_iterations=5,
            )
        return tape.gradient(y, v)

    assert plain([compiled(step, tf.constant(n)) for n in (1, 3)]) == [1.0, 12.0]


@pytest.mark.parametrize("construct", ["while_loop", "scan", "cond"])
def test_a_tape_opened_inside_a_body(construct: str) -> None:
    v = tf.Variable(3.0)

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = v * v * x
        return tape.gradient(y, v)

    def step(x: Any) -> Any:
        if construct == "while_loop":
            return tf.while_loop(lambda i, s: i < 2, lambda i, s: (i + 1, s + slope(x)), [0, tf.zeros(())])[1]
        if construct == "scan":
            return tf.scan(lambda s, row: s + slope(row), tf.stack([x, x]), initializer=tf.zeros(()))[-1]
        return tf.cond(x > 0, lambda: 2.0 * slope(x), lambda: x)

    assert float(compiled(step, tf.constant(1.0))) == 12.0


def test_a_tape_of_a_layer_inside_a_loop_body_trains_it() -> None:
    """Gradient descent whose loop is in the program."""
    v = tf.Variable(4.0)

    def body(i: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = v * v
        v.assign_sub(0.25 * tape.gradient(loss, v))
        return (i + 1,)

    def step(n: Any) -> Any:
        return tf.while_loop(lambda i: i < n, body, [tf.constant(0)])

    compiled(step, tf.constant(3))
    assert float(v) == 0.5


# --- Training ---------------------------------------------------------------------------------------------------------


@pytest.mark.thorough
def test_two_networks_against_each_other() -> None:
    keras.utils.set_random_seed(1)
    generator = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(2)])
    critic = keras.Sequential([keras.layers.Dense(4, activation="relu"), keras.layers.Dense(1)])
    opt_g, opt_c = keras.optimizers.Adam(0.01), keras.optimizers.Adam(0.01)
    bce = keras.losses.BinaryCrossentropy(from_logits=True)

    def step(real: Any, noise: Any) -> Any:
        with tf.GradientTape() as tape_g, tf.GradientTape() as tape_c:
            fake = generator(noise, training=True)
            on_real, on_fake = critic(real, training=True), critic(fake, training=True)
            loss_g = bce(tf.ones_like(on_fake), on_fake)
            loss_c = bce(tf.ones_like(on_real), on_real) + bce(tf.zeros_like(on_fake), on_fake)
        grads_g = tape_g.gradient(loss_g, generator.trainable_variables)
        grads_c = tape_c.gradient(loss_c, critic.trainable_variables)
        opt_g.apply_gradients(zip(grads_g, generator.trainable_variables, strict=True))
        opt_c.apply_gradients(zip(grads_c, critic.trainable_variables, strict=True))
        return grads_g, grads_c

    rng = np.random.default_rng(4)
    real, noise = (jnp.asarray(rng.normal(size=(6, n)), "float32") for n in (2, 3))
    run = tf.function(step)
    run(real, noise)
    weights = [v.numpy() for v in generator.trainable_variables], [v.numpy() for v in critic.trainable_variables]

    def net(w: Any, x: Any) -> Any:
        return jax.nn.relu(x @ w[0] + w[1]) @ w[2] + w[3]

    def loss_g(g: Any, c: Any) -> Any:
        return jnp.mean(jax.nn.softplus(-net(c, net(g, noise))))

    def loss_c(g: Any, c: Any) -> Any:
        return jnp.mean(jax.nn.softplus(-net(c, real))) + jnp.mean(jax.nn.softplus(net(c, net(g, noise))))

    expected = jax.grad(loss_g)(*weights), jax.grad(loss_c, argnums=1)(*weights)
    for got, want in zip(run(real, noise), expected, strict=True):
        for a, b in zip(got, want, strict=True):
            np.testing.assert_allclose(a, b, rtol=1e-4, atol=1e-5)
    assert int(opt_g.iterations) == int(opt_c.iterations) == 2


def test_mixed_precision() -> None:
    keras.mixed_precision.set_global_policy("mixed_float16")
    try:
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.Dense(1, dtype="float32")])
        optimizer = keras.mixed_precision.LossScaleOptimizer(keras.optimizers.SGD(0.01), initial_scale=64.0)
    finally:
        keras.mixed_precision.set_global_policy("float32")

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            hidden = model.layers[0](x)
            loss = tf.reduce_mean(model.layers[1](hidden) ** 2)
            scaled = optimizer.scale_loss(loss)
        grads = tape.gradient(scaled, model.trainable_variables)
        optimizer.apply_gradients(zip(grads, model.trainable_variables, strict=True))
        return hidden, loss, grads

    run = tf.function(step)
    hidden, first, grads = run(tf.ones((4, 3)))
    assert hidden.dtype == jnp.float16
    assert {str(g.dtype) for g in grads} == {"float32"}
    assert float(run(tf.ones((4, 3)))[1]) < float(first)


# --- Errors -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("what", ["watch", "gradient", "stop_recording", "reset", "jacobian"])
def test_use_after_the_step(what: str) -> None:
    tapes: list[Any] = []

    def step(x: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            y = x * x
        tapes.append(tape)
        return y

    y = compiled(step, tf.constant(1.0))
    tape = tapes[-1]
    calls: dict[str, Callable[[], Any]] = {
        "watch": lambda: tape.watch(y),
        "gradient": lambda: tape.gradient(y, y),
        "stop_recording": lambda: tape.stop_recording().__enter__(),
        "reset": tape.reset,
        "jacobian": lambda: tape.jacobian(y, y),
    }
    with pytest.raises(TapeError, match=rf"tape\.{what} is called outside the compiled step in which"):
        calls[what]()


def test_a_tape_that_was_never_opened() -> None:
    with pytest.raises(TapeError, match=r"tape\.gradient is called on a tape that was never opened"):
        compiled(lambda: tf.GradientTape().gradient(tf.constant(1.0), tf.constant(1.0)))


def test_a_gradient_at_another_level() -> None:
    v = tf.Variable(3.0)

    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = v * v
        return tf.cond(x > 0, lambda: tape.gradient(y, v), lambda: x)

    with pytest.raises(TapeError, match=r"inside a cond, while, scan or map body.*same level"):
        compiled(step, tf.constant(1.0))


def test_a_tape_inside_a_function_with_its_own_derivative() -> None:
    v = tf.Variable(3.0)

    @jax.custom_vjp
    def ours(x: Any) -> Any:
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient(y, v) * x

    ours.defvjp(lambda x: (x, None), lambda _, g: (g,))
    with pytest.raises(TapeError, match=r"custom_vjp_call.*Open and use the tape outside of it"):
        compiled(lambda x: ours(x), tf.constant(1.0))


@pytest.mark.parametrize(
    "make", [tf.zeros_like, tf.identity, lambda v: tf.cast(2, tf.float32), lambda v: tf.ones([]) * 1.0]
)
@pytest.mark.parametrize("changed", [False, True])
def test_a_tensor_that_the_program_writes_as_a_number_is_watched(make: Callable[[Any], Any], changed: bool) -> None:
    v = tf.Variable(3.0)

    def step() -> Any:
        x = make(v)
        before = x * 10.0
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x + before
        if changed:
            v.assign_add(1.0)
        return x, before, tape.gradient(y, x)

    for _ in range(2):
        x, before, gradient = map(float, compiled(step))
        assert (before, gradient) == (10.0 * x, 2.0 * x)


def test_a_scalar_that_a_step_draws_or_has_from_outside_is_watched() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    drawn = iter(tf.data.Dataset.from_tensor_slices([2.0, 3.0, 4.0]))
    held = strategy.experimental_distribute_values_from_function(lambda context: 1.0 + context.replica_id_in_sync_group)

    def slope(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    step = tf.function(lambda: (slope(next(drawn)), strategy.run(slope, args=(held,))))
    for x in (2.0, 3.0):
        of_drawn, of_held = step()
        assert float(of_drawn) == 2 * x
        assert [float(g) for g in of_held.values] == [2.0, 4.0]


def test_a_number_cannot_be_watched() -> None:
    def step() -> None:
        with tf.GradientTape() as tape:
            tape.watch(3.0)

    with pytest.raises(TapeError, match=r"watches tensors and variables, not the number 3\.0.*tf\.constant"):
        compiled(step)


def test_an_error_inside_the_tape_leaves_nothing_open() -> None:
    v = tf.Variable(3.0)

    def fails() -> None:
        with tf.GradientTape():
            raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        compiled(fails)

    def step() -> Any:
        try:
            with tf.GradientTape() as tape:
                raise KeyError("mine")
        except KeyError:
            pass
        with tf.GradientTape() as tape:
            y = v * v
        return tape.gradient(y, v)

    assert float(compiled(step)) == 6.0


def test_a_tape_in_a_function_that_runs_in_python_gives_the_same() -> None:
    def gradient(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = x * x
        return tape.gradient(y, x)

    def loop(inner: Any) -> Any:
        @tf.function
        def steps(x: Any) -> Any:
            return [inner(x) for _ in tf.data.Dataset.range(2)]

        return steps

    strategy = tf.distribute.get_strategy()
    for inner in (gradient, tf.function(gradient), lambda x: strategy.run(gradient, (x,))):
        assert loop(inner)(tf.constant(3.0)) == [6.0, 6.0]


# --- What has no gradient ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("decorate", [lambda f: f, tf.function], ids=["in Python", "compiled"])
def test_integers_have_no_gradient_and_a_warning_says_so(
    decorate: Callable[[Any], Any], caplog: pytest.LogCaptureFixture
) -> None:
    def step() -> Any:
        x, n = tf.constant(2.0), tf.constant(3)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y, count = x * tf.cast(n, tf.float32), tf.cast(x, tf.int32)
        return tape.gradient(y, n), tape.gradient(count, x), tape.gradient(y, x)

    assert plain(decorate(step)()) == [None, None, 3.0]
    assert "The dtype of the source tensor must be floating (e.g. tf.float32)" in caplog.text
    assert "The dtype of the target tensor must be floating (e.g. tf.float32)" in caplog.text


@pytest.mark.parametrize("decorate", [lambda f: f, tf.function], ids=["in Python", "compiled"])
def test_nothing_flows_through_stop_gradient(decorate: Callable[[Any], Any]) -> None:
    w = tf.Variable(2.0)

    def step() -> Any:
        x = tf.constant(3.0)
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = tf.stop_gradient(x) * tf.stop_gradient(w * x)
            z = y * x
        return tape.gradient(y, [x, w]), tape.gradient(tf.stop_gradient(x), x), tape.gradient(z, [x, w])

    assert plain(decorate(step)()) == [[None, None], None, [18.0, None]]


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "compiled"])
def test_the_results_of_a_compiled_function_are_connected_to_what_any_of_them_depends_on(run: Any) -> None:
    """As in TensorFlow 2.15.1, which differentiates a function's results together: zeros, and not None."""
    weight, other = tf.Variable([1.0, 2.0]), tf.Variable(3.0)

    @tf.function
    def two(x: Any, y: Any) -> Any:
        return x * weight, {"sum": y + other, "count": tf.constant(1)}

    @tf.function
    def one(x: Any, y: Any) -> Any:
        return x * weight

    def gradients(x: Any, y: Any) -> Any:
        with tf.GradientTape(persistent=True) as tape:
            tape.watch([x, y])
            first = two(x, y)[0]
            alone = one(x, y)
        return tape.gradient(first, [x, y, weight, other]), tape.gradient(alone, [x, y, weight, other])

    first, alone = run(gradients)(tf.constant([5.0, 6.0]), tf.constant(7.0))
    assert [v.numpy().tolist() for v in first] == [[1.0, 2.0], 0.0, [5.0, 6.0], 0.0]
    assert [None if v is None else v.numpy().tolist() for v in alone] == [[1.0, 2.0], None, [5.0, 6.0], None]


def test_joined_results_vary_between_replicas_as_they_do_alone() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        total = tf.Variable(0.0)

    @tf.function
    def inner(x: Any) -> Any:
        return x * 2.0, tf.constant(1.0) * 3.0

    def replica(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            mine, same = inner(x)
        total.assign(same)  # the same on all replicas, although the other result is not
        return tape.gradient(mine, x)

    values = strategy.experimental_distribute_values_from_function(
        lambda context: tf.constant(float(context.replica_id_in_sync_group))
    )
    found = strategy.run(replica, (values,))
    assert [float(v) for v in strategy.experimental_local_results(found)] == [2.0, 2.0]
    assert float(total) == 3.0


@pytest.mark.parametrize("run", [lambda f: f, tf.function], ids=["eager", "compiled"])
@pytest.mark.parametrize("watched", [True, False])
def test_a_variable_that_is_a_target_has_the_gradient_one_by_itself(run: Any, watched: bool) -> None:
    """The numbers are TensorFlow 2.15.1's."""
    v = tf.Variable([1.0, 2.0])
    times = tf.function(lambda x: x * v)

    def gradients(x: Any) -> Any:
        with tf.GradientTape(persistent=True, watch_accessed_variables=watched) as tape:
            y = times(x)
        return tape.gradient([y, v], v), tape.gradient(v, v)

    both, alone = run(gradients)(tf.constant([3.0, 4.0]))
    assert both.numpy().tolist() == ([4.0, 5.0] if watched else [1.0, 1.0])
    assert alone.numpy().tolist() == [1.0, 1.0]
