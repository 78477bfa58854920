"""The initializers at TensorFlow's root: `tf.zeros_initializer` and its neighbours, called as `initializer(shape, dtype)`.

Unlike Keras' they have no dtype policy, and a seed gives TensorFlow's own numbers.
"""

import abc
from collections.abc import Mapping
from typing import Any, Self, final

import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._ops._convert import Tensor
from stratagem._ops._creation import constant, ones, zeros
from stratagem._ops._dtypes import DType, as_dtype, float32
from stratagem._ops.sampling._random import normal, uniform
from stratagem._ops.sampling._stateless import stateless_normal, stateless_uniform

_POSITION = ("partition_shape", "partition_offset")


class RootInitializer(abc.ABC):
    """The base of these initializers: an object is made of its configuration alone."""

    @abc.abstractmethod
    def __call__(self, shape: Any, dtype: Any = None, **kwargs: Any) -> Tensor:
        """Returns a tensor of this shape. kwargs: the position of a part, `partition_shape` and `partition_offset`."""

    def get_config(self) -> dict[str, Any]:
        """Returns the arguments that make an equal initializer."""
        return {}

    @classmethod
    def from_config(cls, config: Mapping[str, Any]) -> Self:
        """Returns the initializer with this configuration; a `dtype` in it, which old ones have, is not used."""
        return cls(**{key: value for key, value in config.items() if key != "dtype"})


def _part(shape: Any, position: Mapping[str, Any]) -> Any:
    """Returns the shape to make: the part's, if a position is given."""
    unknown = [key for key in position if key not in _POSITION]
    if unknown:
        raise TypeError(f"Keyword argument should be one of {list(_POSITION)}. Received: {unknown[0]}")
    part = position.get("partition_shape")
    return shape if part is None else part


def _number_type(dtype: Any) -> DType:
    found = as_dtype(dtype)
    if not found.is_numeric and not found.is_bool:
        raise ValueError(f"Argument `dtype` expected to be numeric or boolean. Received {found}.")
    return found


@exported("zeros_initializer", v1=())
@final
@keras.saving.register_keras_serializable("stratagem")
class ZerosInitializer(RootInitializer):
    """Zeros, as `tf.zeros_initializer`. Raises ValueError for strings."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        """Returns zeros."""
        return zeros(_part(shape, kwargs), _number_type(dtype))


@exported("ones_initializer", v1=())
@final
@keras.saving.register_keras_serializable("stratagem")
class OnesInitializer(RootInitializer):
    """Ones, as `tf.ones_initializer`. Raises ValueError for strings."""

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        """Returns ones."""
        return ones(_part(shape, kwargs), _number_type(dtype))


@exported("constant_initializer", v1=())
@final
@keras.saving.register_keras_serializable("stratagem")
class ConstantInitializer(RootInitializer):
    """One value for all elements, or a value for each, as `tf.constant_initializer`.

    value: a Python scalar, a list or tuple, or a NumPy array. support_partition: accepts the position of a part, which has
    no effect.
    Raises TypeError for another value, and in a call for a count of numbers that does not fill the shape; in a call ValueError
    for a position without `support_partition`.
    """

    def __init__(self, value: Any = 0, support_partition: bool = False) -> None:
        if not (np.isscalar(value) or isinstance(value, list | tuple | np.ndarray)):
            raise TypeError(
                f"Invalid type for initial value: {type(value).__name__}. Expected Python scalar, list or tuple of values, or "
                "numpy.ndarray."
            )
        self.value = value
        self.support_partition = support_partition

    def __call__(self, shape: ShapeLike, dtype: DTypeLike | None = None, **kwargs: Any) -> Tensor:
        """Returns the value in this shape. dtype: by default that of the value."""
        if kwargs and not self.support_partition:
            raise ValueError("Constant initializer doesn't support partition-related arguments")
        _part(shape, kwargs)  # checks the names: as in TensorFlow, a part is the whole
        return constant(self.value, dtype=dtype, shape=shape)

    def get_config(self) -> dict[str, Any]:
        """Returns the value."""
        return {"value": self.value}


@exported("random_normal_initializer", v1=())
@final
@keras.saving.register_keras_serializable("stratagem")
class RandomNormalInitializer(RootInitializer):
    """Normally distributed numbers, as `tf.random_normal_initializer`. Raises ValueError for dtypes that are not real floats.

    seed: an integer, with which every call gives the same numbers, nearly TensorFlow's (as `tf.random.stateless_normal`); by
    default the numbers follow `tf.random.set_seed`.
    """

    def __init__(self, mean: Any = 0.0, stddev: Any = 0.05, seed: int | None = None) -> None:
        self.mean, self.stddev, self.seed = mean, stddev, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        """Returns new numbers, or those of the seed."""
        size, kind = _part(shape, kwargs), as_dtype(dtype)
        if not kind.is_floating:
            raise ValueError(f"Argument `dtype` is expected to be floating point. Received: {kind}.")
        if self.seed is None:
            return normal(size, self.mean, self.stddev, kind)
        return stateless_normal(size, [self.seed, 0], self.mean, self.stddev, kind)

    def get_config(self) -> dict[str, Any]:
        """Returns mean, standard deviation and seed."""
        return {"mean": self.mean, "stddev": self.stddev, "seed": self.seed}


@exported("random_uniform_initializer", v1=())
@final
@keras.saving.register_keras_serializable("stratagem")
class RandomUniformInitializer(RootInitializer):
    """Uniformly distributed numbers of [minval, maxval), as `tf.random_uniform_initializer`.

    seed: an integer, with which every call gives the same numbers, those of TensorFlow; by default the numbers follow
    `tf.random.set_seed`. Raises ValueError for dtypes that are neither integers nor real floats, TypeError for bounds that
    are fractions with an integer dtype.
    """

    def __init__(self, minval: Any = -0.05, maxval: Any = 0.05, seed: int | None = None) -> None:
        self.minval, self.maxval, self.seed = minval, maxval, seed

    def __call__(self, shape: ShapeLike, dtype: DTypeLike = float32, **kwargs: Any) -> Tensor:
        """Returns new numbers, or those of the seed."""
        size, kind = _part(shape, kwargs), as_dtype(dtype)
        if not kind.is_floating and not kind.is_integer:
            raise ValueError(f"Argument `dtype` is expected to be floating point or an integer. Received: {kind}.")
        if self.seed is None:
            return uniform(size, self.minval, self.maxval, kind)
        return stateless_uniform(size, [self.seed, 0], self.minval, self.maxval, kind)

    def get_config(self) -> dict[str, Any]:
        """Returns the bounds and the seed."""
        return {"minval": self.minval, "maxval": self.maxval, "seed": self.seed}
