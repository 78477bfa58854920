"""Distributions with parameters, drawn from a Philox stream: what `tf.random`'s functions and generators share."""

import functools
import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._ops._convert import Tensor, is_traced, static_shape, tensor
from stratagem._ops._dtypes import DType, as_dtype, bfloat16, float16, float32, float64, int32, int64, uint32, uint64
from stratagem._ops.sampling._philox import Words
from stratagem._ops.sampling._raw_draws import below, full_range, standard_normals, truncated_normals, uniforms

Draw = Callable[[Words, int, np.dtype], Tensor]

_FLOATS = (float16, bfloat16, float32, float64)
_SMALL = (
    1024  # outside of traces fewer numbers are cut from this many, so that all such calls share one compiled program
)


@functools.partial(jax.jit, static_argnames=("shape",))
def _cut(numbers: Tensor, shape: tuple[int, ...]) -> Tensor:
    return numbers[: math.prod(shape)].reshape(shape)


def shaped(draw: Draw, stream: Words, shape: tuple[int, ...], dtype: np.dtype) -> Tensor:
    """Returns numbers of a standard distribution in this shape."""
    size = math.prod(shape)
    if size == 0:
        return jnp.zeros(shape, dtype)
    if is_traced(stream) or size > _SMALL:
        return draw(stream, size, dtype).reshape(shape)
    return _cut(draw(stream, _SMALL, dtype), shape)


def floating(dtype: DTypeLike, what: str) -> np.dtype:
    """Returns the dtype. Raises ValueError unless it is float16, bfloat16, float32 or float64."""
    kind = as_dtype(dtype)
    if kind not in _FLOATS:
        raise ValueError(
            f"{what} draws float16, bfloat16, float32 or float64, not {kind!r}: use tf.cast on the result."
        )
    return kind.dtype


def draw_normal(stream: Words, shape: ShapeLike, mean: Any, stddev: Any, dtype: DTypeLike) -> Tensor:
    """Normally distributed numbers. Raises ValueError for a dtype that is not floating point."""
    kind = floating(dtype, "A normal distribution")
    return _scaled(shaped(standard_normals, stream, static_shape(shape), kind), stddev, mean)


def draw_truncated_normal(stream: Words, shape: ShapeLike, mean: Any, stddev: Any, dtype: DTypeLike) -> Tensor:
    """Normally distributed numbers within two standard deviations of the mean.

    Raises ValueError for a dtype that is not floating point.
    """
    kind = floating(dtype, "A truncated normal distribution")
    return _scaled(shaped(truncated_normals, stream, static_shape(shape), kind), stddev, mean)


def draw_uniform(stream: Words, shape: ShapeLike, minval: Any, maxval: Any, dtype: DTypeLike) -> Tensor:
    """Uniform numbers in [minval, maxval); integers over their whole range if both are None.

    Raises ValueError for another dtype and for integers with one bound, InvalidArgumentError for an empty range.
    """
    kind, sizes = as_dtype(dtype), static_shape(shape)
    if not kind.is_integer:
        drawn = shaped(uniforms, stream, sizes, floating(kind, "A uniform distribution"))
        low, high = _like(minval, drawn), _like(1 if maxval is None else maxval, drawn)
        return drawn * (high - low) + low
    if (minval is None) != (maxval is None):
        raise ValueError(
            f"minval and maxval are both given for integers ({kind!r}) or both None, which draws from the whole range; "
            f"got minval={minval} and maxval={maxval}."
        )
    if minval is None:
        return draw_full_range(stream, sizes, kind)
    if kind not in (int32, int64):
        raise ValueError(
            f"Uniform integers between bounds are int32 or int64, not {kind!r}: use tf.cast on the result."
        )
    return _bounded(stream, sizes, _bound(minval, kind), _bound(maxval, kind), kind.dtype)


def draw_full_range(stream: Words, shape: ShapeLike, dtype: DTypeLike) -> Tensor:
    """Integers uniform over all values of their type. Raises ValueError unless that has 32 or 64 bits."""
    kind = as_dtype(dtype)
    if kind not in (int32, int64, uint32, uint64):
        raise ValueError(f"Integers over a whole range are int32, int64, uint32 or uint64, not {kind!r}.")
    return shaped(full_range, stream, static_shape(shape), kind.dtype)


def _bounded(stream: Words, shape: tuple[int, ...], low: Tensor, high: Tensor, dtype: np.dtype) -> Tensor:
    if low.ndim or high.ndim:
        raise InvalidArgumentError(
            f"minval and maxval of integers are scalars, got the shapes {tuple(low.shape)} and {tuple(high.shape)}."
        )
    if math.prod(shape) and not is_traced(low) and not is_traced(high) and int(low) >= int(high):
        raise InvalidArgumentError(f"minval has to be less than maxval, got {low} and {high}.")
    return shaped(lambda words, size, kind: below(words, low, high, size, kind), stream, shape, dtype)


def _bound(value: Any, kind: DType) -> Tensor:
    return tensor(value, kind)


def _scaled(drawn: Tensor, stddev: Any, mean: Any) -> Tensor:
    return drawn * _like(stddev, drawn) + _like(mean, drawn)


def _like(value: Any, drawn: Tensor) -> Tensor:
    return tensor(value, drawn.dtype)
