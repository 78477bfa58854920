"""Normalization by moments, and the sums that moments are made of, under the names of `tf.nn`."""

import math
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, operands, static_axes, tensor
from stratagem._ops._nn import batch_normalization
from stratagem._ops._symbolic import accept_symbols


@exported("nn.batch_norm_with_global_normalization", v1=())
def batch_norm_with_global_normalization(
    input: Any,
    mean: Any,
    variance: Any,
    beta: Any,
    gamma: Any,
    variance_epsilon: Any,
    scale_after_normalization: bool,
    name: str | None = None,
) -> Tensor:
    """`batch_normalization` with the offset `beta`, and with the scale `gamma` if `scale_after_normalization`."""
    scale = gamma if scale_after_normalization else None
    return batch_normalization(input, mean, variance, beta, scale, variance_epsilon)


@exported("nn.sufficient_statistics", v1=())
def sufficient_statistics(
    x: Any, axes: Any, shift: Any = None, keepdims: bool = False, name: str | None = None
) -> tuple[Tensor, Tensor, Tensor, Tensor | None]:
    """The number of entries over these axes, their sum, that of their squares, and the shift: `normalize_moments` takes them.

    shift: a number near the mean, which is subtracted first so that less precision is lost. All have the dtype of `x`; the
    number is a scalar.
    """
    array = tensor(x)
    over = static_axes(axes)
    kept = range(array.ndim) if over is None else (over,) if isinstance(over, int) else over
    count = np.asarray(math.prod(array.shape[axis] for axis in kept)).astype(array.dtype)
    origin = None if shift is None else operands("nn.sufficient_statistics", array, shift)[1]
    differences = array if origin is None else array - origin
    total, squares = (jnp.sum(v, over, keepdims=keepdims) for v in (differences, jnp.square(differences)))
    return tensor(count), total, squares, origin


@exported("nn.normalize_moments")
def normalize_moments(
    counts: Any, mean_ss: Any, variance_ss: Any, shift: Any, name: str | None = None
) -> tuple[Tensor, Tensor]:
    """The mean and variance of what `sufficient_statistics` has counted; counts and sums may be those of several parts.

    shift: that of the statistics, or None.
    """
    label = "nn.normalize_moments"
    number, total, squares = operands(label, tensor(counts), mean_ss, variance_ss)
    part = jnp.reciprocal(number)
    shifted = total * part
    mean = shifted if shift is None else shifted + operands(label, shifted, shift)[1]
    return mean, squares * part - jnp.square(shifted)


@exported("nn.weighted_moments", v1=())
def weighted_moments(
    x: Any,
    axes: Any,
    frequency_weights: Any,
    keepdims: bool = False,
    name: str | None = None,
) -> tuple[Tensor, Tensor]:
    """The mean and variance over these axes, with weights that broadcast with `x`: NaN where the weights sum to 0.

    Half precision is computed in float32. Weights of another dtype are cast to that of `x`.
    """
    array = tensor(x)
    wide = array.astype(jnp.promote_types(array.dtype, np.float32))
    weights = jnp.broadcast_to(*_broadcast(tensor(frequency_weights).astype(wide.dtype), wide))
    over = static_axes(axes)
    total = jnp.sum(weights, over, keepdims=True)
    mean = jnp.sum(weights * wide, over, keepdims=True) / total
    variance = jnp.sum(weights * jnp.square(wide - jax.lax.stop_gradient(mean)), over, keepdims=True) / total
    if not keepdims:
        mean, variance = (jnp.squeeze(v, over) if over is not None else v.reshape(()) for v in (mean, variance))
    return mean.astype(array.dtype), variance.astype(array.dtype)


def _broadcast(weights: Tensor, array: Tensor) -> tuple[Tensor, tuple[int, ...]]:
    return weights, jnp.broadcast_shapes(weights.shape, array.shape)


@exported("nn.local_response_normalization", "nn.lrn")
def local_response_normalization(
    input: Any,
    depth_radius: int = 5,
    bias: float = 1,
    alpha: float = 1,
    beta: float = 0.5,
    name: str | None = None,
) -> Tensor:
    """Divides each entry of (n, h, w, c) by (bias + alpha * sum of squares of the channels within `depth_radius`) ** beta.

    Raises InvalidArgumentError for tensors of another rank, and for other dtypes than half precision and float32.
    """
    array = tensor(input)
    if array.ndim != 4 or not jnp.issubdtype(array.dtype, np.floating) or array.dtype == np.float64:
        raise InvalidArgumentError(
            "tf.nn.local_response_normalization takes float32 or half precision of shape (n, h, w, c), got "
            f"{array.dtype} of shape {array.shape}."
        )
    window, pads = (1, 1, 1, 2 * depth_radius + 1), ((0, 0),) * 3 + ((depth_radius, depth_radius),)
    zero = np.zeros((), array.dtype)
    near = jax.lax.reduce_window(jnp.square(array), zero, jax.lax.add, window, (1, 1, 1, 1), pads)
    return array * (bias + alpha * near) ** (-beta)


accept_symbols(globals())

lrn = local_response_normalization
