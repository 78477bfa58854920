"""A rewritten program computes what the untouched one does, values and gradients."""

import math
from pathlib import Path
from typing import Any

import hypothesis
import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from hypothesis import strategies as st
from jax.extend import core as xc

import stratagem as tf
from stratagem._base.allocator import BLOCK
from stratagem._base.processor import has_avx512
from stratagem._core.rewrites import compiler_options, largest_array, rewrite
from stratagem._private import CODE_GENERATOR_OPTIONS
from tests.core.step.observing import count, equations, programs_made


def pooled(x: Any, window: tuple[int, ...], strides: tuple[int, ...] | None = None, padding: str = "VALID") -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, strides or window, padding)


def both(x: Any, *how: Any) -> tuple[Any, Any, bool]:
    """Value and gradient of max-pooling, untouched and rewritten; whether there was something to rewrite."""
    closed = jax.make_jaxpr(lambda x: pooled(x, *how))(x)
    new = rewrite(closed, "cpu")
    weights = jnp.asarray(np.random.default_rng(0).normal(size=closed.out_avals[0].shape), x.dtype)

    def value_and_gradient(program: Any) -> Any:
        def run(x: Any, weights: Any) -> Any:
            (y,), pull = jax.vjp(xc.jaxpr_as_fun(program), x)
            return y, pull([weights])[0]

        return jax.jit(run)(x, weights)

    # JAX's own gradient of a float64 pool is a type error unless all defaults are 64-bit; ours must do without that.
    with jax.enable_x64(x.dtype == jnp.float64):
        untouched = value_and_gradient(closed)
    rewritten = count(new, "reduce_window_max") == 0
    return untouched, value_and_gradient(new) if rewritten else untouched, rewritten


sizes = st.integers(1, 9)
windows = st.integers(1, 4)


@pytest.mark.thorough
@hypothesis.settings(max_examples=20)
@hypothesis.given(
    height=sizes,
    width=sizes,
    wh=windows,
    ww=windows,
    batch=st.integers(0, 3),
    ties=st.booleans(),
    dtype=st.sampled_from(["float32", "float64"]),
    seed=st.integers(0, 99),
)
def test_disjoint_max_pooling(
    height: int, width: int, wh: int, ww: int, batch: int, ties: bool, dtype: str, seed: int
) -> None:
    rng, shape = np.random.default_rng(seed), (batch, height, width, 2)
    values = rng.integers(0, 3, shape) if ties else rng.normal(size=shape)
    x = jnp.asarray(values.astype(dtype), dtype)
    (y, dx), (new_y, new_dx), rewritten = both(x, (1, wh, ww, 1))
    assert rewritten == (wh * ww > 1 and height >= wh and width >= ww)
    assert new_y.dtype == x.dtype
    np.testing.assert_array_equal(new_y, y)
    np.testing.assert_array_equal(new_dx, dx)


@pytest.mark.parametrize(
    ("shape", "dtype"),
    [((2, 4, 6, 3), "float32"), ((2, 5, 7, 1), "float64"), ((0, 4, 4, 2), "float32"), ((2, 5, 4, 1), "bfloat16")],
)
def test_disjoint_pools_are_rewritten(shape: tuple[int, ...], dtype: str) -> None:
    x = jnp.asarray(np.random.default_rng(1).normal(size=shape), dtype)
    (y, dx), (new_y, new_dx), rewritten = both(x, (1, 2, 2, 1))
    assert rewritten
    np.testing.assert_array_equal(new_y, y)
    np.testing.assert_array_equal(new_dx, dx)


def test_pools_over_other_dimensions() -> None:
    x = jnp.asarray(np.random.default_rng(1).normal(size=(2, 3, 5, 7)), "float32")  # channels first
    for window in [(1, 1, 2, 3), (2, 1, 1, 1), (1, 3, 1, 2)]:
        old, new, rewritten = both(x, window)
        assert rewritten
        jax.tree.map(np.testing.assert_array_equal, old, new)


def test_the_first_of_equal_numbers_has_the_whole_gradient() -> None:
    _, (_, dx), _ = both(jnp.ones((1, 4, 4, 1), "float32"), (1, 2, 2, 1))
    assert np.count_nonzero(np.asarray(dx)) == 4
    assert np.all(np.asarray(dx)[0, ::2, ::2] != 0)


def assert_pooled_alike(x: Any, window: tuple[int, ...], strides: tuple[int, ...], padding: Any) -> None:
    """Both sum the same gradients of an element in several windows, in another order."""
    (y, dx), (new_y, new_dx), rewritten = both(x, window, strides, padding)
    assert rewritten
    assert (new_y.dtype, new_dx.dtype) == (x.dtype, x.dtype)
    np.testing.assert_array_equal(new_y, y)
    close = 4 * float(jnp.finfo(x.dtype).eps)
    np.testing.assert_allclose(np.asarray(new_dx, float), np.asarray(dx, float), rtol=close, atol=2 * close)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("shape", "window", "strides", "padding"),
    [
        ((2, 9, 8, 3), (1, 3, 3, 1), (1, 2, 2, 1), "VALID"),
        ((2, 8, 7, 2), (1, 3, 2, 1), (1, 2, 1, 1), "SAME"),
        ((2, 5, 5, 2), (1, 2, 2, 1), (1, 2, 2, 1), "SAME"),  # padded, not overlapping
        ((2, 3, 6, 7), (1, 1, 4, 4), (1, 1, 1, 3), ((0, 0), (0, 0), (3, 0), (1, 2))),  # channels first
        ((3, 10, 4), (1, 5, 1), (1, 2, 1), "SAME"),
        ((1, 4, 4, 4, 2), (1, 2, 2, 2, 1), (1, 1, 2, 1, 1), "SAME"),
    ],
)
def test_overlapping_and_padded_max_pooling(shape: Any, window: Any, strides: Any, padding: Any) -> None:
    x = np.random.default_rng(0).normal(size=shape).astype("float32")
    assert_pooled_alike(jnp.asarray(x), window, strides, padding)


@pytest.mark.thorough
@hypothesis.settings(max_examples=30)
@hypothesis.given(
    sizes=st.tuples(st.integers(1, 9), st.integers(1, 9)),
    window=st.tuples(st.integers(1, 4), st.integers(1, 4)),
    closer=st.tuples(st.integers(0, 2), st.integers(0, 2)),
    padding=st.tuples(st.integers(0, 3), st.integers(0, 3)),
    ties=st.booleans(),
    dtype=st.sampled_from(["float32", "float64", "bfloat16"]),
)
def test_any_overlapping_max_pooling(
    sizes: Any, window: Any, closer: Any, padding: Any, ties: bool, dtype: str
) -> None:
    random = np.random.default_rng(0)
    values = random.integers(0, 3, (2, *sizes, 2)) if ties else random.normal(size=(2, *sizes, 2))
    strides = (1, *(max(1, w - c) for w, c in zip(window, closer, strict=True)), 1)
    padding = ((0, 0), *((min(p, w - 1), min(p // 2, w - 1)) for p, w in zip(padding, window, strict=True)), (0, 0))
    fits = all(n + low + high >= w for n, w, (low, high) in zip(sizes, window, padding[1:3], strict=True))
    hypothesis.assume(fits and np.prod(window) > 1)
    assert_pooled_alike(jnp.asarray(values, dtype), (1, *window, 1), strides, padding)


@pytest.mark.parametrize("size", [2, 3])
def test_a_loop_keeps_a_place_of_each_window_for_its_gradient_and_no_masks(size: int) -> None:
    x = jnp.asarray(np.random.default_rng(0).normal(size=(5, 2, 7, 7, 3)), "float32")
    closed = rewrite(jax.make_jaxpr(lambda x: pooled(x, (1, size, size, 1), (1, 2, 2, 1)))(x[0]), "cpu")
    looped = jax.grad(lambda x: jnp.sum(jax.lax.map(lambda x: xc.jaxpr_as_fun(closed)(x)[0] ** 2, x)))
    loops = [eqn for eqn in equations(jax.make_jaxpr(looped)(x).jaxpr) if eqn.primitive.name == "scan"]
    kept = [v.aval for eqn in loops for v in eqn.outvars if v.aval.dtype in (bool, np.int8)]
    assert [aval.shape for aval in kept] == [(5, 2, 3, 3, 3)]


def test_overlapping_pools_have_tangents_and_second_derivatives() -> None:
    x = jnp.asarray(np.random.default_rng(0).normal(size=(1, 7, 7, 2)), "float32")
    closed = jax.make_jaxpr(lambda x: jnp.sum(pooled(x, (1, 3, 3, 1), (1, 2, 2, 1)) ** 3))(x)
    derivatives = []
    for program in (closed, rewrite(closed, "cpu")):

        def run(x: Any, program: Any = program) -> Any:
            return xc.jaxpr_as_fun(program)(x)[0]

        derivatives.append([jax.jvp(run, (x,), (x,))[1], jax.jvp(jax.grad(run), (x,), (x,))[1]])
    for old, new in zip(*derivatives, strict=True):
        np.testing.assert_allclose(new, old, rtol=1e-5, atol=1e-5)


def test_padding_has_no_gradient_even_where_all_is_minus_infinity() -> None:
    x = jnp.full((1, 3, 3, 1), -jnp.inf)
    _, (_, dx), _ = both(x, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    weights = np.random.default_rng(0).normal(size=(1, 2, 2, 1)).astype("float32")
    np.testing.assert_allclose(jnp.sum(dx), weights.sum(), rtol=1e-6)


@pytest.mark.parametrize(
    ("window", "strides", "padding"),
    [
        ((1, 2, 2, 1), (1, 3, 3, 1), "VALID"),  # with gaps
        ((1, 5, 5, 1), (1, 5, 5, 1), "VALID"),  # more than 16 places
        ((1, 1, 1, 1), (1, 1, 1, 1), "VALID"),  # nothing to do
    ],
)
def test_other_pools_are_left_alone(window: Any, strides: Any, padding: str) -> None:
    x = jnp.asarray(np.random.default_rng(1).normal(size=(2, 5, 5, 2)), "float32")
    assert not both(x, window, strides, padding)[2]


def test_integers_and_small_images_are_left_alone() -> None:
    def of_integers(x: Any) -> Any:
        return jax.lax.reduce_window(x, np.int32(-5), jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")

    closed = jax.make_jaxpr(of_integers)(jnp.ones((1, 4, 4, 1), "int32"))
    assert count(rewrite(closed, "cpu"), "reduce_window_max") == count(closed, "reduce_window_max")
    closed = jax.make_jaxpr(lambda x: pooled(x, (1, 4, 4, 1)))(jnp.ones((1, 2, 2, 1)))
    assert count(rewrite(closed, "cpu"), "reduce_window_max") == 1


@pytest.mark.parametrize("platform", ["gpu", "cuda", "tpu"])
def test_other_platforms_keep_their_program(platform: str) -> None:
    closed = jax.make_jaxpr(lambda x: pooled(x, (1, 2, 2, 1)))(jnp.ones((1, 4, 4, 1)))
    assert str(rewrite(closed, platform)) == str(closed)
    assert compiler_options(platform) is None
    assert compiler_options("cpu")


@pytest.mark.parametrize(("flags", "width"), [("avx2 avx512f avx512bw", 512), ("avx2", None), ("avx512fake", None)])
def test_loops_take_whole_registers_where_there_is_avx512(
    flags: str, width: int | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    facts = tmp_path / "cpuinfo"
    facts.write_text(f"model name\t: some\nflags\t\t: fpu {flags}\n")
    # Private: what this machine's CPU has is not up to a test.
    monkeypatch.setattr("stratagem._base.processor._FACTS", facts)
    # Private: it is asked once a process.
    monkeypatch.setattr("stratagem._core.rewrites._options.has_avx512", has_avx512.__wrapped__)
    assert (compiler_options("cpu") or {}).get("xla_cpu_prefer_vector_width") == width
    facts.unlink()  # as on other systems than Linux
    assert "xla_cpu_prefer_vector_width" not in (compiler_options("cpu") or {})


def test_the_memory_of_a_program_comes_in_blocks_unless_an_array_may_fill_one() -> None:
    name = "xla_multiheap_size_constraint_per_heap"

    def program(size: int) -> xc.Jaxpr:
        return jax.make_jaxpr(jnp.negative)(jax.ShapeDtypeStruct((size,), "uint8")).jaxpr

    for fits in (program(0), program(BLOCK // 2)):
        assert (compiler_options("cpu", fits) or {})[name] == BLOCK
    for more in (program(BLOCK // 2 + 1), None):
        assert name not in (compiler_options("cpu", more) or {})


@pytest.mark.parametrize(("channels", "unrolled"), [(3, True), (6, True), (8, False), (16, False), (64, False)])
def test_loops_over_rows_shorter_than_a_vector_are_unrolled(channels: int, unrolled: bool) -> None:
    """LeNet, which has 6 channels, took 1.7 times as long without; tables of 16 columns take Adam three times as long with."""

    def step(x: jax.Array) -> jax.Array:
        return jax.lax.cond(x[0, 0] > 0, jnp.tanh, jnp.negative, x) + jnp.ones(100)[:, None]

    options = compiler_options("cpu", jax.make_jaxpr(step)(jnp.ones((100, channels))).jaxpr) or {}
    assert (CODE_GENERATOR_OPTIONS not in options) == unrolled


def test_the_largest_array_of_a_program_may_be_inside_of_it() -> None:
    def summed(x: jax.Array) -> jax.Array:
        return jnp.sum(jnp.broadcast_to(x[:, None], (*x.shape, 100)))

    def looped(x: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda total, row: (total + summed(row), None), 0.0, x)[0]

    x = jnp.ones((2, 3), "float32")
    for function, argument, size in ((summed, x[0], 1200), (looped, x, 1200), (jnp.sum, x, 24), (jnp.float16, x, 24)):
        assert largest_array(jax.make_jaxpr(function)(argument).jaxpr) == size
    assert largest_array(jax.make_jaxpr(lambda: 3)().jaxpr) == 0
    keys = jax.random.split(jax.random.key(0), 7)  # not numbers, but they take memory, too
    assert largest_array(jax.make_jaxpr(lambda keys: keys)(keys).jaxpr) == 56


def test_a_program_with_a_large_array_is_compiled_without_a_warning(capfd: pytest.CaptureFixture[str]) -> None:
    """XLA writes one for every array that does not fit into a block."""

    @tf.function
    def step(x: Any) -> Any:
        return tf.reduce_sum(tf.matmul(x, x, transpose_b=True) @ x)

    rows = 1 + math.isqrt(BLOCK // 4)
    np.testing.assert_allclose(step(tf.ones((rows, 1))), float(rows) ** 2)
    assert "heap" not in capfd.readouterr().err


@pytest.mark.parametrize("window", [[1, np.nan], [np.nan, 1], [-1, np.nan]])
def test_a_maximum_with_nan_is_nan_and_its_gradient_stays_in_the_window(window: Any) -> None:
    x = jnp.asarray([*window, 1, 2], "float32")
    (y, _), (new_y, new_dx), rewritten = both(x, (2,))
    assert rewritten
    np.testing.assert_array_equal(new_y, y)
    assert np.isnan(new_y[0])
    assert np.count_nonzero(np.asarray(new_dx)[:2]) == 1


def test_pools_inside_loops_branches_and_calls_are_found() -> None:
    def program(x: Any) -> Any:
        y = jax.jit(lambda a: pooled(a, (1, 2, 2, 1)))(x)
        z = jax.lax.cond(x[0, 0, 0, 0] > 0, lambda a: pooled(a, (1, 2, 2, 1)), lambda a: a[:, ::2, ::2], x)
        _, rows = jax.lax.scan(lambda c, a: (c, pooled(a, (1, 2, 2, 1))), 0.0, jnp.stack([x, x]))
        return y + z + rows[0] + jax.checkpoint(lambda a: pooled(a, (1, 2, 2, 1)))(x)

    x = jnp.asarray(np.random.default_rng(1).normal(size=(1, 4, 4, 1)), "float32")
    closed = jax.make_jaxpr(program)(x)
    new = rewrite(closed, "cpu")
    assert (count(closed, "reduce_window_max"), count(new, "reduce_window_max")) == (4, 0)
    np.testing.assert_array_equal(xc.jaxpr_as_fun(new)(x)[0], program(x))


def test_a_keras_layer_in_a_step_is_rewritten(monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)
    v = tf.Variable(np.random.default_rng(1).normal(size=(2, 4, 4, 1)).astype("float32"))
    layer = keras.layers.MaxPooling2D()

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(layer(v) ** 2)
        return tape.gradient(y, v)

    expected = jax.grad(lambda x: jnp.sum(pooled(x, (1, 2, 2, 1)) ** 2))(v.value)
    np.testing.assert_array_equal(step(), expected)
    assert count(made[-1].closed, "reduce_window_max") == 0
    assert count(made[-1].closed, "select_and_scatter_add") == 0


@pytest.mark.parametrize("dtype", ["int8", "int16", "int32", "int64"])
@pytest.mark.parametrize("platform", ["cpu", "gpu", "tpu"])
def test_the_magnitude_of_an_integer_is_right_where_its_square_overflows(dtype: str, platform: str) -> None:
    info = np.iinfo(dtype)
    numbers = np.random.default_rng(0).integers(info.min, info.max, 200, dtype, endpoint=True)
    x = tf.constant(np.append(numbers, [info.min, info.max, 0, -1]).astype(dtype))
    closed = jax.make_jaxpr(lambda x: (abs(x * x), jax.lax.cond(x[0] > 0, jnp.abs, lambda x: x, x)))(x)
    squared, chosen = jax.jit(xc.jaxpr_as_fun(rewrite(closed, platform)))(x)
    with np.errstate(over="ignore"):
        np.testing.assert_array_equal(squared, np.abs(np.square(np.asarray(x))))
    np.testing.assert_array_equal(chosen, np.abs(x) if x[0] > 0 else x)
    assert squared.dtype == x.dtype


def test_the_magnitude_of_an_overflowing_square_in_a_step_is_tensorflows() -> None:
    @tf.function
    def step(x: Any) -> Any:
        return (
            abs(x * x),
            tf.abs(tf.square(x)),
            tf.while_loop(lambda i, y: i < 1, lambda i, y: (i + 1, abs(y * y)), (0, x))[1],
        )

    x = tf.constant(599883556)
    assert [int(y) for y in step(x)] == [882066160] * 3
