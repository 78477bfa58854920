"""Sums of differences from their own mean are zero, and are not computed; sums that only look like them are."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf

# Private: a sum that is not computed shows in no result but by its rounding errors.
from stratagem._core.rewrites._zero_sums import without_zero_sums
from stratagem._core.step.programs import _program

X = np.random.default_rng(0).normal(3, 2, (6, 5, 4)).astype("float32")


def sums_before_and_after(function: Callable[..., Any], *arrays: Any) -> tuple[int, int]:
    """How many sums a function has; the results must be the same but for rounding."""
    closed = jax.make_jaxpr(function)(*arrays)
    new = without_zero_sums(closed.jaxpr)
    for ours, expected in zip(
        jax.core.eval_jaxpr(new, closed.consts, *arrays), jax.core.eval_jaxpr(closed.jaxpr, closed.consts, *arrays), strict=True
    ):  # fmt: skip
        np.testing.assert_allclose(ours, expected, rtol=1e-5, atol=2e-4)
    return tuple(sum(str(p).count("= reduce_sum[") for p in [jaxpr]) for jaxpr in (closed.jaxpr, new))


def variance(x: jax.Array, axes: Any) -> jax.Array:
    return jnp.mean(jnp.square(x - jnp.mean(x, axes, keepdims=True)), axes)


@pytest.mark.parametrize("axes", [(0, 1), (0,), (2,), (1, 2)])
@pytest.mark.parametrize("of", [variance, jnp.var, jnp.std])
def test_the_gradient_of_a_variance_has_a_sum_less(of: Any, axes: tuple[int, ...]) -> None:
    before, after = sums_before_and_after(jax.grad(lambda x: jnp.sum(jnp.sin(of(x, axes)))), X)
    assert after < before


def in_a_gradient(sum_of: Callable[[jax.Array], jax.Array]) -> Callable[[jax.Array], jax.Array]:
    """A function whose gradient has the sums of another one, which JAX takes for parts of a derivative."""

    def gradient(x: jax.Array) -> jax.Array:
        def backward(x: jax.Array, cotangent: jax.Array) -> jax.Array:
            return cotangent * sum_of(x)

        spread = jax.custom_vjp(lambda x, y: y)
        spread.defvjp(lambda x, y: (y, x), lambda x, cotangent: (jnp.zeros_like(x), backward(x, cotangent)))
        result = jax.eval_shape(sum_of, x)
        return jax.grad(lambda y: jnp.sum(spread(x, y)))(jnp.zeros(result.shape, result.dtype))

    return gradient


FACTOR = np.float32(0.25)
SQUARE = X[:5, :, 0]


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jnp.sum(x - jnp.mean(x, 0), 0),
        lambda x: jnp.sum(-2 * (x - jnp.mean(x, (0, 1))) * x[:1, :1], (0, 1)),
        lambda x: jnp.sum((x - jnp.mean(x, 2, keepdims=True)) / (1 + x[:, :, :1] ** 2), 2),
        lambda x: jnp.sum(0.0 + FACTOR * (x - jnp.mean(x, 0)), 0),
        lambda x: jnp.sum(x - jnp.reshape(jnp.mean(x, 1), (6, 1, 4)), -2),
    ],
)
def test_such_a_sum_is_found_behind_signs_and_factors(function: Any) -> None:
    before, after = sums_before_and_after(in_a_gradient(function), X)
    assert after == before - 1
    before, after = sums_before_and_after(function, X)
    assert after == before, "outside of gradients rounding may be what a program asks for"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_numbers_that_are_not_finite_stay(value: float) -> None:
    closed = jax.make_jaxpr(in_a_gradient(lambda x: jnp.sum(2 * (x - jnp.mean(x, 0)), 0)))(SQUARE)
    damaged = SQUARE.copy()
    damaged[2, 3] = value
    (result,) = jax.core.eval_jaxpr(without_zero_sums(closed.jaxpr), closed.consts, damaged)
    np.testing.assert_array_equal(np.isnan(result), [False, False, False, True, False])


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jnp.sum(x - jnp.mean(x)),  # all elements: no normalization has it
        lambda x: jnp.sum(x - jnp.mean(x, 0), 1),  # other axes
        lambda x: jnp.sum(x - jnp.mean(x, (0, 1)), 0),  # fewer
        lambda x: jnp.sum(x - jnp.mean(x, 0), (0, 1)),  # more
        lambda x: jnp.sum(x - jnp.sum(x, 0) / 5, 0),  # not the mean of six
        lambda x: jnp.sum(x - jnp.sum(x, 0), 0),
        lambda x: jnp.sum(x - jnp.mean(2 * x, 0), 0),  # of something else
        lambda x: jnp.sum((x - jnp.mean(x, 0)) * x, 0),  # a factor that varies
        lambda x: jnp.sum((x - jnp.mean(x, 0)) * x[:, :1], 0),
        lambda x: jnp.sum(x / (x - jnp.mean(x, 0)), 0),
        lambda x: jnp.sum(jnp.mean(x, 0) - x + 1, 0),  # an addend
        lambda x: jnp.sum(jnp.abs(x - jnp.mean(x, 0)), 0),
        lambda x: jnp.sum(jnp.where(x > 3, x - jnp.mean(x, 0), 0), 0),
        lambda x: jnp.sum(x[:3] - jnp.mean(x, 0), 0),  # of a part
        lambda x: jnp.sum(x - jnp.mean(x, 0) - jnp.mean(x, 0), 0),
        lambda x: jnp.sum(1.0 - x, 0),  # scalars
        lambda x: jnp.sum(jnp.sum(x) - x, 0),
        lambda x: jnp.sum(jnp.zeros((3, 4)) + (x[0, 0, 0] - x[1, 0, 0]), 0),
    ],
)
def test_other_sums_are_computed(function: Any) -> None:
    before, after = sums_before_and_after(in_a_gradient(function), X)
    assert after == before


@pytest.mark.parametrize(
    "function",
    [
        lambda k: jnp.sum(k - jnp.mean(k, 0)[:, None], 0),
        lambda k: jnp.sum(k - jnp.mean(k, 1)[None, :], 1),
        lambda k: jnp.sum(k - jnp.reshape(jnp.mean(k, 0), (5, 1)), 0),
        lambda k: jnp.sum(k - jnp.reshape(jnp.mean(k, 1), (1, 5)), 1),
        lambda k: jnp.sum(k - jnp.broadcast_to(jnp.mean(k, 0)[:, None], k.shape), 0),
        lambda k: jnp.sum(k[:, None] - jnp.mean(k[:, None], (0, 1))[:, None, None], (0, 1)),
    ],
)
def test_means_that_lie_along_a_different_axis_of_the_same_size_are_others(function: Any) -> None:
    before, after = sums_before_and_after(in_a_gradient(function), SQUARE)
    assert after == before


def test_compiled_functions_of_centred_matrices_are_those_that_run_eagerly() -> None:
    matrix = tf.constant(SQUARE)
    for function in (
        lambda k: tf.reduce_sum(k - tf.reduce_mean(k, 0)[:, None], 0),
        lambda k: tf.reduce_sum(1.0 - k, 0),
        lambda k: keras.ops.sum(keras.ops.zeros_like(k)) + k,
        lambda k: tf.reduce_sum(k - tf.reduce_mean(k, 0) * (tf.zeros_like(k[0]) / tf.zeros_like(k[0])), 0),
    ):
        np.testing.assert_allclose(tf.function(function)(matrix), function(matrix), rtol=1e-5, atol=1e-5)


def test_sums_of_whole_numbers_and_of_nothing_are_computed() -> None:
    numbers = jnp.arange(12).reshape(3, 4)
    before, after = sums_before_and_after(lambda x: jnp.sum(x - jnp.sum(x, 0) // 3, 0), numbers)
    assert after == before
    before, after = sums_before_and_after(lambda x: jnp.sum(x - jnp.mean(x, 0), 0), np.zeros((3, 0), "float32"))
    assert after == before


@pytest.mark.parametrize(
    "function",
    [
        lambda x: jnp.cumsum(jnp.zeros_like(x), 0) + x,
        lambda x: (
            jax.lax.reduce_window(jnp.zeros((6, 5)), 0.0, jax.lax.add, (2, 2), (1, 1), "VALID")[:1]
            + x[0, :, :1].T[:, :4]
        ),
        lambda x: jnp.sum(jax.lax.pad(x[:0], np.float32(0), [(2, 4, 0), (0, 0, 0), (0, 0, 0)]), 0),
    ],
)
def test_sums_of_zeros_are_not_computed(function: Any) -> None:
    closed = jax.make_jaxpr(function)(X)
    new = without_zero_sums(closed.jaxpr)
    assert not {"cumsum", "reduce_window_sum", "reduce_sum"} & {eqn.primitive.name for eqn in new.eqns}
    np.testing.assert_array_equal(jax.core.eval_jaxpr(new, closed.consts, X)[0], function(X))


def test_sums_of_padding_that_is_not_zero_are_computed() -> None:
    padding = [(2, 4, 0), (0, 0, 0), (0, 0, 0)]
    before, after = sums_before_and_after(lambda x: jnp.sum(jax.lax.pad(x[:0], np.float32(1), padding), 0), X)
    assert before == after == 1


@pytest.mark.parametrize("layer", [keras.layers.BatchNormalization(), keras.layers.LayerNormalization()])
def test_a_normalization_has_the_gradient_of_float64(layer: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """The means are 300 times the deviations, of which rounding leaves the most."""
    seen: list[int] = []
    finish = _program.rewrite_finished

    def counted(closed: Any, platform: str) -> Any:
        done = finish(closed, platform)
        seen.append(str(closed.jaxpr).count("= reduce_sum[") - str(done.jaxpr).count("= reduce_sum["))
        return done

    monkeypatch.setattr(_program, "rewrite_finished", counted)
    numbers = np.random.default_rng(1)
    x = (numbers.normal(size=(32, 16)) + 300 * numbers.normal(size=(1, 16))).astype("float32")
    weights = numbers.normal(size=(32, 16)).astype("float32")
    layer.build(x.shape)
    given = tf.constant(x)

    @tf.function
    def gradient(given: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(given)
            loss = tf.reduce_sum(layer(given, training=True) * weights)
        return tape.gradient(loss, given)

    axis = 0 if isinstance(layer, keras.layers.BatchNormalization) else 1
    wide = x.astype("float64")
    mean, n = wide.mean(axis, keepdims=True), x.shape[axis]
    deviation = np.sqrt(wide.var(axis, keepdims=True) + layer.epsilon)
    normal = (wide - mean) / deviation
    along = (weights * normal).sum(axis, keepdims=True)
    expected = (weights - weights.sum(axis, keepdims=True) / n - normal * along / n) / deviation
    scale = np.abs(expected).max()
    np.testing.assert_allclose(gradient(given).numpy() / scale, expected / scale, atol=1e-4)
    assert seen[-1] > 0
