"""Products of 16-bit floats sum in float32 and are rounded once, and XLA's slow kernels for them are not used."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax.extend import core as xc

import stratagem as tf
from stratagem._core.rewrites import rewrite
from stratagem._kernels import computes
from tests.core.step.observing import count, equations

HALF = ("bfloat16", "float16")
IMAGES = ("NHWC", "HWIO", "NHWC")


def dense(x: jax.Array, w: jax.Array) -> jax.Array:
    return x @ w


def attention_scores(x: jax.Array, w: jax.Array) -> jax.Array:
    return jnp.einsum("bqhd,bkhd->bhqk", x, w, preferred_element_type=jnp.float32)


def convolution(x: jax.Array, w: jax.Array) -> jax.Array:
    return jax.lax.conv_general_dilated(x, w, (1, 1), "SAME", dimension_numbers=IMAGES)


def grouped(x: jax.Array, w: jax.Array) -> jax.Array:
    return jax.lax.conv_general_dilated(x, w, (2, 2), "SAME", dimension_numbers=IMAGES, feature_group_count=4)


def transposed(x: jax.Array, w: jax.Array) -> jax.Array:
    return jax.lax.conv_transpose(x, w, (2, 2), "SAME", dimension_numbers=IMAGES)


PROGRAMS: list[tuple[Callable[..., jax.Array], tuple[int, ...], tuple[int, ...]]] = [
    (dense, (32, 24), (24, 16)),
    (attention_scores, (2, 5, 3, 8), (2, 7, 3, 8)),
    (convolution, (4, 12, 11, 8), (3, 3, 8, 16)),
    (convolution, (4, 12, 11, 8), (1, 1, 8, 16)),
    (grouped, (4, 12, 11, 8), (3, 3, 2, 16)),
    (transposed, (4, 6, 5, 8), (3, 3, 8, 16)),
]


def operands(x: tuple[int, ...], w: tuple[int, ...], dtype: str) -> list[jax.Array]:
    random = np.random.default_rng(0)
    return [jnp.asarray(random.normal(size=shape), dtype) for shape in (x, w)]


def rewritten(function: Callable[..., jax.Array], x: jax.Array, w: jax.Array) -> xc.ClosedJaxpr:
    return rewrite(jax.make_jaxpr(function)(x, w), "cpu")


def assert_rounded_once(result: jax.Array, exact: jax.Array) -> None:
    """Half a unit in the last place of each element, and the error of a sum in float32."""
    finfo = ml_dtypes.finfo(result.dtype)
    size = float(jnp.max(jnp.abs(exact)))
    np.testing.assert_allclose(np.asarray(result, "float64"), exact, rtol=float(finfo.eps) / 2, atol=2e-6 * size)


@pytest.mark.parametrize("native", [True, False], ids=["by the processor", "by conversion"])
@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize(("function", "x", "w"), PROGRAMS, ids=lambda value: getattr(value, "__name__", None))
def test_a_product_and_its_gradients_are_rounded_once(
    function: Any, x: Any, w: Any, dtype: str, native: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if native and not computes(dtype):
        pytest.skip("this processor has no instructions for it")
    if not native:
        # Private: stands for a processor without these instructions.
        monkeypatch.setattr("stratagem._core.rewrites._convolution.computes", lambda dtype: str(dtype) == "float32")
    halves = operands(x, w, dtype)
    program = xc.jaxpr_as_fun(rewritten(function, *halves))

    results, transpose = jax.vjp(lambda x, w: program(x, w)[0], *halves)
    cotangent = jnp.asarray(np.random.default_rng(1).normal(size=results.shape), results.dtype)
    found = [results, *transpose(cotangent)]
    with jax.enable_x64(True):
        doubles = [half.astype("float64") for half in halves]
        exact, exact_transpose = jax.vjp(lambda x, w: function(x, w).astype("float64"), *doubles)
        expected = [exact, *exact_transpose(cotangent.astype("float64"))]

    assert [str(array.dtype) for array in found[1:]] == [dtype, dtype]
    for array, wanted in zip(found, expected, strict=True):
        assert_rounded_once(array, wanted)


@pytest.mark.parametrize("dtype", HALF)
@pytest.mark.parametrize(("function", "x", "w"), PROGRAMS, ids=lambda value: getattr(value, "__name__", None))
def test_no_product_of_halves_is_left_to_xla(function: Any, x: Any, w: Any, dtype: str) -> None:
    def twice(x: jax.Array, w: jax.Array) -> jax.Array:
        return jax.lax.scan(lambda total, _: (total + jnp.sum(function(x, w)), None), 0.0, length=2)[0]

    closed = rewritten(twice, *operands(x, w, dtype))
    left = [
        eqn
        for eqn in equations(closed.jaxpr)
        if eqn.primitive.name in ("dot_general", "conv_general_dilated") and eqn.invars[0].aval.dtype.name in HALF
    ]
    assert left == []


def test_an_algorithm_of_a_different_kind_stays_as_it_is() -> None:
    def product(x: jax.Array, w: jax.Array) -> jax.Array:
        return jax.lax.dot(x, w, precision=jax.lax.DotAlgorithmPreset.BF16_BF16_BF16)

    closed = rewritten(product, *operands((8, 8), (8, 8), "bfloat16"))
    assert (count(closed, "dot_general"), count(closed, "convert_element_type")) == (1, 0)


@pytest.mark.parametrize("policy", ["mixed_bfloat16", "mixed_float16"])
def test_attention_trains_in_mixed_precision(policy: str) -> None:
    """JAX's attention asks for sums of float16 in float32, which XLA for CPUs refuses."""
    keras = tf.keras
    keras.utils.set_random_seed(0)
    tokens = keras.Input((6, 16))
    attended = keras.layers.MultiHeadAttention(2, 8, dtype=policy)(tokens, tokens)
    model = keras.Model(tokens, keras.layers.Dense(1, dtype="float32")(attended))
    model.compile("sgd", "mse")
    x = np.random.default_rng(0).normal(size=(64, 6, 16)).astype("float32")
    history = model.fit(x, x.sum(-1, keepdims=True), batch_size=16, epochs=3, verbose=0).history["loss"]
    assert history[2] < history[0]
