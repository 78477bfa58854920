"""Sampling of random numbers for a key: the distributions that the stateful and the stateless functions share."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._ops._convert import Tensor, allow_x64, numpy_type, static_int, static_shape, tensor
from stratagem._ops._dtypes import as_dtype, int64


def key_of(seed: Any) -> jax.Array:
    """Makes a JAX key from two numbers."""
    return jax.random.wrap_key_data(tensor(seed).astype(np.uint32).reshape(2), impl="threefry2x32")


def _scaled(drawn: Tensor, mean: Any, stddev: Any) -> Tensor:
    return drawn * _number(stddev, drawn) + _number(mean, drawn)


def _number(value: Any, like: Tensor) -> Any:
    return tensor(value).astype(like.dtype)


def draw_normal(key: jax.Array, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    """Normally distributed numbers."""
    kind = as_dtype(dtype).dtype
    with allow_x64(kind):
        drawn = jax.random.normal(key, static_shape(shape), kind)
    return _scaled(drawn, mean, stddev)


def draw_truncated_normal(key: jax.Array, shape: Any, mean: Any, stddev: Any, dtype: Any) -> Tensor:
    """Normally distributed numbers within two standard deviations of the mean."""
    kind = as_dtype(dtype).dtype
    with allow_x64(kind):
        drawn = jax.random.truncated_normal(key, -2.0, 2.0, static_shape(shape), kind)
    return _scaled(drawn, mean, stddev)


def draw_uniform(key: jax.Array, shape: Any, minval: Any, maxval: Any, dtype: Any) -> Tensor:
    """Uniform numbers in [minval, maxval). Raises ValueError for integers without `maxval`."""
    kind = as_dtype(dtype)
    if kind.is_integer and maxval is None:
        raise ValueError(f"maxval must be given for integers ({kind!r}).")
    low = tensor(minval).astype(kind.dtype)
    high = tensor(1 if maxval is None else maxval).astype(kind.dtype)
    if kind.is_integer:
        return jax.random.randint(key, static_shape(shape), low, high, kind.dtype)
    return jax.random.uniform(key, static_shape(shape), kind.dtype, low, high)


def draw_categorical(key: jax.Array, logits: Any, num_samples: Any, dtype: Any) -> Tensor:
    """Draws class numbers with these unnormalized log-probabilities: (batch, classes) -> (batch, samples)."""
    scores = tensor(logits)
    count = static_int(num_samples, "a tensor is the number of samples")
    drawn = jax.random.categorical(key, scores[:, None, :], shape=(scores.shape[0], count))
    return jnp.asarray(drawn, dtype=numpy_type(dtype, int64))
