"""A convolution of one channel is computed in the loop of the pool that reads it: the same values, the same derivatives."""

from typing import Any

import hypothesis
import jax
import jax.numpy as jnp
import numpy as np
import pytest
from hypothesis import strategies as st
from jax.extend import core as xc

import stratagem as tf
from stratagem._core.rewrites import compiler_options, rewrite
from tests.thorough import thorough_but

ORDER = {1: ("NWC", "WIO", "NWC"), 2: ("NHWC", "HWIO", "NHWC"), 3: ("NDHWC", "DHWIO", "NDHWC")}
CLOSE = 2e-6

Function = Any


def network(
    window: tuple[int, ...] = (2, 2), strides: int = 1, padding: Any = "VALID", dilation: int = 1, groups: int = 1
) -> Function:
    """A convolution, what may stand between it and a pool, and the pool."""
    size = (1, *window, 1)

    def run(x: Any, w: Any, bias: Any) -> Any:
        y = jax.lax.conv_general_dilated(
            x,
            w,
            (strides,) * len(window),
            padding,
            rhs_dilation=(dilation,) * len(window),
            dimension_numbers=ORDER[len(window)],
            feature_group_count=groups,
        )
        return jax.lax.reduce_window(jax.nn.relu(y + bias), -jnp.inf, jax.lax.max, size, size, "VALID")

    return run


def operands(x: tuple[int, ...], w: tuple[int, ...], seed: int = 0, dtype: str = "float32") -> list[Any]:
    random = np.random.default_rng(seed)
    return [jnp.asarray(random.normal(size=shape), dtype) for shape in (x, w, w[-1:])]


def rewritten(function: Function, *given: Any) -> Function:
    closed = rewrite(jax.make_jaxpr(function)(*given), "cpu")
    return lambda *operands: xc.jaxpr_as_fun(closed)(*operands)[0]


def compiled(function: Function, *given: Any) -> Any:
    return jax.jit(function).lower(*given).compile(compiler_options=compiler_options("cpu"))


def convolutions(function: Function, *given: Any) -> int:
    """How many convolutions XLA, or a library that it calls, computes in a program."""
    text = compiled(function, *given).as_text()
    return sum(" convolution(" in line or "stratagem.convolution" in line for line in text.splitlines())


def convolutions_of_value(function: Function, *given: Any) -> int:
    """How many it computes for the result of the rewritten function."""
    return convolutions(rewritten(function, *given), *given)


def summed(function: Function) -> Function:
    return lambda *given: jnp.sum(jnp.sin(function(*given)))


def squares_of_gradients(function: Function) -> Function:
    return lambda *given: sum(jnp.sum(g**2) for g in jax.grad(summed(function), (0, 1, 2))(*given))


ASKED: dict[str, Any] = {
    "value": lambda f: f,
    "gradients": lambda f: jax.grad(summed(f), (0, 1, 2)),
    "gradients of gradients": lambda f: jax.grad(squares_of_gradients(f), (0, 1, 2)),
    "tangent": lambda f: lambda *given: jax.jvp(f, given, tuple(jnp.cos(v) for v in given))[1],
    "tangent of gradients": lambda f: (
        lambda *given: jax.jvp(jax.grad(summed(f), (0, 1)), given, tuple(jnp.cos(v) for v in given))[1]
    ),
    "batch": lambda f: lambda x, *others: jax.vmap(lambda x: f(x, *others))(jnp.stack([x, x + 1])),
}


def assert_same(function: Function, *given: Any) -> None:
    def answers(function: Function) -> Any:
        every = lambda *given: {name: wanted(function)(*given) for name, wanted in ASKED.items()}  # noqa: E731
        return compiled(every, *given)(*given)

    expected = answers(function)
    for name, got in answers(rewritten(function, *given)).items():
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected[name]), strict=True):
            size = float(jnp.max(jnp.abs(b), initial=1e-30))
            np.testing.assert_allclose(np.asarray(a) / size, np.asarray(b) / size, rtol=0, atol=CLOSE, err_msg=name)


IMAGES = (3, 12, 11, 1), (3, 3, 1, 8)
COMPUTED_AT_THE_POOL = [
    (*IMAGES, {}),
    ((3, 12, 11, 1), (3, 2, 1, 16), {"padding": "SAME"}),
    ((3, 13, 14, 1), (3, 3, 1, 8), {"strides": 2, "dilation": 2, "padding": ((1, 0), (2, 3))}),
    ((3, 11, 12, 1), (2, 2, 1, 8), {"window": (3, 2)}),
    ((3, 30, 1), (5, 1, 8), {"window": (2,), "strides": 3}),
    ((2, 6, 7, 6, 1), (2, 2, 2, 1, 8), {"window": (2, 2, 2)}),
]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("x", "w", "how"), thorough_but(COMPUTED_AT_THE_POOL[:3], COMPUTED_AT_THE_POOL), ids=lambda value: str(value)
)
def test_a_convolution_of_one_channel_is_computed_where_it_is_compared(x: Any, w: Any, how: dict[str, Any]) -> None:
    given = operands(x, w)
    assert convolutions_of_value(network(**how), *given) == 0
    of_filters = jax.grad(summed(rewritten(network(**how), *given)), 1)
    assert convolutions(of_filters, *given) == 1  # the gradient itself
    assert_same(network(**how), *given)


@pytest.mark.parametrize(
    ("x", "w", "how"),
    [
        ((3, 12, 11, 1), (3, 3, 1, 6), {}),  # channels that fill no register
        ((3, 12, 11, 1), (5, 5, 1, 8), {}),  # 100 products for a window of the pool
        ((3, 12, 11, 2), (3, 3, 2, 8), {}),
        ((3, 12, 11, 2), (3, 3, 1, 8), {"groups": 2}),
    ],
    ids=str,
)
def test_other_convolutions_come_before_their_pool(x: Any, w: Any, how: dict[str, Any]) -> None:
    assert convolutions_of_value(network(**how), *operands(x, w)) == 1


def test_convolutions_of_other_floats_come_before_their_pool() -> None:
    given = operands(*IMAGES, dtype="bfloat16")
    assert convolutions_of_value(network(), *given) == 1
    new = rewritten(network(), *given)
    np.testing.assert_array_equal(new(*given), network()(*given))


def test_a_convolution_that_something_else_reads_is_computed_once_for_all() -> None:
    def read_twice(x: Any, w: Any, bias: Any) -> Any:
        y = jax.lax.conv_general_dilated(x, w, (1, 1), "VALID", dimension_numbers=ORDER[2])
        size = (1, 2, 2, 1)
        return jax.lax.reduce_window(y + bias, -jnp.inf, jax.lax.max, size, size, "VALID") * jnp.sum(y)

    given = operands(*IMAGES)
    assert convolutions_of_value(read_twice, *given) == 1
    assert_same(read_twice, *given)


def test_no_images_have_no_results() -> None:
    given = operands((0, 12, 11, 1), (3, 3, 1, 8))
    new = rewritten(network(), *given)
    assert new(*given).shape == (0, 5, 4, 8)
    np.testing.assert_array_equal(jax.grad(summed(new), 1)(*given), np.zeros((3, 3, 1, 8)))


@pytest.mark.parametrize("place", [(0, 0), (5, 4), (11, 10)])
def test_a_window_with_nan_is_nan(place: tuple[int, int]) -> None:
    x, w, bias = operands(*IMAGES)
    x = x.at[(1, *place)].set(jnp.nan)
    new = rewritten(network(), x, w, bias)
    np.testing.assert_array_equal(np.isnan(new(x, w, bias)), np.isnan(network()(x, w, bias)))


def test_of_equal_results_the_first_has_the_gradient() -> None:
    x, w, bias = operands(*IMAGES)
    x = jnp.ones_like(x)
    got, expected = (jax.grad(summed(f), (0, 1))(x, w, bias) for f in (rewritten(network(), x, w, bias), network()))
    for a, b in zip(got, expected, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-5, atol=1e-5)


def small_integers(random: np.random.Generator, shape: tuple[int, ...]) -> Any:
    """Float32 numbers whose sums of products are exact in any order, so that many results are equal."""
    return jnp.asarray(random.integers(-2, 3, shape), "float32")


@pytest.mark.thorough
@hypothesis.settings(max_examples=60)
@hypothesis.given(data=st.data())
def test_any_convolution_before_a_pool_is_that_of_xla_and_has_its_gradients(data: st.DataObject) -> None:
    draw = data.draw
    places = draw(st.integers(1, 2))
    kernel = tuple(draw(st.integers(1, 3)) for _ in range(places))
    window = tuple(draw(st.integers(1, 3)) for _ in range(places))
    strides, dilation = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    padding = tuple((draw(st.integers(0, 2)), draw(st.integers(0, 2))) for _ in range(places))
    sizes = tuple(draw(st.integers((k - 1) * dilation + strides * 2 + 1, 12)) for k in kernel)
    channels = draw(st.sampled_from([1, 1, 2])), draw(st.sampled_from([4, 8, 16]))
    random = np.random.default_rng(draw(st.integers(0, 99)))
    shapes = (draw(st.integers(1, 3)), *sizes, channels[0]), (*kernel, *channels), channels[1:]
    given = [small_integers(random, shape) for shape in shapes]
    function = network(window, strides, padding, dilation)
    hypothesis.assume(min(function(*given).shape) > 0)
    value, of_value = jax.vjp(function, *given)
    new, of_new = jax.vjp(rewritten(function, *given), *given)
    np.testing.assert_array_equal(new, value)
    cotangent = small_integers(random, value.shape)
    for a, b in zip(of_new(cotangent), of_value(cotangent), strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("pause", ["before the tape", "while it stops"])
def test_a_tape_sees_nothing_of_a_convolution_that_it_did_not_see(pause: str) -> None:
    random = np.random.default_rng(0)
    x = tf.Variable(random.normal(size=(2, 8, 8, 1)).astype("float32"))
    w = tf.Variable(random.normal(size=(3, 3, 1, 8)).astype("float32"))

    def convolved() -> Any:
        return tf.nn.conv2d(x, w, 1, "SAME")

    @tf.function
    def step() -> Any:
        before = convolved()
        with tf.GradientTape() as tape:
            if pause == "while it stops":
                with tape.stop_recording():
                    before = convolved()
            pooled = tf.nn.max_pool2d(tf.nn.relu(before), 2, 2, "VALID")
            y = tf.reduce_sum(pooled**2) + tf.reduce_sum(w) + tf.reduce_sum(x)
        return tape.gradient(y, [w, x, pooled])

    of_filters, of_images, of_pooled = step()
    np.testing.assert_array_equal(of_filters, np.ones(w.shape))
    np.testing.assert_array_equal(of_images, np.ones(x.shape))
    assert of_pooled is None


@pytest.mark.parametrize(("x", "pool"), [((2, 12, 2, 1), (2, 1)), ((2, 12, 1, 1), (2, 1))])
def test_images_narrower_than_a_window_have_no_results(x: tuple[int, ...], pool: tuple[int, ...]) -> None:
    given = operands(x, (3, 3, 1, 8))
    how = {"window": pool, "strides": 2 if x[2] == 2 else 1}
    assert rewritten(network(**how), *given)(*given).shape == network(**how)(*given).shape


def test_tapes_and_accumulators_see_a_convolution_at_its_pool() -> None:
    random = np.random.default_rng(0)
    x = tf.constant(random.normal(size=(2, 8, 8, 1)).astype("float32"))
    w = tf.Variable(random.normal(size=(3, 3, 1, 8)).astype("float32"))
    tangent = tf.constant(random.normal(size=w.shape).astype("float32"))

    def value(w: Any) -> Any:
        return tf.reduce_sum(tf.nn.max_pool2d(tf.nn.relu(tf.nn.conv2d(x, w, 1, "SAME")), 2, 2, "VALID") ** 2)

    @tf.function
    def gradients() -> Any:
        with tf.GradientTape() as outer:
            with tf.GradientTape() as inner:
                y = value(w)
            of_w = inner.gradient(y, w)
        return of_w, outer.gradient(of_w, w)

    @tf.function
    def pushed() -> Any:
        with tf.autodiff.ForwardAccumulator(w, tangent) as accumulator:
            y = value(w)
        return accumulator.jvp(y)

    def by_jax(w: Any) -> Any:
        y = jax.nn.relu(jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=ORDER[2]))
        size = (1, 2, 2, 1)
        return jnp.sum(jax.lax.reduce_window(y, -jnp.inf, jax.lax.max, size, size, "VALID") ** 2)

    of_w, again = gradients()
    expected = jax.grad(by_jax)(w.value)
    np.testing.assert_allclose(of_w, expected, rtol=1e-5, atol=1e-5)
    twice = jax.grad(lambda w: jnp.sum(jax.grad(by_jax)(w)))(w.value)
    np.testing.assert_allclose(again, twice, rtol=1e-5, atol=1e-4)
    np.testing.assert_allclose(pushed(), jnp.sum(expected * tangent), rtol=1e-5)
