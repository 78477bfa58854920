"""Matrix products by oneDNN are those of XLA: values, gradients, gradients of gradients, tangents, batches of them."""

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
from stratagem._kernels import has_kernels, multiply
from tests.core.step.observing import count, programs_made

# The two sum the same products in another order, which second derivatives of tanh magnify; relative to the largest number.
CLOSE = 2e-5

Axes = tuple[int, ...]
Dimensions = tuple[tuple[Axes, Axes], tuple[Axes, Axes]]


def numbers(*shape: int, seed: int = 0) -> jax.Array:
    return jnp.asarray(np.random.default_rng(seed).normal(size=shape), "float32")


def answers(function: Any, x: Any, y: Any) -> dict[str, Any]:
    """All that is asked of a product, in one program with the options that steps are compiled with."""

    def all_of_them(x: Any, y: Any) -> dict[str, Any]:
        def summed(x: Any, y: Any) -> Any:
            return jnp.sum(jnp.tanh(function(x, y)))

        def twice(x: Any, y: Any) -> Any:
            return sum(jnp.sum(g**2) for g in jax.grad(summed, (0, 1))(x, y))

        return {
            "value": function(x, y),
            "gradients": jax.grad(summed, (0, 1))(x, y),
            "gradients of gradients": jax.grad(twice, (0, 1))(x, y),
            "tangent": jax.jvp(function, (x, y), (jnp.cos(x), jnp.cos(y)))[1],
            "batch": jax.vmap(function, (0, None))(jnp.stack([x, x + 1]), y),
        }

    return jax.jit(all_of_them).lower(x, y).compile(compiler_options=compiler_options("cpu"))(x, y)


def assert_same(new: Any, old: Any, x: Any, y: Any) -> None:
    expected = answers(old, x, y)
    for name, got in answers(new, x, y).items():
        for a, b in zip(jax.tree.leaves(got), jax.tree.leaves(expected[name]), strict=True):
            assert (a.dtype, a.shape) == (b.dtype, b.shape), name
            size = float(jnp.max(jnp.abs(b), initial=1e-30))
            np.testing.assert_allclose(np.asarray(a) / size, np.asarray(b) / size, rtol=0, atol=CLOSE, err_msg=name)


def rewritten(function: Any, x: Any, y: Any, platform: str = "cpu") -> tuple[Any, xc.ClosedJaxpr]:
    closed = rewrite(jax.make_jaxpr(function)(x, y), platform)
    program = xc.jaxpr_as_fun(closed)
    return lambda x, y: program(x, y)[0], closed


EQUATIONS = {
    "dense": ("btd,dk->btk", (8, 64, 128), (128, 256)),
    "heads": ("btd,dnh->btnh", (8, 64, 128), (128, 4, 64)),
    "queries and keys": ("btnh,bsnh->bnts", (4, 64, 16, 64), (4, 64, 16, 64)),
    "weights and values": ("bnts,bsnh->btnh", (4, 16, 64, 64), (4, 64, 16, 64)),
    "behind a flattened image": ("bd,dk->bk", (64, 4096), (4096, 64)),
    "turned": ("kb,kd->db", (512, 128), (512, 256)),
    "queries and keys of one text": ("btnh,bsnh->bnts", (1, 128, 16, 64), (1, 128, 16, 64)),
    "queries and keys of one head": ("btnh,bsnh->bnts", (64, 64, 1, 64), (64, 64, 1, 64)),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", EQUATIONS)
def test_products_of_networks(name: str) -> None:
    equation, *shapes = EQUATIONS[name]
    x, y = (numbers(*shape, seed=i) / 8 for i, shape in enumerate(shapes))

    def product(x: Any, y: Any) -> Any:
        return jnp.einsum(equation, x, y)

    new, closed = rewritten(product, x, y)
    assert (count(closed, "product"), count(closed, "dot_general")) == (1, 0)
    assert_same(new, product, x, y)


@pytest.mark.skipif(not has_kernels(), reason="there is no library of kernels here")
@pytest.mark.parametrize(
    ("shapes", "onednns"),
    [(((64, 4096), (4096, 64)), 1), (((64, 64), (64, 4096)), 0), (((4, 64, 4096), (4, 4096, 64)), 0)],
)
def test_long_sums_are_onednns_and_those_of_batches_or_for_long_rows_are_xlas(shapes: Any, onednns: int) -> None:
    operands = [numbers(*shape) for shape in shapes]
    new, _ = rewritten(jnp.matmul, *operands)
    text = jax.jit(new).lower(*operands).as_text()
    assert text.count("stratagem.product") == onednns


@st.composite
def products(draw: Any) -> tuple[list[Axes], Dimensions, Axes]:
    """Draws the shapes of two operands, which of their axes belong together, and an order for the axes of the result."""
    kinds = {
        kind: draw(st.lists(st.integers(1, 9), min_size=low, max_size=2)) for kind, low in (("b", 0), *ONE_OF_EACH)
    }
    sizes = {(kind, i): size for kind, group in kinds.items() for i, size in enumerate(group)}
    axes = [draw(st.permutations([a for a in sizes if a[0] in own])) for own in ("bcx", "bcy")]
    together = [draw(st.permutations([a for a in sizes if a[0] == kind])) for kind in "cb"]
    contracted, batch = (tuple(tuple(map(own.index, group)) for own in axes) for group in together)
    rank = sum(len(kinds[kind]) for kind in "bxy")
    shapes = [tuple(sizes[a] for a in own) for own in axes]
    return shapes, (contracted, batch), tuple(draw(st.permutations(range(rank))))


ONE_OF_EACH = (("c", 1), ("x", 1), ("y", 1))


@pytest.mark.thorough
@hypothesis.settings(max_examples=20)
@hypothesis.given(drawn=products())
def test_any_order_of_axes(drawn: Any) -> None:
    """Among them are sizes of one, and orders in which no axis of a matrix has neighbours in memory."""
    shapes, dimensions, order = drawn
    x, y = (numbers(*shape, seed=i) for i, shape in enumerate(shapes))

    def by_onednn(x: Any, y: Any) -> Any:
        return multiply(x, y, dimension_numbers=dimensions, order=order)

    def by_xla(x: Any, y: Any) -> Any:
        return jnp.transpose(jax.lax.dot_general(x, y, dimensions), order)

    assert_same(by_onednn, by_xla, x, y)


@pytest.mark.parametrize(
    ("x", "y"),
    [
        (jnp.ones((64, 64)), jnp.ones((64, 64))),  # too little work for a call
        (jnp.ones((256, 512), "int32"), jnp.ones((512, 256), "int32")),
        (jnp.ones((4096, 4096)), jnp.ones(4096)),  # a vector
        (jnp.ones((0, 512)), jnp.ones((512, 256))),
    ],
    ids=lambda x: f"{x.dtype}{x.shape}",
)
def test_other_products_stay_with_xla(x: Any, y: Any) -> None:
    assert count(rewritten(jnp.matmul, x, y)[1], "dot_general") == 1


def test_a_demand_for_precision_and_other_platforms_keep_their_products() -> None:
    x, y = numbers(256, 512), numbers(512, 256)
    precise = rewritten(lambda x, y: jnp.matmul(x, y, precision="highest"), x, y)[1]
    assert count(precise, "dot_general") == count(rewritten(jnp.matmul, x, y, "gpu")[1], "dot_general") == 1


def test_the_library_computes_what_xla_would_copy() -> None:
    """Operands in the order of XLA's kernels stay with XLA, also on the way back; the gradient of weights does not."""
    x, w = numbers(256, 512), numbers(512, 256)
    new, _ = rewritten(jnp.matmul, x, w)

    def calls(function: Any) -> int:
        return jax.jit(function).lower(x, w).as_text().count("stratagem.product")

    def of(which: int) -> Any:
        return jax.grad(lambda x, w: jnp.sum(jnp.sin(new(x, w))), which)

    assert [calls(f) for f in (new, of(0), of(1))] == [0, 0, int(has_kernels())]


def test_an_exported_program_runs_where_there_is_no_library() -> None:
    x, y = numbers(512, 256), numbers(512, 256, seed=1)
    new, _ = rewritten(lambda x, y: x.T @ y, x, y)
    exported = jax.export.export(jax.jit(new), platforms=["cpu", "tpu"])(x, y)
    assert "stratagem." not in exported.mlir_module()
    np.testing.assert_allclose(exported.call(x, y), x.T @ y, atol=1e-3)


def test_a_step_of_attention_trains_alike_with_and_without_rewrites(monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)

    def trained() -> list[np.ndarray]:
        tf.keras.utils.set_random_seed(0)
        layer = tf.keras.layers.MultiHeadAttention(4, 64)
        x = tf.constant(numbers(16, 64, 256))
        layer(x, x)
        optimizer = tf.keras.optimizers.SGD(0.1)

        @tf.function
        def step() -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_mean(layer(x, x) ** 2)
            optimizer.apply_gradients(
                zip(tape.gradient(loss, layer.trainable_variables), layer.trainable_variables, strict=True)
            )
            return loss

        for _ in range(3):
            step()
        return [np.asarray(v) for v in layer.trainable_variables]

    fast = trained()
    assert count(made[-1].closed, "product") == 15
    monkeypatch.setenv("STRATAGEM_REWRITES", "off")
    plain = trained()
    assert count(made[-1].closed, "product") == 0
    for a, b in zip(fast, plain, strict=True):
        np.testing.assert_allclose(a, b, rtol=0, atol=1e-5)
