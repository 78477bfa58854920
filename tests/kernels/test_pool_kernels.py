"""Sums of windows and elements at places of windows: values, transposes, batches; what a pool's gradient reads once."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax.extend import core as xc

from stratagem._core.rewrites import compiler_options, rewrite

# Private: a kernel is compared with the operations of XLA that stand for it elsewhere, and is asked as it is lowered.
from stratagem._kernels import Windows, _library, _pool, has_kernels, sum_windows, take_places
from tests.core.step.observing import count

needs_library = pytest.mark.skipif(not has_kernels(), reason="there is no library of kernels here")


def drawn(seed: int) -> tuple[Windows, np.ndarray, np.ndarray]:
    """Windows, images and results of small integers, whose sums are exact in any order."""
    random = np.random.default_rng(seed)
    places = int(random.integers(1, 4))
    while True:
        size = [int(n) for n in random.integers(1, 5, places)]
        strides = [int(n) for n in random.integers(1, 4, places)]
        padding = [(int(random.integers(0, k)), int(random.integers(0, k))) for k in size]
        if seed % 4 == 0:
            strides = size
        windows = Windows((1, *size, 1), (1, *strides, 1), ((0, 0), *padding, (0, 0)), (1,) * (places + 2))
        channels = int(random.choice([1, 3, 7, 8, 12, 16, 23]))
        shape = (int(random.integers(1, 5)), *(int(n) for n in random.integers(1, 12, places)), channels)
        if min(windows.counts(shape)) > 0:
            break
    x, y = (random.integers(-4, 5, s).astype("float32") for s in (shape, windows.counts(shape)))
    return windows, x, y


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(60))
def test_sums_and_their_transpose_are_those_of_xla_and_of_reduce_window(seed: int) -> None:
    windows, x, y = drawn(seed)
    expected = jax.lax.reduce_window(x, np.float32(0), jax.lax.add, windows.size, windows.strides, windows.padding)
    got, back = jax.vjp(lambda x: sum_windows(x, windows), x)
    np.testing.assert_array_equal(got, expected)
    plain = jax.vjp(lambda x: _pool._sum_by_xla(x, windows=windows, shape=x.shape), x)[1]
    np.testing.assert_array_equal(back(y)[0], plain(y)[0])
    # The transpose's transpose, and tangents, are the sums again.
    np.testing.assert_array_equal(jax.vjp(lambda y: back(y)[0], y)[1](jnp.asarray(x))[0], expected)
    np.testing.assert_array_equal(jax.jvp(lambda x: sum_windows(x, windows), (x,), (2 * x,))[1], 2 * expected)
    many = np.stack([x, x + 1, -x], axis=1)
    each = jnp.stack([sum_windows(jnp.asarray(many[:, i]), windows) for i in range(3)], axis=2)
    np.testing.assert_array_equal(jax.vmap(lambda x: sum_windows(x, windows), 1, 2)(many), each)


@pytest.mark.sampled
@pytest.mark.parametrize("seed", range(30))
def test_elements_go_back_to_the_places_that_they_were_taken_from(seed: int) -> None:
    windows, x, y = drawn(1000 + seed)
    winner = np.random.default_rng(seed).integers(0, np.prod(windows.size), y.shape).astype("int8")

    def by_xla(x: jax.Array) -> jax.Array:
        return _pool._take_by_xla(x, jnp.asarray(winner), windows=windows, shape=x.shape)

    def taken(x: jax.Array) -> jax.Array:
        return take_places(x, jnp.asarray(winner), windows)

    got, back = jax.vjp(taken, jnp.asarray(x))
    expected, plain = jax.vjp(by_xla, jnp.asarray(x))
    np.testing.assert_array_equal(got, expected)
    np.testing.assert_array_equal(back(jnp.asarray(y))[0], plain(jnp.asarray(y))[0])
    np.testing.assert_array_equal(jax.vjp(lambda y: back(y)[0], jnp.asarray(y))[1](jnp.asarray(x))[0], expected)
    many, winners = np.stack([x, -x]), np.stack([winner, winner[::-1]])
    batched = jax.vmap(lambda x, winner: take_places(x, winner, windows))(many, winners)
    np.testing.assert_array_equal(batched[0], expected)


def average(window: int, strides: int, padding: str = "SAME") -> Any:
    def run(x: jax.Array) -> jax.Array:
        how = (1, window, window, 1), (1, strides, strides, 1)
        return jax.lax.reduce_window(x, 0.0, jax.lax.add, *how, padding) / window**2

    return run


def gradient(function: Any, x: jax.Array) -> Any:
    """The compiled gradient of a rewritten function, by which the sines of its results are multiplied."""
    program = xc.jaxpr_as_fun(rewrite(jax.make_jaxpr(function)(x), "cpu"))
    of_x = jax.jit(jax.grad(lambda x: jnp.sum(jnp.sin(program(x)[0]))))
    return of_x.lower(x).compile(compiler_options=compiler_options("cpu"))


@pytest.mark.parametrize(("window", "strides", "channels"), [(2, 2, 16), (3, 2, 16), (3, 1, 16), (3, 2, 3)])
def test_average_pools_are_sums_of_windows_with_fast_gradients(window: int, strides: int, channels: int) -> None:
    x = jnp.asarray(np.random.default_rng(0).normal(size=(4, 13, 12, channels)), "float32")
    pool = average(window, strides)
    closed = rewrite(jax.make_jaxpr(pool)(x), "cpu")
    assert (count(closed, "sum_windows"), count(closed, "reduce_window_sum")) == (1, 0)
    compiled = gradient(pool, x)
    expected = jax.grad(lambda x: jnp.sum(jnp.sin(pool(x))))(x)
    np.testing.assert_allclose(compiled(x), expected, rtol=1e-5, atol=1e-6)
    # XLA's own gradient sums windows over elements that are apart.
    assert "lhs_dilate" not in compiled.as_text() or channels < 8 or not has_kernels()


def test_the_gradient_of_an_overlapping_pool_computes_what_goes_back_once() -> None:
    """In DenseNet that is the sum of what seven layers give back: computed for each of nine places, a quarter of a step."""

    def pool(x: jax.Array) -> jax.Array:
        return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, (1, 3, 3, 1), (1, 2, 2, 1), "VALID")

    x = jnp.asarray(np.random.default_rng(0).normal(size=(4, 13, 12, 16)), "float32")
    compiled = gradient(pool, x)
    np.testing.assert_allclose(compiled(x), jax.grad(lambda x: jnp.sum(jnp.sin(pool(x))))(x), rtol=1e-5, atol=1e-6)
    computations = compiled.as_text().split("\n}\n")
    assert any("cosine(" in text for text in computations)
    assert not any("cosine(" in text and "s8[" in text for text in computations)


@needs_library
@pytest.mark.parametrize(
    ("images", "sums", "attributes", "message"),
    [
        ((4, 9, 8), (4, 9, 7), {}, "batch and channels"),
        ((4, 9, 8), (3, 9, 8), {}, "batch and channels"),
        ((4, 9, 8), (4, 8, 8), {}, "a place for each window"),
        ((4, 9, 8), (4, 9, 8), {"size": [0]}, "must be positive"),
        ((4, 9, 8), (4, 9, 8), {"strides": [0]}, "must be positive"),
        ((4, 9, 8), (4, 9, 8), {"size": [1 << 40]}, "must be positive"),
        ((4, 9, 8), (4, 9, 8), {"low": [3]}, "smaller than the window"),
        ((4, 9, 8), (4, 9, 8), {"high": [-1]}, "smaller than the window"),
        ((4, 9, 8), (4, 9, 8), {"low": [1, 1]}, "for each dimension of places"),
        ((4, 9, 8), (4, 9, 8, 1), {}, "the same rank"),
        ((4, 8), (4, 8), {}, "one to three dimensions"),
    ],
)
@pytest.mark.parametrize("target", [_library.SUM_WINDOWS, _library.SPREAD_WINDOWS])
def test_a_wrong_call_is_an_error_of_that_call(
    target: str, images: Any, sums: Any, attributes: Any, message: str
) -> None:
    given = {"size": [3], "strides": [1], "low": [1], "high": [1]} | attributes
    operand, result = (images, sums) if target == _library.SUM_WINDOWS else (sums, images)
    call = jax.ffi.ffi_call(target, jax.ShapeDtypeStruct(result, jnp.float32))
    with pytest.raises(jax.errors.JaxRuntimeError, match=message):
        jax.block_until_ready(call(jnp.zeros(operand), **{k: np.asarray(v, np.int64) for k, v in given.items()}))
