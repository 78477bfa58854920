"""Random functions of Keras 2's backend: those of `tf.random`, as in TensorFlow, which draw others in every step."""

from typing import Any

import keras

from stratagem import _ops as ops
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.values import Variable
from stratagem._legacy.backend import variable
from stratagem._ops import sampling

__all__ = [
    "random_bernoulli",
    "random_binomial",
    "random_normal",
    "random_normal_variable",
    "random_uniform",
    "random_uniform_variable",
    "truncated_normal",
]


@exported("keras.backend.random_normal")
def random_normal(
    shape: ShapeLike, mean: float = 0.0, stddev: float = 1.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Any:
    """Returns normally distributed numbers."""
    return sampling.normal(shape, mean, stddev, dtype or keras.config.floatx(), seed)


@exported("keras.backend.random_uniform")
def random_uniform(
    shape: ShapeLike, minval: float = 0.0, maxval: float = 1.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Any:
    """Returns equally distributed numbers."""
    return sampling.uniform(shape, minval, maxval, dtype or keras.config.floatx(), seed)


@exported("keras.backend.truncated_normal")
def truncated_normal(
    shape: ShapeLike, mean: float = 0.0, stddev: float = 1.0, dtype: DTypeLike | None = None, seed: int | None = None
) -> Any:
    """Returns normally distributed numbers within two standard deviations."""
    return sampling.truncated_normal(shape, mean, stddev, dtype or keras.config.floatx(), seed)


@exported("keras.backend.random_bernoulli", "keras.backend.random_binomial")
def random_bernoulli(shape: ShapeLike, p: float = 0.0, dtype: DTypeLike | None = None, seed: int | None = None) -> Any:
    """Returns ones with a probability, and zeros."""
    return ops.cast(sampling.uniform(shape, seed=seed) < p, dtype or keras.config.floatx())


random_binomial = random_bernoulli


@exported("keras.backend.random_normal_variable")
def random_normal_variable(
    shape: ShapeLike,
    mean: float,
    scale: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """Returns a new variable of normally distributed numbers."""
    return variable(random_normal(shape, mean, scale, dtype, seed), dtype, name)


@exported("keras.backend.random_uniform_variable")
def random_uniform_variable(
    shape: ShapeLike,
    low: float,
    high: float,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    seed: int | None = None,
) -> Variable:
    """Returns a new variable of equally distributed numbers."""
    return variable(random_uniform(shape, low, high, dtype, seed), dtype, name)
