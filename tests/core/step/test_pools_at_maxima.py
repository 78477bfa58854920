"""What leads to a max-pool from single elements is computed at the maxima alone: the same values, the same gradients."""

import re
from typing import Any

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import strategies as st
from jax.extend import core as xc

import stratagem as tf
from stratagem._core.rewrites import rewrite
from tests.core.step.observing import count


def pooled(x: Any, window: tuple[int, ...] = (1, 2, 2, 1)) -> Any:
    return jax.lax.reduce_window(x, -jnp.inf, jax.lax.max, window, window, "VALID")


def normalized(x: Any, scale: Any, bias: Any) -> Any:
    return jax.nn.relu(x * scale + bias)


CHAINS: dict[str, Any] = {
    "a bias and a rectifier": lambda x, scale, bias: jax.nn.relu(x + bias),
    "a normalization": normalized,
    "the other way round": lambda x, scale, bias: jnp.minimum(bias - x, 1.5) * scale,
    "numbers": lambda x, scale, bias: jnp.maximum(-x, 0.5) * 3.0,
    "nothing": lambda x, scale, bias: x,
}


def gradients(function: Any, *operands: Any) -> Any:
    def summed(*operands: Any) -> Any:
        y = function(*operands)
        return jnp.sum(y * jnp.cos(jnp.arange(y.size, dtype=y.dtype).reshape(y.shape))), y

    return jax.jit(jax.value_and_grad(summed, tuple(range(len(operands))), has_aux=True))(*operands)


def assert_same(function: Any, *operands: Any) -> xc.ClosedJaxpr:
    closed = jax.make_jaxpr(function)(*operands)
    new = rewrite(closed, "cpu")
    (_, y), expected = gradients(function, *operands)
    (_, new_y), got = gradients(lambda *operands: xc.jaxpr_as_fun(new)(*operands)[0], *operands)
    np.testing.assert_allclose(new_y, y, rtol=1e-6, atol=1e-6)
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)
    return new


def operands_of(shape: tuple[int, ...], *, ties: bool = False, seed: int = 0) -> list[Any]:
    random = np.random.default_rng(seed)

    def some(*shape: int) -> Any:
        values = random.integers(-2, 3, shape) if ties else random.normal(size=shape)
        return jnp.asarray(values, "float32")

    return [some(*shape), some(*(1,) * (len(shape) - 1), shape[-1]), some(*(1,) * (len(shape) - 1), shape[-1])]


@pytest.mark.parametrize("chain", CHAINS)
def test_a_chain_before_a_pool_comes_after_it(chain: str) -> None:
    def program(x: Any, scale: Any, bias: Any) -> Any:
        return pooled(CHAINS[chain](x, scale, bias))

    operands = operands_of((2, 7, 4, 3))
    new = assert_same(program, *operands)
    assert count(new, "reduce_window_max") == 0
    sizes = [v.aval.shape for eqn in new.jaxpr.eqns for v in eqn.outvars if v.aval.ndim == 4]
    assert set(sizes) <= {(2, 3, 2, 3)}, "something is computed for all elements"


@pytest.mark.thorough
@hypothesis.settings(max_examples=40)
@hypothesis.given(
    chain=st.sampled_from(list(CHAINS)),
    sizes=st.tuples(st.integers(0, 3), st.integers(2, 7), st.integers(2, 7), st.integers(1, 3)),
    window=st.tuples(st.just(1), st.integers(1, 3), st.integers(1, 3), st.just(1)),
    ties=st.booleans(),
    seed=st.integers(0, 99),
)
def test_any_chain_and_pool(chain: str, sizes: Any, window: Any, ties: bool, seed: int) -> None:
    assert_same(lambda *operands: pooled(CHAINS[chain](*operands), window), *operands_of(sizes, ties=ties, seed=seed))


@pytest.mark.parametrize("place", range(4))
def test_a_window_with_nan_is_nan(place: int) -> None:
    x = jnp.asarray([1.0, 2.0, -1.0, 0.5, 3.0, 4.0], "float32").at[place].set(jnp.nan)
    new = rewrite(jax.make_jaxpr(lambda x: pooled(jax.nn.relu(x + 1), (2,)))(x), "cpu")
    for run in (xc.jaxpr_as_fun(new), lambda x: [gradients(lambda x: xc.jaxpr_as_fun(new)(x)[0], x)[0][1]]):
        (y,) = run(x)
        np.testing.assert_array_equal(np.isnan(y), [place < 2, place >= 2, False])


WAYS: dict[str, Any] = {
    "in a call": lambda f, *operands: jax.jit(f)(*operands),
    "in a checkpoint": lambda f, *operands: jax.checkpoint(f)(*operands),
    "in a loop": lambda f, x, *others: jax.lax.scan(lambda c, x: (c, f(x, *others)), 0.0, jnp.stack([x, 2 * x]))[1].sum(
        0
    ),
    "in a branch": lambda f, *operands: jax.lax.cond(operands[0].sum() > -1e9, f, lambda *o: f(*o) * 2, *operands),
    "for each of several": lambda f, x, *others: jax.vmap(lambda x: f(x, *others))(jnp.stack([x, 2 * x])).sum(0),
    "twice": lambda f, x, *others: f(jnp.repeat(jnp.repeat(f(x, *others), 2, 1), 2, 2), *others),
}


@pytest.mark.sampled
@pytest.mark.parametrize("way", WAYS)
def test_chains_and_pools_are_found_in_other_programs(way: str) -> None:
    def program(*operands: Any) -> Any:
        return WAYS[way](lambda *o: pooled(normalized(*o)), *operands)

    new = assert_same(program, *operands_of((2, 4, 4, 3)))
    assert count(new, "reduce_window_max") == 0


@pytest.mark.sampled
@pytest.mark.parametrize("chain", CHAINS)
def test_gradients_of_gradients_and_jacobians(chain: str) -> None:
    def squared(function: Any, *operands: Any) -> Any:
        def summed(*operands: Any) -> Any:
            return jnp.sum(function(*operands) ** 3)

        return sum(jnp.sum(g**2) for g in jax.grad(summed, (0, 1, 2))(*operands))

    def program(x: Any, scale: Any, bias: Any) -> Any:
        return pooled(CHAINS[chain](x, scale, bias))

    operands = operands_of((2, 4, 5, 2))
    new = rewrite(jax.make_jaxpr(program)(*operands), "cpu")
    rewritten = lambda *operands: xc.jaxpr_as_fun(new)(*operands)[0]  # noqa: E731
    for wanted in (
        lambda f: jax.grad(lambda *o: squared(f, *o), (0, 1, 2)),
        lambda f: jax.jacrev(f, (0, 1, 2)),
    ):
        for a, b in zip(wanted(rewritten)(*operands), wanted(program)(*operands), strict=True):
            np.testing.assert_allclose(a, b, rtol=2e-5, atol=2e-5)


@pytest.mark.sampled
@pytest.mark.parametrize("dtype", ["bfloat16", "float16", "float64", "float8_e4m3fn"])
def test_other_floats(dtype: str) -> None:
    with jax.enable_x64(dtype == "float64"):
        operands = [jnp.asarray(np.asarray(o), dtype) for o in operands_of((2, 4, 6, 3), ties=True)]
        new = rewrite(jax.make_jaxpr(lambda *o: pooled(normalized(*o)))(*operands), "cpu")
        (_, y), expected = gradients(lambda *o: pooled(normalized(*o)), *operands)
        (_, new_y), got = gradients(lambda *o: xc.jaxpr_as_fun(new)(*o)[0], *operands)
    assert new_y.dtype == dtype
    np.testing.assert_array_equal(new_y, y)
    np.testing.assert_allclose(np.asarray(got[0], "float32"), np.asarray(expected[0], "float32"), rtol=0.02)


def test_channels_first_and_constants_of_each_image() -> None:
    x = operands_of((2, 3, 4, 6))[0]
    random = np.random.default_rng(3)
    scale, bias = (jnp.asarray(random.normal(size=shape), "float32") for shape in ((2, 1, 1, 1), (1, 3, 1, 1)))
    new = assert_same(lambda x, scale, bias: pooled(normalized(x, scale, bias), (1, 1, 2, 3)), x, scale, bias)
    assert {v.aval.shape for eqn in new.jaxpr.eqns for v in eqn.outvars if v.aval.ndim == 4} == {(2, 3, 2, 2)}


def test_an_image_that_has_other_readers_is_that_of_a_chain() -> None:
    """As batch normalization reads what it normalizes three times."""

    def program(x: Any, scale: Any, bias: Any) -> Any:
        mean = jnp.mean(x, (0, 1, 2), keepdims=True)
        return pooled(jax.nn.relu((x - mean) * scale + bias)) + jnp.mean(x**2)

    new = assert_same(program, *operands_of((2, 4, 4, 3)))
    assert count(new, "reduce_window_max") == 0
    assert all(
        v.aval.shape != (2, 4, 4, 3) for eqn in new.jaxpr.eqns if eqn.primitive.name == "sub" for v in eqn.outvars
    )


def test_what_something_else_reads_stays() -> None:
    def program(x: Any, scale: Any, bias: Any) -> Any:
        y = x + bias
        return pooled(jax.nn.relu(y)) + jnp.mean(y)

    closed = jax.make_jaxpr(program)(*operands_of((2, 4, 4, 3)))
    new = rewrite(closed, "cpu")
    assert_same(program, *operands_of((2, 4, 4, 3)))
    assert count(new, "reduce_window_max") == 0
    assert new.jaxpr.eqns[0] is closed.jaxpr.eqns[0]  # the sum, of all elements


@jax.custom_jvp
def of_a_user(x: Any) -> Any:
    return x + 1


of_a_user.defjvps(lambda tangent, result, x: 2 * tangent)


@pytest.mark.parametrize(
    "function",
    [
        lambda x, scale, bias: x + jnp.cos(x),  # two images
        lambda x, scale, bias: x * jnp.arange(4.0, dtype=x.dtype).reshape(1, 4, 1, 1),  # not the same within a window
        lambda x, scale, bias: jnp.tanh(x + bias),  # not cheap
        lambda x, scale, bias: x + x,
        lambda x, scale, bias: jnp.flip(x, 1),
        lambda x, scale, bias: of_a_user(x),
    ],
)
def test_other_equations_before_a_pool_stay(function: Any) -> None:
    operands = operands_of((2, 4, 4, 3))
    closed = jax.make_jaxpr(lambda *operands: pooled(function(*operands)))(*operands)
    new = rewrite(closed, "cpu")
    assert [e for e in new.jaxpr.eqns if any(e is old for old in closed.jaxpr.eqns)] == closed.jaxpr.eqns[:-1]
    assert_same(lambda *operands: pooled(function(*operands)), *operands)


def test_a_tape_that_begins_between_a_chain_and_its_pool_sees_what_it_saw() -> None:
    """A value from before the tape is a constant to it, wherever it is computed."""
    v = tf.Variable(np.random.default_rng(0).normal(size=(1, 4, 4, 2)).astype("float32"))

    @tf.function
    def step() -> Any:
        before = v + 1.0
        with tf.GradientTape() as tape:
            y = tf.reduce_sum(tf.nn.max_pool2d(tf.nn.relu(before), 2, 2, "VALID"))
        return y, tape.gradient(y, v)

    y, gradient = step()
    assert gradient is None
    np.testing.assert_allclose(y, np.sum(pooled(np.maximum(v.numpy() + 1, 0))), rtol=1e-6)


def test_a_chain_within_a_tape_is_moved_and_pushed_forward_too() -> None:
    v = tf.Variable(np.random.default_rng(0).normal(size=(1, 4, 4, 2)).astype("float32"))
    tangent = tf.constant(np.random.default_rng(1).normal(size=v.shape).astype("float32"))

    def value(v: Any) -> Any:
        return tf.reduce_sum(tf.nn.max_pool2d(tf.nn.relu(v + 1.0), 2, 2, "VALID") ** 2)

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            y = value(v)
        return tape.gradient(y, v)

    with tf.autodiff.ForwardAccumulator(v, tangent) as accumulator:
        y = value(v)
    expected = jax.grad(lambda x: jnp.sum(pooled(jnp.maximum(x + 1, 0)) ** 2))(v.value)
    np.testing.assert_allclose(step(), expected, rtol=1e-6)
    np.testing.assert_allclose(accumulator.jvp(y), jnp.sum(expected * tangent), rtol=1e-5)


def test_gradients_of_values_within_a_chain() -> None:
    v = tf.Variable(np.random.default_rng(0).normal(size=(1, 4, 4, 2)).astype("float32"))

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            before = v + 1.0
            after = tf.nn.relu(before)
            y = tf.reduce_sum(tf.nn.max_pool2d(after, 2, 2, "VALID") ** 2)
        return tape.gradient(y, [v, before, after])

    def of_after(after: Any) -> Any:
        return jnp.sum(pooled(after) ** 2)

    after = jnp.maximum(v.value + 1, 0)
    expected = jax.grad(of_after)(after)
    for got, want in zip(step(), [expected * (after > 0), expected * (after > 0), expected], strict=True):
        np.testing.assert_allclose(got, want, rtol=1e-6)


def test_what_a_tape_does_not_record_between_a_chain_and_its_pool_has_no_gradient() -> None:
    v = tf.Variable(np.random.default_rng(0).normal(size=(1, 4, 4, 2)).astype("float32"))

    @tf.function
    def step() -> Any:
        with tf.GradientTape() as tape:
            with tape.stop_recording():
                before = v + 1.0
            y = tf.reduce_sum(v) + tf.reduce_sum(tf.nn.max_pool2d(tf.nn.relu(before), 2, 2, "VALID"))
        return tape.gradient(y, v)

    np.testing.assert_array_equal(step(), np.ones(v.shape))


@pytest.mark.parametrize("value", [0.0, -1.0, 2.0])
def test_the_gradient_at_a_kink_is_tensorflows(value: float) -> None:
    """That of `tf.maximum(x, 0)` is 1 where both are equal, that of `tf.nn.relu` 0."""
    v = tf.Variable(np.full((1, 2, 2, 1), value, "float32"))

    @tf.function
    def step() -> Any:
        with tf.GradientTape(persistent=True) as tape:
            compared = tf.reduce_sum(tf.nn.max_pool2d(tf.maximum(v, 0.0), 2, 2, "VALID"))
            rectified = tf.reduce_sum(tf.nn.max_pool2d(tf.nn.relu(v), 2, 2, "VALID"))
        return tape.gradient(compared, v), tape.gradient(rectified, v)

    compared, rectified = step()
    np.testing.assert_array_equal(np.ravel(compared), [float(value >= 0), 0, 0, 0])
    np.testing.assert_array_equal(np.ravel(rectified), [float(value > 0), 0, 0, 0])


def test_the_places_of_maxima_are_computed_once() -> None:
    """Where a loop of the gradient computed them again, it would read the whole image."""
    x, scale, bias = operands_of((2, 6, 6, 3))
    new = rewrite(jax.make_jaxpr(lambda *operands: pooled(normalized(*operands)))(x, scale, bias), "cpu")

    def gradient(*operands: Any) -> Any:
        return jax.grad(lambda *operands: jnp.sum(xc.jaxpr_as_fun(new)(*operands)[0] ** 2), (0, 1, 2))(*operands)

    # Without rewrites' options, since with those of `make test` nothing is put together.
    text = (
        jax.jit(gradient)
        .lower(x, scale, bias)
        .compile(compiler_options={"xla_backend_optimization_level": 3})
        .as_text()
    )
    entry = text[text.index("ENTRY") :]
    (image,) = re.findall(r"(%\S+) = f32\[2,6,6,3\]\S* parameter\(0\)", entry)
    readers = [line for line in entry.splitlines() if re.search(rf"{re.escape(image)}[,)]", line)]
    assert [" call(" in line for line in readers] == [True], readers
