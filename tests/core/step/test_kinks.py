"""Derivatives at kinks, ties and poles are TensorFlow's, recorded by `record_kinks`."""

import json
from itertools import product
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest
from jax.extend import core as xc

import stratagem as tf

# Private: that a program without kinks is left alone is no result, only time.
from stratagem._core.derivatives import tensorflow_rules

# Private: an extreme that XLA has computed with different rounding.
from stratagem._core.derivatives._along_axes import reduce_extreme_rule
from tests.core.step.kinks import DIFFERENT, KINKS, ORDERS
from tests.core.step.observing import programs_made
from tests.thorough import thorough_but

RECORDED = json.loads((Path(__file__).parent / "recorded" / "kinks.json").read_text())
DTYPES = {"float32": (5e-6, 2e-6), "float64": (1e-12, 1e-12)}  # tolerances: relative, absolute

# tf.keras 2.15 computes these with epsilons and constants in float32, whatever the dtype.
IN_FLOAT32 = ("huber", "KLD", "binary_crossentropy")
CASES = [(name, order) for name in KINKS for order in ORDERS if RECORDED[name][order]["float32"]]
AGREED = [case for case in CASES if case not in DIFFERENT]


def numbers(answer: Any, dtype: str) -> np.ndarray[Any, Any]:
    """A recorded gradient as an array: "NaN" and "Infinity" are written as strings."""
    return np.asarray(json.loads(json.dumps(answer).replace('"', "")), dtype)


def agrees(found: Any, wanted: Any, dtype: str) -> bool:
    """Whether all gradients are those of an answer, infinities and NaNs included."""
    relative, absolute = DTYPES[dtype]
    pairs = zip(found, wanted, strict=True)
    return all(np.allclose(np.asarray(f), numbers(w, dtype), relative, absolute, equal_nan=True) for f, w in pairs)


def check(name: str, order: str, found: dict[str, Any]) -> None:
    for dtype, gradients in found.items():
        answers = RECORDED[name][order][dtype]
        if not answers:  # TensorFlow has no kernel
            assert dtype != "float32"
            continue
        assert any(agrees(gradients, answer, dtype) for answer in answers), (dtype, gradients, answers)


def points(name: str, dtype: str) -> list[jax.Array]:
    return [tf.constant(p, dtype) for p in KINKS[name][1]]


def derivatives(name: str, order: str, dtype: str, function: Any = None) -> list[Any]:
    """The derivatives in one compiled program."""
    function = function or KINKS[name][0]

    @tf.function
    def step(*tensors: Any) -> Any:
        return ORDERS[order](tf, function, *tensors)

    return list(step(*points(name, dtype)))


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "order"), thorough_but(AGREED[::12], AGREED))
def test_derivatives_are_those_of_tensorflow(name: str, order: str) -> None:
    check(
        name,
        order,
        {dtype: derivatives(name, order, dtype) for dtype in DTYPES if name not in IN_FLOAT32 or dtype == "float32"},
    )


def eagerly(name: str, order: str, dtype: str) -> list[Any]:
    """The derivatives outside of compiled steps."""
    return list(ORDERS[order](tf, KINKS[name][0], *points(name, dtype)))


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "order"), thorough_but(AGREED[::32], AGREED))
def test_eager_derivatives_are_those_of_tensorflow(name: str, order: str) -> None:
    # Outside of steps a Python number beside a float64 tensor is rounded to float32 (decisions: 64-bit types).
    single = (*IN_FLOAT32, "l2_normalize")
    check(
        name,
        order,
        {dtype: eagerly(name, order, dtype) for dtype in DTYPES if name not in single or dtype == "float32"},
    )


@pytest.mark.parametrize(("name", "order"), DIFFERENT)
def test_differences_from_tensorflow_are_still_there(name: str, order: str) -> None:
    with pytest.raises(AssertionError):
        check(name, order, {"float64": derivatives(name, order, "float64")})


OTHER_NAMES = {
    "abs": [jnp.abs, jnp.absolute, keras.ops.abs, keras.ops.absolute],
    "maximum": [jnp.maximum, keras.ops.maximum],
    "minimum": [jnp.minimum, keras.ops.minimum],
    "maximum, broadcast": [jnp.maximum, keras.ops.maximum],
    "maximum with a constant": [lambda x: jnp.maximum(x, 0), lambda x: keras.ops.maximum(x, 0.0)],
    "maximum of a constant": [lambda x: jnp.maximum(0, x), lambda x: keras.ops.maximum(0.0, x)],
    "clip": [
        lambda x: jnp.clip(x, 0, 3),
        lambda x: keras.ops.clip(x, 0, 3),
        lambda x: jax.lax.clamp(jnp.zeros_like(x), x, jnp.full_like(x, 3)),
    ],
    "clip to tensors": [jnp.clip, keras.ops.clip],
    "sqrt where positive": [
        lambda x: jnp.where(x > 0, jnp.sqrt(x), 0),
        lambda x: keras.ops.where(x > 0, keras.ops.sqrt(x), 0),
    ],
    "reduce_max": [lambda x: jnp.max(x, 1), lambda x: keras.ops.max(x, 1)],
    "reduce_prod": [lambda x: jnp.prod(x, 1), lambda x: keras.ops.prod(x, 1)],
    "cumprod": [lambda x: jnp.cumprod(x, 1), lambda x: keras.ops.cumprod(x, 1)],
    "relu": [jax.nn.relu, keras.ops.relu, keras.layers.Activation("relu")],
    "relu6": [jax.nn.relu6, keras.ops.relu6, keras.activations.relu6],
    "leaky_relu": [lambda x: jax.nn.leaky_relu(x, 0.25), lambda x: keras.ops.leaky_relu(x, 0.25)],
    "elu": [jax.nn.elu, keras.ops.elu],
    "selu": [jax.nn.selu, keras.ops.selu],
    "norm 1": [lambda x: jnp.linalg.norm(x, 1, 1), lambda x: keras.ops.norm(x, 1, 1)],
}


@pytest.mark.sampled
@pytest.mark.parametrize("order", thorough_but(["first"], ORDERS))
@pytest.mark.parametrize("name", OTHER_NAMES)
def test_functions_of_jax_and_keras_agree(name: str, order: str) -> None:
    for function in OTHER_NAMES[name]:
        found = derivatives(name, order, "float32", lambda _, *tensors, function=function: function(*tensors))
        check(name, order, {"float32": found})


FEW = ("abs", "maximum", "clip", "sqrt where positive", "leaky_relu", "reduce_prod")


@pytest.mark.parametrize(
    ("name", "order"), thorough_but([("clip", "first"), ("reduce_prod", "second")], product(FEW, ORDERS))
)
def test_replicas_agree(name: str, order: str) -> None:
    strategy = tf.distribute.MirroredStrategy(["cpu:0", "cpu:1"])

    def step(*tensors: Any) -> Any:
        return ORDERS[order](tf, KINKS[name][0], *tensors)

    found = strategy.run(step, args=tuple(points(name, "float32")))
    for replica in range(2):
        check(name, order, {"float32": [strategy.experimental_local_results(g)[replica] for g in found]})


def in_scan(function: Any) -> Any:
    def run(_: Any, *tensors: Any) -> Any:
        return jax.lax.scan(lambda c, _: (c, function(tf, *tensors)), 0.0, None, 1)[1][0]

    return run


def in_cond(function: Any) -> Any:
    def run(_: Any, *tensors: Any) -> Any:
        yes = jnp.sum(jnp.nan_to_num(tensors[0])) < 1e9
        return jax.lax.cond(yes, lambda *xs: function(tf, *xs), lambda *xs: 0 * function(tf, *xs), *tensors)

    return run


def in_checkpoint(function: Any) -> Any:
    return lambda _, *tensors: jax.checkpoint(lambda *xs: function(tf, *xs))(*tensors)


def in_jit(function: Any) -> Any:
    return lambda _, *tensors: jax.jit(lambda *xs: function(tf, *xs))(*tensors)


INSIDES = (in_scan, in_cond, in_checkpoint, in_jit)


@pytest.mark.sampled
@pytest.mark.parametrize(("name", "inside"), thorough_but([*zip(FEW, INSIDES, strict=False)], product(FEW, INSIDES)))
def test_programs_inside_a_program_agree(name: str, inside: Any) -> None:
    for order in ("first", "second", "forward"):  # what branches are connected by is zeros in TensorFlow's graphs, too
        check(name, order, {"float32": derivatives(name, order, "float32", inside(KINKS[name][0]))})


def test_smooth_functions_made_of_kinks_keep_their_derivatives() -> None:
    @tf.function
    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch([x, y])
            total = jnp.hypot(x, y) + jax.nn.celu(x - 1)
        return tape.gradient(total, [x, y])

    np.testing.assert_allclose(step(tf.constant(1.0), tf.constant(1.0)), [1 + 0.5**0.5, 0.5**0.5], rtol=1e-6)


def test_rules_hold_under_vmap() -> None:
    @tf.function
    def step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = jax.vmap(lambda row: jnp.maximum(jnp.abs(row), 1.0) + jnp.max(row))(x)
        return tape.gradient(y, x)

    assert step(tf.constant([[0.0, 1.0], [-1.0, 2.0]])).tolist() == [[0.0, 3.0], [-1.0, 3.0]]


def test_a_program_without_kinks_is_left_alone() -> None:
    program = jax.make_jaxpr(lambda x, w: jnp.tanh(jax.nn.sigmoid(x @ w)).sum())(jnp.ones((2, 3)), jnp.ones((3, 4)))
    assert tensorflow_rules(program) is program


def test_a_changed_program_computes_the_same_values() -> None:
    def values(x: Any) -> Any:
        return jnp.sqrt(jnp.abs(x)), jnp.clip(x, 0, 1), jax.nn.selu(x), jax.nn.elu(x, 0.5), jnp.max(x), jnp.cumprod(x)

    x = jnp.asarray([-3.0, -0.0, 0.0, 1.0, 2.5])
    program = jax.make_jaxpr(values)(x)
    changed = tensorflow_rules(program)
    assert changed is not program
    for one, other in zip(xc.jaxpr_as_fun(program)(x), xc.jaxpr_as_fun(changed)(x), strict=True):
        assert one.tolist() == other.tolist()


def test_calls_of_one_function_share_a_changed_program() -> None:
    def twice(x: Any) -> Any:
        return jax.nn.leaky_relu(jax.nn.leaky_relu(x, 0.1), 0.1)

    first, second = tensorflow_rules(jax.make_jaxpr(twice)(1.0)).jaxpr.eqns
    assert first.params["jaxpr"].jaxpr is second.params["jaxpr"].jaxpr


def test_a_step_with_kinks_is_traced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    made = programs_made(monkeypatch)
    calls = []

    @tf.function
    def step(x: Any) -> Any:
        calls.append(None)
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = tf.abs(tf.maximum(x, 0.0))
        return tape.gradient(y, x)

    for _ in range(3):
        step(tf.constant([0.0, 1.0]))
    assert (len(calls), len(made)) == (1, 1)


@pytest.mark.parametrize("direction", [jnp.inf, -jnp.inf])
def test_a_maximum_that_is_computed_with_other_rounding_keeps_its_gradient(direction: float) -> None:
    # XLA computed the operand of the comparison a second time, with different rounding, in a compiled step.
    extreme = reduce_extreme_rule(lambda x: jnp.nextafter(jnp.max(x, 1), direction), {"axes": (1,)})
    x = jnp.array([[1.5, -2.0, 3.25], [7.0, 7.0, 0.0], [-1.0, -3.0, -1.0], [jnp.inf, 1.0, 2.0], [jnp.nan, 0.0, 1.0]])
    gradient = jax.grad(lambda x: extreme(x).sum())(x)
    assert gradient[:3].tolist() == [[0, 0, 1], [0.5, 0.5, 0], [0.5, 0, 0.5]]
    assert jnp.isnan(gradient[4]).all()
