"""The dtype objects work wherever NumPy, JAX and Keras take a dtype."""

import pickle

import jax
import jax.numpy as jnp
import keras
import numpy as np
import pytest

import stratagem as tf

TYPES = [
    tf.float16, tf.bfloat16, tf.float32, tf.float64, tf.complex64, tf.complex128, tf.bool,
    tf.int8, tf.int16, tf.int32, tf.int64, tf.uint8, tf.uint16, tf.uint32, tf.uint64,
]  # fmt: skip
of_every_type = pytest.mark.parametrize("dtype", TYPES, ids=lambda t: t.name)


@pytest.mark.sampled
@of_every_type
def test_jax_and_numpy_take_it(dtype: tf.DType) -> None:
    expected = jnp.dtype(dtype.name)
    assert np.zeros(2, dtype).dtype == expected
    assert jnp.zeros(2, dtype).dtype == expected
    assert jnp.asarray(1, dtype=dtype).dtype == expected
    assert jnp.ones(2).astype(dtype).dtype == expected
    assert jax.ShapeDtypeStruct((2,), dtype).dtype == expected
    assert jax.lax.convert_element_type(1, dtype).dtype == expected


@of_every_type
def test_it_equals_its_other_names(dtype: tf.DType) -> None:
    array = tf.zeros([1], dtype)
    assert array.dtype == dtype
    assert dtype == array.dtype
    assert dtype == dtype.name
    assert dtype == dtype.as_numpy_dtype
    assert dtype != tf.string
    assert hash(dtype) == hash(array.dtype)
    assert tf.as_dtype(dtype.name) is dtype
    assert pickle.loads(pickle.dumps(dtype)) is dtype


def test_keras_takes_it() -> None:
    assert keras.ops.cast(jnp.ones(2), tf.float16).dtype == tf.float16
    assert keras.ops.zeros(2, dtype=tf.bfloat16).dtype == tf.bfloat16
    assert keras.layers.Dense(2, dtype=tf.float32)(np.ones((1, 2))).dtype == tf.float32
    assert keras.Variable(1.0, dtype=tf.float32).dtype == "float32"
    assert keras.Input((2,), dtype=tf.int32).dtype == "int32"


def test_it_is_a_static_argument_of_jit() -> None:
    zeros = jax.jit(lambda d: jnp.zeros(2, d), static_argnums=0)
    assert zeros(tf.int32).dtype == tf.int32


def test_names() -> None:
    assert (repr(tf.float32), str(tf.float32), tf.float32.name) == ("tf.float32", "<dtype: 'float32'>", "float32")
    assert tf.half is tf.float16
    assert tf.double is tf.float64
    assert tf.dtypes.bool is tf.bool
