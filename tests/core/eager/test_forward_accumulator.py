"""tf.autodiff.ForwardAccumulator in Python, in compiled functions and in replicas: TensorFlow's answers, layers, errors."""

from collections.abc import Callable
from typing import Any

import jax
import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import TapeError
from tests.core.step.observing import compilations
from tests.core.step.test_custom_gradient import RECORDED, compiled, eagerly, first_of_replicas, in_every_mode
from tests.core.step.test_gradient_tape import plain
from tests.parity.autodiff_behaviours import FORWARD

# TensorFlow loses the tangent of a variable in a tf.function inside a tf.function.
DIFFERENT = {"forward_through_a_function": 57.0}


def expected(name: str, mode: str) -> Any:
    """TensorFlow's answer, or ours where it is another one."""
    return DIFFERENT[name] if name in DIFFERENT else RECORDED[name][mode]["value"]


@pytest.mark.sampled
@in_every_mode
@pytest.mark.parametrize("name", FORWARD)
def test_same_value_as_tensorflow(name: str, run: Callable[[Any], Any]) -> None:
    assert plain(run(FORWARD[name](tf))) == expected(name, "function" if run is compiled else "eager")


@pytest.mark.sampled
@pytest.mark.parametrize("name", FORWARD)
def test_same_value_in_replicas(name: str) -> None:
    assert plain(first_of_replicas(FORWARD[name])) == expected(name, "function")


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("run", "layers"),
    [
        pytest.param(eagerly, 1, id="eagerly, of one layer"),  # each operation is a program: seconds for a network
        pytest.param(eagerly, 4, id="eagerly", marks=pytest.mark.thorough),
        pytest.param(compiled, 4, id="compiled"),
    ],
)
def test_hessian_vector_products_of_a_network(run: Callable[[Any], Any], layers: int) -> None:
    every = [
        keras.layers.Dense(3, activation="softmax"),
        keras.layers.Flatten(),
        keras.layers.BatchNormalization(),
        keras.layers.Conv1D(4, 3, activation="gelu"),
    ]
    model = keras.Sequential([keras.Input((8, 3)), *reversed(every[:layers])])
    x, variables = tf.constant(np.random.default_rng(0).normal(size=(4, 8, 3)), tf.float32), model.trainable_variables
    tangents = [tf.ones(v.shape) for v in variables]

    def forward_over_reverse() -> Any:
        with tf.autodiff.ForwardAccumulator(variables, tangents) as acc:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model(x, training=True) ** 2)
            gradients = tape.gradient(loss, variables)
        return acc.jvp(gradients)

    def reverse_over_reverse() -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                loss = tf.reduce_sum(model(x, training=True) ** 2)
            gradients = inner.gradient(loss, variables)
            total = tf.add_n([tf.reduce_sum(g) for g in gradients])
        return outer.gradient(total, variables)

    pairs = zip(run(forward_over_reverse), run(reverse_over_reverse), strict=True)
    for found, wanted in pairs:
        np.testing.assert_allclose(found, wanted, rtol=2e-4, atol=2e-5)


def test_the_tangents_of_one_operation_are_compiled_once() -> None:
    x = tf.constant([1.0, 2.0])

    def step() -> Any:
        with tf.autodiff.ForwardAccumulator(x, x) as acc:
            y = tf.sin(x) * x
        return acc.jvp(y)

    step()
    with compilations() as names:
        step()
    assert names == []


@in_every_mode
def test_a_custom_gradient_stands_for_a_derivative_that_the_function_lacks(run: Callable[[Any], Any]) -> None:
    def step() -> Any:
        x = tf.constant([3.0])
        f = tf.custom_gradient(lambda x: (tf.constant([7.0]), lambda upstream: upstream * 10.0 * x))
        with tf.autodiff.ForwardAccumulator(x, tf.constant([2.0])) as outer:
            with tf.autodiff.ForwardAccumulator(x, tf.constant([2.0])) as inner:
                y = f(x) * x
            tangent = inner.jvp(y)
        return tangent, outer.jvp(tangent)

    # dy = 10 x dx * x + 7 dx, and its own derivative 20 x dx dx + 10 x dx dx
    assert plain(run(step)) == [[194.0], [360.0]]


def test_values_that_leave_the_replicas() -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        v = tf.Variable(3.0)
    with tf.autodiff.ForwardAccumulator(v, tf.constant(2.0)) as acc:
        first, second = strategy.run(lambda: v * v).values
        total = first + 3 * second
    assert float(acc.jvp(total)) == 48.0


@pytest.mark.parametrize(
    ("make", "error", "match"),
    [
        (lambda x: tf.autodiff.ForwardAccumulator(x, tf.constant(2.0)), ValueError, r"has shape \(\)"),
        (lambda x: tf.autodiff.ForwardAccumulator([x, x], [x, x]), ValueError, "multiple times"),
        (lambda x: tf.autodiff.ForwardAccumulator(1.0, 1.0), TapeError, "tf.constant"),
        (lambda x: tf.autodiff.ForwardAccumulator(x, x).jvp(x), ValueError, "without first tracing"),
    ],
)
def test_errors(make: Callable[[Any], Any], error: type[Exception], match: str) -> None:
    with pytest.raises(error, match=match):
        make(tf.constant([1.0, 2.0]))


def test_it_is_opened_once_at_a_time() -> None:
    x = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, x) as acc, pytest.raises(ValueError, match="already recording"), acc:
        pass


def test_a_function_with_a_derivative_of_jax_in_reverse_only_is_an_error() -> None:
    @jax.custom_vjp
    def f(x: Any) -> Any:
        return x * x

    f.defvjp(lambda x: (x * x, x), lambda x, g: (g * x,))
    x = tf.constant(1.0)
    with tf.autodiff.ForwardAccumulator(x, x), pytest.raises(TapeError, match="custom_vjp"):
        f(x)
    assert float(x + 1.0) == 2.0


def test_compiled_functions_of_equal_arguments_have_their_own_tangents() -> None:
    x = tf.constant(3.0)
    for power in (2, 4):
        f = tf.function(lambda x, power=power: x**power)
        with tf.GradientTape() as tape:
            tape.watch(x)
            with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
                y = f(x)
            tangent = accumulator.jvp(y)
        assert float(tangent) == power * 3.0 ** (power - 1)
        assert float(tape.gradient(tangent, x)) == power * (power - 1) * 3.0 ** (power - 2)
