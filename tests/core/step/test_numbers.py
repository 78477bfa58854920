"""A number that changes becomes an input of an undecorated step's program; what Python asks of it is a condition of that."""

import math
import types
from itertools import product
from typing import Any

import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf
from tests.core.step.counting import Counted, strategies
from tests.thorough import thorough_if

MOST_VARIANTS = 32  # of a step's programs are kept
COMPUTED: dict[str, Any] = {
    "product": lambda t, x: x * t.weight,
    "power": lambda t, x: x * (1 - 0.5**t.weight) + t.other,
    "comparison": lambda t, x: tf.where(x > t.weight, x, -x) + t.weight // 3,
    "by name": lambda t, x: x * getattr(t, "weight") + float(t.other),  # noqa: B009
    "in a dict": lambda t, x: {"x": x * t.weight, "w": t.weight}["x"],
    "in a branch": lambda t, x: tf.cond(x > 0.0, lambda: x * t.weight, lambda: x),
}


UNDER_STRATEGIES = [("by name", "one device"), ("in a branch", "two replicas")]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("name", "kind"),
    [
        # A thousand steps take seconds.
        pytest.param(name, kind, marks=thorough_if(kind != "default" and (name, kind) not in UNDER_STRATEGIES))
        for name, kind in product(COMPUTED, ("default", "one device", "two replicas"))
    ],
)
def test_a_thousand_values_are_three_traces(name: str, kind: str) -> None:
    compute = COMPUTED[name]
    strategy, t = strategies()[kind], Counted(compute)
    for i in range(1000):
        t.weight = i / 8
        result = strategy.experimental_local_results(strategy.run(t.step, args=(tf.constant(3.0),)))[0]
        if i in (0, 1, 2, 500, 999):
            assert float(result) == pytest.approx(_eager(compute, t.weight), rel=1e-6)
    assert t.traces <= 3


def _eager(compute: Any, weight: float) -> float:
    t = Counted(compute)
    t.weight = weight
    return float(compute(t, tf.constant(3.0)))


def test_numbers_that_are_arguments_are_inputs_too() -> None:
    traces = []

    def step(x: Any, weight: float, *, more: int) -> Any:
        traces.append(1)
        return x * weight + more

    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    for i in range(100):
        result = strategy.run(step, args=(tf.constant(3.0), i / 8), kwargs={"more": i})
        assert float(result) == 3.0 * i / 8 + i
    assert len(traces) <= 3


@pytest.mark.sampled
@pytest.mark.parametrize(
    "compute",
    [
        lambda t, x: x * 100.0 if t.weight > 60 else x * t.weight,
        lambda t, x: x * min(1.0, t.weight / 50),
        lambda t, x: x * 0.5 * (1 + math.cos(math.pi * t.weight / 125)),
        lambda t, x: x * t.weight if t.weight % 1 else -x,
    ],
    ids=["if", "warmup", "cosine", "every so often"],
)
def test_what_python_decides_by_a_number_is_a_condition_of_a_program(compute: Any) -> None:
    t, strategy = Counted(compute), tf.distribute.OneDeviceStrategy("cpu:0")
    for i in range(1000):
        t.weight = i / 8
        result = float(strategy.run(t.step, args=(tf.constant(3.0),)))
        assert result == pytest.approx(_eager(compute, t.weight), rel=1e-6, abs=1e-6)
    assert t.traces <= 4  # two for the first program, one for each decision


def test_programs_for_one_value_each_are_named_and_only_the_last_are_kept(caplog: pytest.LogCaptureFixture) -> None:
    t = Counted(lambda t, x: x * float(t.weight))
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    for i in range(MOST_VARIANTS + 10):
        t.weight = i / 8
        assert float(strategy.run(t.step, args=(tf.constant(3.0),))) == 3.0 * i / 8
    said = [r.getMessage() for r in caplog.records if "was traced" in r.getMessage()]
    assert len(said) == 1
    assert "self.weight" in said[0]
    kept = [len(cache.specializations) for cache in strategy.function_caches.values()]
    assert kept == [MOST_VARIANTS + 1]  # the one that was left out last is found at the next


def test_a_step_of_float64_gets_the_number_with_all_its_bits() -> None:
    t = Counted(lambda t, x: x * t.weight)
    for weight in (0.1, 0.2, 0.7):
        t.weight = weight
        result = tf.distribute.OneDeviceStrategy("cpu:0").run(t.step, args=(tf.constant(1.0, tf.float64),))
        assert float(result) == weight


def test_zero_and_minus_zero_are_two_values() -> None:
    t = Counted(lambda t, x: 1.0 / (x * t.weight))
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    for weight, sign in ((0.0, 1), (-0.0, -1), (1.0, 1), (-0.0, -1)):
        t.weight = weight
        assert np.sign(strategy.run(t.step, args=(tf.constant(1.0),))) == sign


def test_uneven_batches_take_numbers_as_inputs() -> None:
    strategy, t = strategies()["two replicas"], Counted(lambda t, x: tf.reduce_sum(x) * t.weight)
    batches = strategy.experimental_distribute_dataset(tf.data.Dataset.range(3).map(lambda v: v + 1).batch(3))
    for weight in (1.0, 5.0, 2.0, 7.0):
        t.weight = weight
        for batch in batches:
            total = strategy.reduce(tf.distribute.ReduceOp.SUM, strategy.run(t.step, args=(batch,)), axis=None)
            assert float(total) == 6 * weight


def test_a_training_step_trains_alike_whether_its_numbers_are_inputs_or_not() -> None:
    def trained(*, changes: bool) -> tuple[Any, int]:
        strategy = strategies()["two replicas"]
        tf.keras.utils.set_random_seed(0)
        with strategy.scope():
            model = tf.keras.Sequential([tf.keras.Input((3,)), tf.keras.layers.Dense(2)])
            optimizer = tf.keras.optimizers.Adam(0.1)
        t = Counted(lambda t, x: t.train(x))

        def train(x: Any) -> Any:
            with tf.GradientTape() as tape:
                loss = tf.reduce_sum(model(x) ** 2) * t.weight
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        t.train = train
        step = (lambda x: t.step(x)) if changes else None
        for i in range(6):
            t.weight = 1.0 + i % 3
            x = tf.ones((2, 3)) * (i + 1)
            strategy.run(step or (lambda x, w=t.weight: (setattr(t, "weight", w), t.step(x))[1]), args=(x,))
        return model.get_weights(), t.traces

    inputs, traces = trained(changes=True)
    fixed, _ = trained(changes=False)
    assert traces <= 3
    for a, b in zip(inputs, fixed, strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)


def test_a_number_may_become_a_tensor_and_a_number_again() -> None:
    strategy, t = tf.distribute.OneDeviceStrategy("cpu:0"), Counted(lambda t, x: x * t.weight)
    for weight in (1.0, 2.0, 3.0, tf.constant(4.0), 5.0, np.float32(6.0), 7, 8.0, tf.Variable(9.0), True, 2.5):
        t.weight = weight  # type: ignore[assignment]
        assert float(strategy.run(t.step, args=(tf.constant(2.0),))) == 2.0 * float(weight)


def test_a_number_beside_float64_that_the_step_makes_has_all_its_bits() -> None:
    strategy, t = tf.distribute.OneDeviceStrategy("cpu:0"), Counted(lambda t, x: tf.cast(x, tf.float64) * t.weight)
    for weight in (0.1, 0.2, 0.7):
        t.weight = weight
        result = strategy.run(t.step, args=(tf.constant(1.0),))
        assert (float(result), result.dtype) == (weight, tf.float64)


def test_results_have_the_same_dtypes_whether_numbers_are_inputs_or_not() -> None:
    def compute(t: Any, x: Any) -> Any:
        w, n = t.weight, t.other
        half = tf.cast(x, tf.float16)
        whole = tf.cast(x, tf.int32)
        wide = tf.cast(x, tf.int64)
        return [
            x * w, half * w, whole * n, wide * n, half + n, tf.constant(w), tf.constant(n), tf.cast(w, tf.float64), tf.exp(w),
            tf.convert_to_tensor(w, tf.bfloat16), tf.fill([2], n), tf.maximum(half, w), tf.where(x > 0, w, 1.0), jnp.exp(w),
            keras.ops.multiply(half, w), keras.ops.add(whole, n), keras.ops.exp(w), half ** w, tf.stack([half, w]), w / 3,
        ]  # fmt: skip

    strategy, t = tf.distribute.OneDeviceStrategy("cpu:0"), Counted(compute)
    types_of = []
    for weight, other in ((1.5, 2), (2.5, 3), (3.5, 4)):
        t.weight, t.other = weight, other
        found = strategy.run(t.step, args=(tf.constant(3.0),))
        types_of.append([(str(getattr(v, "dtype", type(v))), np.shape(v)) for v in found])
        expected = compute(types.SimpleNamespace(weight=weight, other=other), tf.constant(3.0))
        for a, b in zip(found, expected, strict=True):
            np.testing.assert_allclose(np.asarray(a, np.float64), np.asarray(b, np.float64), rtol=1e-6)
    assert types_of[0] == types_of[1] == types_of[2]


def test_numbers_beyond_what_an_input_holds_are_parts_of_the_program() -> None:
    strategy = tf.distribute.OneDeviceStrategy("cpu:0")
    t = Counted(lambda t, x: tf.multiply(tf.cast(x, tf.int64), t.weight))
    for weight in (1, 2, 2**31, 2**40 + 1, 3):
        t.weight = weight
        assert int(strategy.run(t.step, args=(tf.constant(3),))) == 3 * weight
    many = Counted(lambda t, x: sum(x * w for w in t.weight))
    for i in range(4):
        many.weight = [float(i + k) for k in range(40)]  # type: ignore[assignment]
        assert float(strategy.run(many.step, args=(tf.constant(1.0),))) == sum(many.weight)  # type: ignore[call-overload]
