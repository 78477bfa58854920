"""Products that are taken out of loops are the same: values, gradients, tangents; loops that save memory stay as they are."""

from collections.abc import Callable
from typing import Any

import hypothesis
import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from hypothesis import strategies as st
from jax.extend import core as xc

from stratagem._core.rewrites import rewrite, rewrite_loops
from stratagem._kernels import Geometry, convolve
from tests.core.step.observing import equations


def numbers(*shape: int, seed: int = 0) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape))


def rewritten(function: Callable[..., Any], *args: Any) -> tuple[xc.ClosedJaxpr, xc.ClosedJaxpr]:
    closed = jax.make_jaxpr(function)(*args)
    return closed, rewrite_loops(closed, "cpu")


def assert_same(function: Callable[..., Any], *args: Any) -> xc.ClosedJaxpr:
    """The two sum the same numbers in another order, in float64."""
    old, new = rewritten(function, *args)
    flat = jax.tree.leaves(args)
    for a, b in zip(jax.jit(xc.jaxpr_as_fun(new))(*flat), jax.jit(xc.jaxpr_as_fun(old))(*flat), strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-12 * max(1.0, float(jnp.max(jnp.abs(b), initial=0.0))))
    return new


def inside(closed: xc.ClosedJaxpr, primitive: str = "dot_general") -> int:
    """How many equations of a kind its loops have."""
    loops = [eqn for eqn in equations(closed.jaxpr) if eqn.primitive.name == "scan"]
    return sum(eqn.primitive.name == primitive for loop in loops for eqn in loop.params["jaxpr"].jaxpr.eqns)


LAYERS: dict[str, tuple[Callable[[], Any], int]] = {
    # with the products that are left: of the state, forward and backward
    "LSTM": (lambda: keras.layers.LSTM(6, dtype="float64"), 2),
    "LSTM, all steps": (lambda: keras.layers.LSTM(6, return_sequences=True, dtype="float64"), 2),
    "LSTM, backwards": (lambda: keras.layers.LSTM(6, go_backwards=True, dtype="float64"), 2),
    "LSTM, both ways": (lambda: keras.layers.Bidirectional(keras.layers.LSTM(6, dtype="float64"), dtype="float64"), 4),
    "GRU": (lambda: keras.layers.GRU(6, dtype="float64"), 2),
    # Its kernel is two, whose gradients are put together in the loop.
    "GRU, reset before": (lambda: keras.layers.GRU(6, reset_after=False, dtype="float64"), 6),
    "SimpleRNN": (lambda: keras.layers.SimpleRNN(6, dtype="float64"), 2),
}


@pytest.mark.sampled
@pytest.mark.parametrize("masked", [False, True])
@pytest.mark.parametrize("name", LAYERS)
def test_recurrent_layers_multiply_in_their_loops_for_the_state_alone(name: str, masked: bool) -> None:
    with jax.enable_x64(True):
        make, products = LAYERS[name]
        layer, x = make(), numbers(3, 7, 5)
        mask = jnp.asarray(np.random.default_rng(1).random((3, 7)) < 0.7) if masked else None
        layer.build(x.shape)
        weights = [v.value + 0.1 for v in layer.trainable_variables]
        others = [v.value for v in layer.non_trainable_variables]

        def loss(weights: Any, x: Any) -> Any:
            return jnp.sum(layer.stateless_call(weights, others, x, training=True, mask=mask)[0] ** 2)

        new = assert_same(jax.value_and_grad(loss, (0, 1)), weights, x)
        assert inside(new) == products


@pytest.mark.sampled
@pytest.mark.parametrize(("channels", "steps"), [(3, 4), (8, 3)])
def test_recurrent_layers_of_images_convolve_in_their_loops_for_the_state_alone(channels: int, steps: int) -> None:
    """Convolutions of the inputs come before the loop, and gradients of filters are sums over the batches of all steps."""
    with jax.enable_x64(True):
        same = Geometry((5, 6), (3, 3), (1, 1), ((1, 1), (1, 1)), (1, 1), 1)

        def loss(of_inputs: Any, of_state: Any, images: Any) -> Any:
            def step(state: Any, x: Any) -> Any:
                state = jnp.tanh(convolve(x, of_inputs, same) + convolve(state, of_state, same))
                return state, state

            return jnp.sum(jax.lax.scan(step, jnp.zeros((2, 5, 6, 4)), images)[1] ** 2)

        filters = numbers(3, 3, channels, 4), numbers(3, 3, 4, 4, seed=1)
        images = numbers(steps, 2, 5, 6, channels, seed=2)
        new = assert_same(jax.value_and_grad(loss, (0, 1, 2)), *filters, images)
        assert [inside(new, name) for name in ("convolution", "convolution_of_input")] == [1, 1]
        assert inside(new, "convolution_of_filters") == 0


Loop = Callable[[Any, Any, Any], Any]


def loop_of(early: str, added: str, also: str, given: str, **how: Any) -> Loop:
    """A loop with a state h, two sums and results, of slices x and constants w; the texts say what it computes of them."""
    texts = {"early": early, "added": added, "also": also, "given": given}
    codes = {name: compile(text, name, "eval") for name, text in texts.items()}

    def loop(x: Any, w: Any, h: Any) -> Any:
        def body(carry: Any, x: Any) -> Any:
            h, c, d = carry
            known = {"jnp": jnp, "x": x, "w": w, "h": h, "c": c}
            z = known["z"] = jnp.tanh(eval(codes["early"], known) + h @ w)
            total, other = c + eval(codes["added"], known), d + eval(codes["also"], known)
            return (0.5 * z, total, other), eval(codes["given"], known)

        return jax.lax.scan(body, (h, jnp.ones((4, 4)), jnp.ones(4)), x, **how)

    return loop


def assert_all_same(loop: Loop, length: int, batch: int) -> None:
    with jax.enable_x64(True):
        x, w, h = numbers(length, batch, 4), numbers(4, 4, seed=1), numbers(batch, 4, seed=2)
        assert_same(loop, x, w, h)
        assert_same(
            jax.grad(lambda *args: sum(jnp.sum(y**2) for y in jax.tree.leaves(loop(*args))), (0, 1, 2)), x, w, h
        )
        assert_same(lambda *args: jax.jvp(loop, args, args), x, w, h)
        assert_same(jax.vmap(loop, (0, None, 0)), jnp.stack([x, x + 1]), w, jnp.stack([h, h - 1]))


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("added", "also"),
    [("x.T @ z", "z.sum(0)"), ("h.T @ h", "w.sum(0)"), ("w.T @ w", "x.sum(0)"), ("c * (x.T @ z)", "h[0]")],
)
def test_sums_over_steps_are_the_same(added: str, also: str) -> None:
    assert_all_same(loop_of("x @ w", added, also, "z @ w.T", reverse=True), 3, 2)


@pytest.mark.thorough
@hypothesis.settings(max_examples=40)
@hypothesis.given(
    length=st.integers(0, 5),
    batch=st.integers(1, 3),
    reverse=st.booleans(),
    unroll=st.sampled_from([1, 2]),
    early=st.sampled_from(["x @ w", "(w.T @ x.T).T", "x.reshape(-1, 4) @ w", "(x + h) @ w", "jnp.tanh(x) @ w"]),
    added=st.sampled_from(
        [
            "x.T @ z",
            "(z.T @ x).T",
            "h.T @ z",
            "h.T @ h",
            "w.T @ w",
            "jnp.outer(x.sum(0), z[0])",
            "x.T @ z + 1",
            "c * (x.T @ z)",
        ]
    ),
    also=st.sampled_from(
        ["z.sum(0)", "(z * z).sum(0)", "z.sum(0)[:, None][:, 0]", "h[0]", "z[0] @ w.T", "w.sum(0)", "x.sum(0)"]
    ),
    given=st.sampled_from(["z @ w.T", "(z @ w.T).T", "w @ w.T", "z", "x @ x.T", "jnp.exp(z @ w.T)"]),
)
def test_any_loop_computes_what_it_did(
    length: int, batch: int, reverse: bool, unroll: int, early: str, added: str, also: str, given: str
) -> None:
    assert_all_same(loop_of(early, added, also, given, reverse=reverse, unroll=unroll), length, batch)


def test_a_loop_over_parts_of_a_batch_keeps_its_products() -> None:
    """Outside they would need the activations of all parts at once, which the loop is there to avoid."""

    def gradients(weights: Any, parts: Any) -> Any:
        def loss(weights: Any, x: Any) -> Any:
            for w in weights:
                x = jnp.tanh(x @ w)
            return jnp.sum(x**2)

        def body(total: Any, x: Any) -> Any:
            return jax.tree.map(jnp.add, total, jax.grad(loss)(weights, x)), None

        return jax.lax.scan(body, jax.tree.map(jnp.zeros_like, weights), parts)[0]

    weights = [numbers(4, 64), numbers(64, 64), numbers(64, 64), numbers(64, 2)]
    old, new = rewritten(gradients, weights, numbers(8, 16, 4))
    assert inside(old) == inside(new) > 8


@pytest.mark.parametrize("before", [False, True])
def test_a_sum_of_products_that_is_read_in_the_loop_stays(before: bool) -> None:
    def loop(x: Any) -> Any:
        def body(total: Any, x: Any) -> Any:
            following = total + x.T @ x
            return following, jnp.max(total if before else following)

        return jax.lax.scan(body, jnp.zeros((3, 3)), x)

    with jax.enable_x64(True):
        assert inside(assert_same(loop, numbers(5, 2, 3))) == 1


def test_other_platforms_and_untouched_programs_keep_their_loops(monkeypatch: pytest.MonkeyPatch) -> None:
    def loop(x: Any, w: Any) -> Any:
        return jax.lax.scan(lambda h, x: (jnp.tanh(h + x @ w), None), jnp.zeros((2, 3)), x)[0]

    closed = jax.make_jaxpr(loop)(numbers(5, 2, 4), numbers(4, 3))
    assert inside(rewrite_loops(closed, "cpu")) == 0
    assert rewrite_loops(closed, "cuda") is closed
    monkeypatch.setenv("STRATAGEM_REWRITES", "off")
    assert rewrite_loops(closed, "cpu") is closed


def test_programs_that_stay_the_same_are_the_same_objects() -> None:
    """JAX derives and lowers a function's program once, by its identity, however often it is called."""

    @jax.jit
    def called(x: Any) -> Any:
        return jax.lax.cond(x[0, 0] > 0, jnp.sin, jnp.cos, x)

    def program(x: Any, w: Any) -> Any:
        h = called(called(jnp.zeros((2, 3))))
        return jax.lax.scan(lambda h, x: (jnp.tanh(h + x @ w), None), h, x)[0]

    old, new = rewritten(program, numbers(5, 2, 4), numbers(4, 3))
    assert inside(old) == 1
    assert inside(new) == 0
    first, second = (
        [eqn for eqn in closed.jaxpr.eqns if eqn.primitive.name in ("jit", "pjit")] for closed in (old, new)
    )
    assert len(first) == len(second) == 2
    assert all(a is b for a, b in zip(first, second, strict=True))
    assert rewrite(old, "cpu").jaxpr is old.jaxpr
