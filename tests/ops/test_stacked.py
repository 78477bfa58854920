"""Many tensors are stacked in the host's memory, without a program for their number, with the results of JAX's stack."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

import stratagem as tf

# Private: what a TensorArray looks at in each write, which is time alone.
from stratagem._ops.flow import _tensor_array
from tests.core.step.observing import compilations

DTYPES = ["float32", "float64", "int32", "int64", "bool", "bfloat16", "complex64", "uint8"]


def rows(count: int, dtype: str, shape: tuple[int, ...] = (2, 3)) -> list[Any]:
    values = np.random.default_rng(0).integers(0, 2, (count, *shape))
    return [tf.constant(each.astype(jnp.dtype(dtype))) for each in values]


@pytest.mark.parametrize("axis", [0, 1, -1])
@pytest.mark.parametrize("dtype", DTYPES)
def test_many_tensors_are_stacked_as_few_are(dtype: str, axis: int) -> None:
    many = rows(40, dtype)
    with jax.enable_x64(True):
        wanted = np.stack([np.asarray(each) for each in many], axis)
    found = tf.stack(many, axis)
    assert found.dtype == jnp.dtype(dtype)
    assert found.devices() == many[0].devices()
    np.testing.assert_array_equal(found, wanted)


def test_another_number_of_tensors_compiles_nothing() -> None:
    tf.stack(rows(30, "float32"))
    with compilations() as compiled:
        for count in range(31, 40):
            assert tf.stack(rows(count, "float32")).shape[0] == count
            assert tf.constant([*rows(count, "float32", ())]).shape == (count,)
    assert compiled == []


def test_a_tape_goes_through_many_tensors() -> None:
    x = tf.constant(np.arange(40, dtype="float32"))
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.reduce_sum(tf.stack([x[i] * float(i) for i in range(40)]))
    np.testing.assert_array_equal(tape.gradient(y, x), np.arange(40))


def test_tensors_of_other_devices_and_of_a_step_are_stacked_by_jax() -> None:
    with tf.device("CPU:1"):
        elsewhere = rows(20, "float32")
    assert tf.stack(elsewhere).devices() == jnp.stack(elsewhere).devices()
    found = tf.function(lambda x: tf.stack([x + float(i) for i in range(20)]))(tf.constant(1.0))
    assert np.asarray(found).tolist() == list(range(1, 21))


def test_tensors_of_different_shapes_are_refused() -> None:
    with pytest.raises((ValueError, TypeError)):
        tf.stack([*rows(20, "float32"), *rows(1, "float32", (3,))])


def test_an_array_that_grows_looks_at_what_is_written_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    looked_at: list[Any] = []
    is_traced = _tensor_array.is_traced
    monkeypatch.setattr(_tensor_array, "is_traced", lambda value: looked_at.append(value) or is_traced(value))
    array = tf.TensorArray(tf.float32, size=0, dynamic_size=True)
    for i in range(50):
        array = array.write(i, float(i))
    assert not any(isinstance(value, list) for value in looked_at)
    assert len(looked_at) >= 50
    np.testing.assert_array_equal(array.stack(), np.arange(50))
