"""CommunicationOptions: gradients that travel in bfloat16 or in packs give the sums that they promise."""

from typing import Any

import ml_dtypes
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import stratagem as tf

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

Options = tf.distribute.experimental.CommunicationOptions
SHAPES = ((5,), (3, 2), (), (1, 17))


def updated(gradients: list[np.ndarray], how: Any, decide: bool = False) -> list[np.ndarray]:
    """What gradient descent subtracts from variables if replica i has the i-th row of each of the gradients."""
    strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=how)
    with strategy.scope():
        variables = [tf.Variable(tf.zeros(g.shape[1:], g.dtype)) for g in gradients]
        optimizer = tf.keras.optimizers.SGD(1.0)

    @tf.function
    def step() -> None:
        me = tf.distribute.get_replica_context().replica_id_in_sync_group
        own = [tf.gather(tf.constant(g), me) for g in gradients]
        optimizer.apply_gradients(zip(own, variables, strict=True))

    strategy.run(step)
    return [-v.numpy() for v in variables]


def drawn(seed: int, dtype: Any = np.float32) -> list[np.ndarray]:
    """Gradients of eight replicas, by variable, of which bfloat16 rounds nearly all."""
    random = np.random.default_rng(seed)
    return [random.uniform(-2, 2, (8, *shape)).astype(dtype) for shape in SHAPES]


def rounded(values: np.ndarray) -> np.ndarray:
    return values.astype(ml_dtypes.bfloat16).astype(np.float32)


@settings(max_examples=8, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_bfloat16_rounds_each_replicas_gradient_and_the_sum_once(seed: int) -> None:
    gradients = drawn(seed)
    # 8 numbers of 8 bits and exponents up to 1, the smallest of which are left out, have an exact sum in float32.
    gradients = [np.where(np.abs(g) < 2**-10, 0, g) for g in gradients]
    for found, g in zip(updated(gradients, Options(gradient_dtype="bfloat16")), gradients, strict=True):
        np.testing.assert_array_equal(found, rounded(rounded(g).sum(axis=0)))


def test_only_what_bfloat16_can_hold_travels_so() -> None:
    half = [g.astype(np.float16) for g in drawn(1)]
    exact, sent = updated(half, Options()), updated(half, Options(gradient_dtype="bfloat16"))
    for a, b in zip(exact, sent, strict=True):
        np.testing.assert_array_equal(a, b)


def test_what_is_not_finite_arrives_as_it_is() -> None:
    gradients = [np.array([[np.inf, -np.inf, np.nan, 3e38, 1.0]] + 7 * [[0.0] * 5], np.float32)]
    (found,) = updated(gradients, Options(gradient_dtype="bfloat16"))
    np.testing.assert_array_equal(found, rounded(gradients[0][0]))


@pytest.mark.sampled
@pytest.mark.parametrize("limit", [1, 24, 1 << 20])
@pytest.mark.parametrize("dtype", [None, "bfloat16"])
def test_the_size_of_packs_changes_no_sum(limit: int, dtype: str | None) -> None:
    gradients = [np.round(g * 8) / 8 for g in drawn(2)]  # whose sums are exact in any order
    expected = [rounded(g.sum(axis=0)) if dtype else g.sum(axis=0) for g in gradients]
    for found, e in zip(updated(gradients, Options(limit, gradient_dtype=dtype)), expected, strict=True):
        np.testing.assert_array_equal(found, e)


def test_fit_trains_with_gradients_in_bfloat16() -> None:
    x = np.random.default_rng(0).normal(size=(60, 4)).astype(np.float32)  # its last batch is uneven over 8 replicas

    def weights(how: Any) -> list[np.ndarray]:
        strategy = tf.distribute.MultiWorkerMirroredStrategy(communication_options=how)
        with strategy.scope():
            model = tf.keras.Sequential(
                [tf.keras.layers.Input((4,)), tf.keras.layers.Dense(3, kernel_initializer="ones")]
            )
            model.compile(tf.keras.optimizers.SGD(0.01), "mse")
        model.fit(x, x[:, :3], batch_size=16, epochs=2, shuffle=False, verbose=0)
        return model.get_weights()

    exact, sent = weights(Options()), weights(Options(gradient_dtype="bfloat16"))
    differences = [np.abs(a - b).max() for a, b in zip(exact, sent, strict=True)]
    assert 0 < max(differences) < 8 * 0.01 * 2**-8 * 4  # 8 steps, the rate, bfloat16's rounding of gradients below 4


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"gradient_dtype": "float16"}, "gradient_dtype must be None or \"bfloat16\", got 'float16'"),
        ({"bytes_per_pack": -1}, "bytes_per_pack must be >= 0, got -1"),
        ({"timeout_seconds": 0}, "timeout_seconds must be above 0, got 0"),
    ],
)
def test_bad_options_are_told_at_once(wrong: dict[str, Any], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        Options(**wrong)
