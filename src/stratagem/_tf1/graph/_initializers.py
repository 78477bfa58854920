"""Initializers with TensorFlow 1's arguments, implemented with those of Keras."""

import abc
import math
from typing import Any, final

import jax.numpy as jnp
import keras
import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops import as_dtype, float32


class Initializer(abc.ABC):
    """Base of initializers, called as `initializer(shape, dtype)`.

    dtype: the default of the call. seed: None for a random one.
    """

    def __init__(self, dtype: Any = float32, seed: int | None = None) -> None:
        self.dtype, self.seed = dtype, seed

    @abc.abstractmethod
    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        """Returns the value."""

    def __call__(
        self, shape: Any, dtype: Any = None, partition_info: Any = None, *, seed: int | None = None, **place: Any
    ) -> Any:
        """Returns the value.

        seed: used if the initializer has none. partition_info: ignored; strategies partition variables.
        """
        name = np.dtype(as_dtype(self.dtype if dtype is None else dtype).as_numpy_dtype).name
        return self.make(tuple(int(d) for d in shape), name, seed if self.seed is None else self.seed)


@exported(v1=["zeros_initializer", "initializers.zeros"])
@final
class Zeros(Initializer):
    """All zeros."""

    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        return jnp.zeros(shape, dtype)


@exported(v1=["ones_initializer", "initializers.ones"])
@final
class Ones(Initializer):
    """All ones."""

    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        return jnp.ones(shape, dtype)


@exported(v1=["constant_initializer", "initializers.constant"])
@final
class Constant(Initializer):
    """One number for all elements, or a number for each. Raises ValueError for any other count of numbers."""

    def __init__(self, value: Any = 0, dtype: DTypeLike = float32, verify_shape: bool = False) -> None:
        super().__init__(dtype)
        self.value = np.asarray(value)

    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        if self.value.size not in (1, int(np.prod(shape))):
            raise ValueError(f"constant_initializer has {self.value.size} numbers for a variable of shape {shape}.")
        whole = self.value.reshape(shape) if self.value.size > 1 else np.broadcast_to(self.value.reshape(()), shape)
        return jnp.asarray(whole.astype(dtype), dtype)


@exported(v1=["random_normal_initializer", "initializers.random_normal"])
@final
class RandomNormal(Initializer):
    """A normal distribution."""

    def __init__(
        self, mean: float = 0.0, stddev: float = 1.0, seed: int | None = None, dtype: DTypeLike = float32
    ) -> None:
        super().__init__(dtype, seed)
        self.mean, self.stddev = mean, stddev

    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        return keras.initializers.RandomNormal(self.mean, self.stddev, seed)(shape, dtype=dtype)


@exported(v1=["truncated_normal_initializer", "initializers.truncated_normal"])
@final
class TruncatedNormal(Initializer):
    """A normal distribution, truncated at two standard deviations from the mean."""

    def __init__(
        self, mean: float = 0.0, stddev: float = 1.0, seed: int | None = None, dtype: DTypeLike = float32
    ) -> None:
        super().__init__(dtype, seed)
        self.mean, self.stddev = mean, stddev

    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        return keras.initializers.TruncatedNormal(self.mean, self.stddev, seed)(shape, dtype=dtype)


@exported(v1=["random_uniform_initializer", "initializers.random_uniform"])
@final
class RandomUniform(Initializer):
    """A uniform distribution over [minval, maxval); maxval is 1 by default."""

    def __init__(
        self, minval: float = 0.0, maxval: float | None = None, seed: int | None = None, dtype: DTypeLike = float32
    ) -> None:
        super().__init__(dtype, seed)
        self.minval, self.maxval = minval, 1.0 if maxval is None else maxval

    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        return keras.initializers.RandomUniform(self.minval, self.maxval, seed)(shape, dtype=dtype)


@exported(v1=["uniform_unit_scaling_initializer", "initializers.uniform_unit_scaling"])
@final
class UniformUnitScaling(Initializer):
    """Uniform random numbers below factor · sqrt(3 / n), where n is the product of all dimensions but the last."""

    def __init__(self, factor: float = 1.0, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        super().__init__(dtype, seed)
        self.factor = factor

    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        limit = self.factor * math.sqrt(3 / max(1, math.prod(shape[:-1])))
        return keras.initializers.RandomUniform(-limit, limit, seed)(shape, dtype=dtype)


@exported(v1=["variance_scaling_initializer", "initializers.variance_scaling"])
class VarianceScaling(Initializer):
    """Random numbers with the variance scale / n, where n is the number of inputs, of outputs, or the mean of both."""

    def __init__(
        self,
        scale: float = 1.0,
        mode: str = "fan_in",
        distribution: str = "truncated_normal",
        seed: int | None = None,
        dtype: DTypeLike = float32,
    ) -> None:
        super().__init__(dtype, seed)
        self.scale, self.mode = scale, mode
        self.distribution = "truncated_normal" if distribution == "normal" else distribution

    @final
    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        return keras.initializers.VarianceScaling(self.scale, self.mode, self.distribution, seed)(shape, dtype=dtype)


@exported(v1=["glorot_uniform_initializer", "initializers.glorot_uniform"])
@final
class GlorotUniform(VarianceScaling):
    """Glorot and Bengio's uniform initializer, the default of `get_variable`."""

    def __init__(self, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        super().__init__(1.0, "fan_avg", "uniform", seed, dtype)


@exported(v1=["glorot_normal_initializer", "initializers.glorot_normal"])
@final
class GlorotNormal(VarianceScaling):
    """Glorot and Bengio's normal initializer."""

    def __init__(self, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        super().__init__(1.0, "fan_avg", "truncated_normal", seed, dtype)


@exported(v1=["initializers.he_normal"])
@final
class HeNormal(VarianceScaling):
    """He et al.'s normal initializer."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(2.0, "fan_in", "truncated_normal", seed)


@exported(v1=["initializers.he_uniform"])
@final
class HeUniform(VarianceScaling):
    """He et al.'s uniform initializer."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(2.0, "fan_in", "uniform", seed)


@exported(v1=["initializers.lecun_normal"])
@final
class LecunNormal(VarianceScaling):
    """LeCun's normal initializer."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_in", "truncated_normal", seed)


@exported(v1=["initializers.lecun_uniform"])
@final
class LecunUniform(VarianceScaling):
    """LeCun's uniform initializer."""

    def __init__(self, seed: int | None = None) -> None:
        super().__init__(1.0, "fan_in", "uniform", seed)


@exported(v1=["orthogonal_initializer", "initializers.orthogonal"])
@final
class Orthogonal(Initializer):
    """A random matrix with orthogonal rows or columns, times `gain`."""

    def __init__(self, gain: float = 1.0, seed: int | None = None, dtype: DTypeLike = float32) -> None:
        super().__init__(dtype, seed)
        self.gain = gain

    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        return keras.initializers.Orthogonal(self.gain, seed)(shape, dtype=dtype)


@exported(v1=["initializers.identity"])
@final
class Identity(Initializer):
    """The identity matrix times `gain`."""

    def __init__(self, gain: float = 1.0, dtype: DTypeLike = float32) -> None:
        super().__init__(dtype)
        self.gain = gain

    def make(self, shape: tuple[int, ...], dtype: str, seed: int | None) -> Any:
        if len(shape) != 2:
            raise ValueError(f"Identity matrix initializer can only be used for 2D matrices, got shape {shape}.")
        return self.gain * jnp.eye(*shape, dtype=dtype)
