"""64-bit tensors work although JAX's default is 32 bits, outside and inside a trace."""

from collections.abc import Callable
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf

FUNCTIONS: dict[str, Callable[[Any], Any]] = {
    "reduce_max": lambda x: tf.reduce_max(x, 1),
    "reduce_min": lambda x: tf.reduce_min(x, 1),
    "reduce_sum": lambda x: tf.reduce_sum(x),
    "reduce_prod": lambda x: tf.reduce_prod(x),
    "reduce_mean": lambda x: tf.reduce_mean(x),
    "cumsum": lambda x: tf.cumsum(x, 1),
    "sort": lambda x: tf.sort(x),
    "top_k": lambda x: tf.math.top_k(x, 2).values,
    "max_of_nothing": lambda x: tf.reduce_max(x[:0]),
    "segment_sum": lambda x: tf.math.unsorted_segment_sum(x, tf.constant([0, 2], tf.int64), 3),
    "segment_max": lambda x: tf.math.unsorted_segment_max(x, tf.constant([0, 2], tf.int64), 3),
    "clip": lambda x: tf.clip_by_value(x, 2, 5),
    "scan": lambda x: tf.scan(lambda a, b: a + b, x),
    "max_pool": lambda x: tf.nn.max_pool(x[None, ..., None], 2, 1, "SAME"),
    "where": lambda x: tf.where(x > 2, x, 0),
}


@pytest.mark.sampled
@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["int64", "float64"])
def test_the_dtype_stays(name: str, dtype: str) -> None:
    array = np.array([[3, 7, 5], [2, 1, 2**20 + 1]], dtype)
    known = FUNCTIONS[name](tf.constant(array))
    traced = jax.jit(FUNCTIONS[name])(tf.constant(array))
    assert known.dtype == traced.dtype == dtype
    np.testing.assert_array_equal(known, traced)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "float64", "float32", "int8"])
def test_positions_are_int64(dtype: str) -> None:
    array = tf.constant(np.array([[3, 7, 5], [2, 1, 9]], dtype))
    for compute in (lambda x: tf.argmax(x, 1), jax.jit(lambda x: tf.argmax(x, 1))):
        assert compute(array).dtype == tf.int64
        assert compute(array).tolist() == [1, 2]


def test_sums_are_exact() -> None:
    assert int(tf.reduce_sum(np.array([2**53, 1], np.int64))) == 2**53 + 1
    assert int(tf.reduce_max(np.array([2**53, 2**53 + 1], np.int64))) == 2**53 + 1
    assert float(tf.reduce_sum(np.array([1.0, 1e-12]))) == 1 + 1e-12


def test_small_types_are_counted_without_wrapping() -> None:
    assert tf.range(np.uint8(3)).tolist() == [0, 1, 2]
    assert tf.math.bincount(np.array([1, 1], np.uint8)).tolist() == [0, 2]
