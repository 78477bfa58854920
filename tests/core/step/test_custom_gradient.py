"""tf.custom_gradient and tf.recompute_grad, in Python, in compiled functions and in replicas: TensorFlow's answers, errors."""

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
from tests.core.step.observing import programs_made
from tests.core.step.test_gradient_tape import plain
from tests.parity.autodiff_behaviours import BEHAVIOURS

RECORDED = json.loads((Path(__file__).parents[2] / "parity" / "recorded" / "autodiff.json").read_text())["behaviours"]


def eagerly(function: Callable[[], Any]) -> Any:
    """Runs a function in Python."""
    return function()


def compiled(function: Callable[[], Any]) -> Any:
    """Runs a function as one program."""
    return tf.function(function)()


def in_python_for_its_values(function: Callable[[], Any]) -> Any:
    """Runs a tf.function whose Python code needs a value."""

    @tf.function
    def step() -> Any:
        assert (tf.constant(1.0) + 1.0).numpy() == 2.0
        return function()

    return step()


MODES = [eagerly, compiled, in_python_for_its_values]
in_every_mode = pytest.mark.parametrize("run", MODES, ids=lambda run: run.__name__)


def first_of_replicas(program: Callable[[Any], Callable[[], Any]]) -> Any:
    """The result of a program on the first of two replicas."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        function = program(tf)
    made = strategy.run(function)
    return jax.tree.map(
        lambda leaf: None if leaf is None else strategy.experimental_local_results(leaf)[0],
        made,
        is_leaf=lambda leaf: leaf is None or not isinstance(leaf, tuple | list | dict),
    )


@pytest.mark.sampled
@in_every_mode
@pytest.mark.parametrize("name", [n for n in BEHAVIOURS if "value" in RECORDED[n]["eager"]])
def test_same_value_as_tensorflow(name: str, run: Callable[[Any], Any]) -> None:
    recorded = RECORDED[name]["function" if run is compiled else "eager"]
    assert plain(run(BEHAVIOURS[name](tf))) == recorded["value"]


@pytest.mark.sampled
@pytest.mark.parametrize("name", [n for n in BEHAVIOURS if "value" in RECORDED[n]["eager"]])
def test_same_value_in_replicas(name: str) -> None:
    assert plain(first_of_replicas(BEHAVIOURS[name])) == RECORDED[name]["function"]["value"]


@in_every_mode
@pytest.mark.parametrize("name", [n for n in BEHAVIOURS if "error" in RECORDED[n]["eager"]])
def test_same_error_as_tensorflow(name: str, run: Callable[[Any], Any]) -> None:
    recorded = RECORDED[name]["eager"]
    with pytest.raises(Exception, match=r".") as caught:
        run(BEHAVIOURS[name](tf))
    assert type(caught.value).__name__ == recorded["error"]
    assert recorded["message"].split(":")[0].rstrip(".") in str(caught.value)


@in_every_mode
def test_a_gradient_of_the_wrong_shape_is_an_error(run: Callable[[Any], Any]) -> None:
    total = tf.custom_gradient(lambda x: (tf.reduce_sum(x), lambda upstream: upstream))

    def step() -> Any:
        x = tf.constant([1.0, 2.0])
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = total(x)
        return tape.gradient(y, x)

    with pytest.raises(ValueError, match=r"gradient of shape \(\) for an argument or variable of shape \(2,\)"):
        run(step)


def test_a_gradient_function_that_assigns_a_variable_is_an_error_in_a_program() -> None:
    count = tf.Variable(0.0, trainable=False)

    @tf.custom_gradient
    def counted(x: Any) -> Any:
        def grad(upstream: Any) -> Any:
            count.assign_add(1.0)
            return upstream

        return x * 2.0, grad

    def step() -> Any:
        x = tf.constant(1.0)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = counted(x)
        return tape.gradient(y, x)

    assert (float(step()), float(count)) == (1.0, 1.0)
    with pytest.raises(TapeError, match=r"assigns .* in a compiled step"):
        tf.function(step)()


@in_every_mode
def test_a_function_without_a_gradient_function_is_an_error(run: Callable[[Any], Any]) -> None:
    with pytest.raises(TypeError, match="return its result and a gradient function"):
        run(lambda: tf.custom_gradient(lambda x: x * 2.0)(tf.constant(1.0)))


@tf.custom_gradient
def cube(x: Any) -> Any:
    square = x * x
    return square * x, lambda upstream: upstream * square * 30.0


def test_functions_of_jax_use_it() -> None:
    x = jnp.asarray([1.0, 2.0])
    np.testing.assert_array_equal(jax.grad(lambda x: cube(x).sum())(x), [30.0, 120.0])
    np.testing.assert_array_equal(jax.jit(jax.vmap(jax.grad(cube)))(x), [30.0, 120.0])
    np.testing.assert_array_equal(jax.vmap(jax.grad(jax.grad(cube)))(x), [60.0, 120.0])
    np.testing.assert_array_equal(jax.jvp(cube, (x,), (x,))[1], [3.0, 24.0])
    np.testing.assert_array_equal(jax.vmap(lambda t: jax.jvp(cube, (x,), (t,))[1])(jnp.eye(2)), np.diag([3.0, 12.0]))
    np.testing.assert_array_equal(jax.grad(lambda x: jax.jvp(cube, (x,), (x,))[1].sum())(x), [9.0, 36.0])


def test_it_costs_no_further_trace(monkeypatch: pytest.MonkeyPatch) -> None:
    made, calls = programs_made(monkeypatch), 0

    @tf.custom_gradient
    def f(x: Any) -> Any:
        nonlocal calls
        calls += 1
        return x * x, lambda upstream: upstream * x * 20.0

    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        return tape.gradient(y, x)

    for value in (1.0, 2.0, 3.0):
        assert float(step(tf.constant(value))) == 20.0 * value
    assert (len(made), calls) == (1, 1)


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", [None, "mirrored"])
def test_a_layer_trains_with_it_through_fit(strategy: str | None) -> None:
    class Reversed(keras.layers.Layer):  # type: ignore[misc]
        def build(self, shape: Any) -> None:
            self.scale = self.add_weight(shape=(), initializer="ones")

        def call(self, x: Any) -> Any:
            @tf.custom_gradient
            def f(x: Any) -> Any:
                def grad(upstream: Any, variables: Any = None) -> Any:
                    return -upstream, [tf.reduce_sum(upstream) * 0.0 + 1.0 for _ in variables]

                return x * tf.convert_to_tensor(self.scale), grad

            return f(x)

    with (
        tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope() if strategy else tf.distribute.get_strategy().scope()
    ):
        model = keras.Sequential([keras.Input((1,)), keras.layers.Dense(1, kernel_initializer="ones"), Reversed()])
        model.compile(keras.optimizers.SGD(0.25), "mse")
    x = np.ones((4, 1), "float32")
    model.fit(x, 0 * x, epochs=1, batch_size=4, verbose=0)
    kernel, bias, scale = (float(np.asarray(v).ravel()[0]) for v in model.get_weights())
    replicas = 2.0 if strategy else 1.0
    assert (kernel, bias) == (1.5, 0.5)  # the mean squared error's derivative is 2, reversed
    assert scale == 1.0 - 0.25 * replicas


# --- recompute_grad -----------------------------------------------------------------------------------------------------


@in_every_mode
def test_recomputation_has_the_same_random_numbers_and_assigns_once(run: Callable[[Any], Any]) -> None:
    dropout, count, w = keras.layers.Dropout(0.5, seed=3), tf.Variable(0.0, trainable=False), tf.Variable(tf.ones(64))

    def f(x: Any) -> Any:
        count.assign_add(1.0)
        return dropout(x, training=True) * w

    def step() -> Any:
        x = tf.ones((64,))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.recompute_grad(f)(x)
        return y, *tape.gradient(y, [x, w])

    step = tf.function(step) if run is compiled else step
    made = [[np.asarray(v) for v in (step() if run is compiled else run(step))] for _ in range(2)]
    for y, dx, dw in made:
        np.testing.assert_array_equal(dx, y)
        np.testing.assert_array_equal(dw, y)
    assert (made[0][0] != made[1][0]).any()
    assert float(count) == 2.0


def test_recomputation_of_a_compiled_function() -> None:
    dropout, w = keras.layers.Dropout(0.5, seed=3), tf.Variable(tf.ones(64))
    f = tf.recompute_grad(tf.function(lambda x: dropout(x, training=True) * w))
    made = []
    for _ in range(2):
        x = tf.ones((64,))
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = f(x)
        for g in tape.gradient(y, [x, w]):
            np.testing.assert_array_equal(g, y)
        made.append(np.asarray(y))
    assert (made[0] != made[1]).any()


def test_an_eager_tape_keeps_no_values_of_a_recomputed_function() -> None:
    calls: list[int] = []

    def f(x: Any) -> Any:
        calls.append(1)
        return tf.sin(tf.exp(tf.sin(x)))

    x = tf.ones((1024,))

    def kept(function: Callable[[Any], Any]) -> int:
        others = jax.live_arrays()  # kept, so that no new array gets the identity of one of them
        before = {id(a) for a in others}
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        count = sum(a.size == 1024 and id(a) not in before for a in jax.live_arrays())
        assert tape.gradient(y, x).shape == (1024,)
        return count

    plain_count, calls_before = kept(f), len(calls)
    assert kept(tf.recompute_grad(f)) < plain_count
    assert len(calls) == calls_before + 2


def test_the_compiler_does_not_merge_the_recomputation() -> None:
    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.recompute_grad(lambda x: tf.sin(tf.exp(x)))(x)
        return y, tape.gradient(y, x)

    x = tf.constant([0.5, 1.0])
    _, g = step(x)
    np.testing.assert_allclose(g, np.cos(np.exp(x)) * np.exp(x), rtol=1e-6)
    text = jax.jit(lambda x: step.python_function(x)).lower(x).compile().as_text()
    assert text.count(" exponential(") == 2


@in_every_mode
def test_second_derivatives_of_a_recomputed_function(run: Callable[[Any], Any]) -> None:
    w = tf.Variable(2.0)
    f = tf.recompute_grad(lambda x: w * x**3)

    def step() -> Any:
        x = tf.constant(3.0)
        with tf.GradientTape() as outer:
            outer.watch(x)
            with tf.GradientTape() as inner:
                inner.watch(x)
                y = f(x)
            g = inner.gradient(y, x)
        return g, outer.gradient(g, [x, w])

    assert plain(run(step)) == [54.0, [36.0, 27.0]]
