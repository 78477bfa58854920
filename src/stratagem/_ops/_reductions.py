"""Reductions over some or all dimensions, with TensorFlow's dtypes and its results for empty tensors."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, allow_x64, folds_constants, numpy_type, static_axes, static_int, tensor
from stratagem._ops._dtypes import as_dtype, int64
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.linalg import squares


def _numbers(name: str, value: Any) -> Tensor:
    array = tensor(value)
    if array.dtype == np.bool_:
        raise InvalidArgumentError(f"tf.{name} takes numbers, got bool. Use tf.cast first, or tf.reduce_any.")
    return array


def _floating(name: str, value: Any) -> Tensor:
    array = tensor(value)
    if not jnp.issubdtype(array.dtype, np.inexact):
        raise TypeError(f"tf.{name} takes floating-point tensors, got {array.dtype}. Use tf.cast first.")
    return array


def _booleans(name: str, value: Any) -> Tensor:
    array = tensor(value)
    if array.dtype != np.bool_:
        raise TypeError(f"tf.{name} takes bool tensors, got {array.dtype}. Use tf.cast first.")
    return array


@exported("reduce_sum", "math.reduce_sum", "keras.backend.sum", v1=())
@folds_constants
def reduce_sum(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The sum, in the tensor's own dtype (small integers wrap around)."""
    array = _numbers("reduce_sum", input_tensor)
    return jnp.sum(array, static_axes(axis), dtype=array.dtype, keepdims=keepdims)


@exported("reduce_prod", "math.reduce_prod", "keras.backend.prod", v1=())
@folds_constants
def reduce_prod(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The product, in the tensor's own dtype; 1 for an empty tensor."""
    array = _numbers("reduce_prod", input_tensor)
    return jnp.prod(array, static_axes(axis), dtype=array.dtype, keepdims=keepdims)


@exported("reduce_mean", "math.reduce_mean", v1=())
@folds_constants
def reduce_mean(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The mean in the tensor's own dtype: integers are truncated towards zero. For an empty tensor NaN, for integers 0."""
    array, axes = _numbers("reduce_mean", input_tensor), static_axes(axis)
    if jnp.issubdtype(array.dtype, np.inexact):
        return jnp.mean(array, axes, keepdims=keepdims)
    total = jnp.sum(array, axes, dtype=array.dtype, keepdims=keepdims)
    count = max(array.size // max(total.size, 1), 1)
    return jax.lax.div(total, jnp.full_like(total, count))


@exported("reduce_max", "math.reduce_max", "keras.backend.max", v1=())
@folds_constants
def reduce_max(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The largest entry; for an empty tensor -inf, for integers the dtype's smallest value."""
    array = _numbers("reduce_max", input_tensor)
    with allow_x64(array.dtype):
        return jnp.max(array, static_axes(axis), keepdims=keepdims, **_start(array, lowest=True))


@exported("reduce_min", "math.reduce_min", "keras.backend.min", v1=())
@folds_constants
def reduce_min(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The smallest entry; for an empty tensor inf, for integers the dtype's largest value."""
    array = _numbers("reduce_min", input_tensor)
    with allow_x64(array.dtype):
        return jnp.min(array, static_axes(axis), keepdims=keepdims, **_start(array, lowest=False))


def _start(array: Tensor, lowest: bool) -> dict[str, Any]:
    """The initial value for the maximum or minimum of an empty tensor; else none, as it would slow the gradient down."""
    if array.size:
        return {}
    if jnp.issubdtype(array.dtype, np.floating):
        return {"initial": -np.inf if lowest else np.inf}
    limits = as_dtype(array.dtype)
    return {"initial": np.asarray(limits.min if lowest else limits.max, array.dtype)}


@exported("reduce_any", "math.reduce_any", v1=())
@folds_constants
def reduce_any(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """True when at least one entry is true."""
    return jnp.any(_booleans("reduce_any", input_tensor), static_axes(axis), keepdims=keepdims)


@exported("reduce_all", "math.reduce_all", v1=())
@folds_constants
def reduce_all(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """True when all entries are true."""
    return jnp.all(_booleans("reduce_all", input_tensor), static_axes(axis), keepdims=keepdims)


@exported("reduce_logsumexp", "math.reduce_logsumexp", v1=())
def reduce_logsumexp(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """log(sum(exp(x))) without overflow; -inf for an empty tensor."""
    array = _floating("reduce_logsumexp", input_tensor)
    if not array.size:
        return jnp.log(jnp.sum(array, static_axes(axis), keepdims=keepdims))
    return jax.nn.logsumexp(array, static_axes(axis), keepdims=keepdims)


@exported("math.reduce_variance")
def reduce_variance(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The population variance."""
    return jnp.var(_floating("math.reduce_variance", input_tensor), static_axes(axis), keepdims=keepdims)


@exported("math.reduce_std")
def reduce_std(input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None) -> Tensor:
    """The population standard deviation."""
    return jnp.std(_floating("math.reduce_std", input_tensor), static_axes(axis), keepdims=keepdims)


@exported("math.reduce_euclidean_norm")
def reduce_euclidean_norm(
    input_tensor: Any, axis: Any = None, keepdims: bool = False, name: str | None = None
) -> Tensor:
    """The square root of the sum of squares, in the tensor's own dtype."""
    array = _numbers("math.reduce_euclidean_norm", input_tensor)
    return jnp.sqrt(jnp.sum(squares(array), static_axes(axis), keepdims=keepdims)).astype(array.dtype)


@exported("math.count_nonzero", v1=())
@folds_constants
def count_nonzero(
    input: Any,
    axis: Any = None,
    keepdims: bool | None = None,
    dtype: DTypeLike = int64,
    name: str | None = None,
) -> Tensor:
    """The number of entries that are not zero (not empty, for strings)."""
    array = tensor(input)
    found = tensor(np.asarray(array != b"", bool)) if array.dtype == object else array != 0
    return jnp.sum(found, static_axes(axis), dtype=as_dtype(dtype).dtype, keepdims=bool(keepdims))


def _arg(name: str, function: Callable[..., Tensor], input: Any, axis: Any, output_type: Any) -> Tensor:
    array = tensor(input)
    where = 0 if axis is None else static_int(axis, "a tensor is an axis")
    if array.ndim and array.shape[where] == 0:
        raise InvalidArgumentError(f"tf.{name}: axis {where} of a tensor of shape {list(array.shape)} has no entries.")
    if jnp.issubdtype(array.dtype, np.floating):
        # TensorFlow begins with the farthest finite number and takes what is beyond it: never a NaN, nor an infinity there.
        bounds = jnp.finfo(array.dtype)
        start = bounds.min if function is jnp.argmax else bounds.max
        beyond = array > start if function is jnp.argmax else array < start
        array = jnp.where(beyond, array, jnp.asarray(start, array.dtype))
    if array.dtype.itemsize == 8:  # JAX 0.10 cannot compile `argmax` of 64-bit types unless 64 bits are the default
        best = (reduce_max if function is jnp.argmax else reduce_min)(array, where, keepdims=True)
        array, function = (array == best) | (array != array), jnp.argmax
    return function(array, where).astype(numpy_type(output_type, int64))


@exported("argmax", "math.argmax", v1=())
@folds_constants
def argmax(input: Any, axis: Any = None, output_type: DTypeLike = int64, name: str | None = None) -> Tensor:
    """The position of the largest entry along `axis` (0 if not given), the first one if there are ties; int64.

    A NaN is never the largest; 0 if there is nothing else.
    """
    return _arg("argmax", jnp.argmax, input, axis, output_type)


@exported("argmin", "math.argmin", v1=())
@folds_constants
def argmin(input: Any, axis: Any = None, output_type: DTypeLike = int64, name: str | None = None) -> Tensor:
    """The position of the smallest entry along `axis` (0 if not given), the first one if there are ties; int64.

    A NaN is never the smallest; 0 if there is nothing else.
    """
    return _arg("argmin", jnp.argmin, input, axis, output_type)


@exported("cumsum", "math.cumsum", "keras.backend.cumsum")
@folds_constants
def cumsum(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The cumulative sum. `exclusive` leaves out each entry itself; `reverse` starts from the end."""
    return _cumulative(jnp.cumsum, 0, x, axis, exclusive, reverse)


@exported("math.cumprod", "keras.backend.cumprod", v1=["cumprod", "math.cumprod"])
@folds_constants
def cumprod(x: Any, axis: Any = 0, exclusive: bool = False, reverse: bool = False, name: str | None = None) -> Tensor:
    """The cumulative product. `exclusive` leaves out each entry itself; `reverse` starts from the end."""
    return _cumulative(jnp.cumprod, 1, x, axis, exclusive, reverse)


def _cumulative(
    function: Callable[..., Tensor], start: int, x: Any, axis: Any, exclusive: bool, reverse: bool
) -> Tensor:
    array, where = tensor(x), static_int(axis, "a tensor is an axis")
    array = jnp.flip(array, where) if reverse else array
    total = function(array, axis=where, dtype=array.dtype)
    if exclusive:
        widths = [(0, 0)] * array.ndim
        widths[where] = (1, 0)
        shifted = jnp.pad(total, widths, constant_values=start)
        total = jax.lax.slice_in_dim(shifted, 0, array.shape[where], axis=where)
    return jnp.flip(total, where) if reverse else total


accept_symbols(globals())
