"""Shape and layout of tensors: cast, reshape, concat, split, pad and their like."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.context import current
from stratagem._ops._convert import (
    Tensor,
    folds,
    inferred_shape,
    is_tensor,
    is_traced,
    numpy_type,
    on_device,
    static_axes,
    static_int,
    static_shape,
    tensor,
    wide,
)  # fmt: skip
from stratagem._ops._dtypes import as_dtype, boolean, int32


@folds
def cast(x: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`x` with another dtype. Floating point to integer cuts towards zero; complex to real drops the imaginary part."""
    array, wanted = tensor(x), as_dtype(dtype)
    if jnp.issubdtype(array.dtype, np.complexfloating) and not wanted.is_complex:
        array = array.real
    return array.astype(wanted.dtype)


@folds
def saturate_cast(value: Any, dtype: Any, name: str | None = None) -> Tensor:
    """`cast`, with values outside the range of `dtype` set to its ends."""
    array, wanted = tensor(value), as_dtype(dtype)
    low, high = (max(wanted.min, as_dtype(array.dtype).min), min(wanted.max, as_dtype(array.dtype).max))
    return jnp.clip(array, low, high).astype(wanted.dtype)


def shape(input: Any, out_type: Any = int32, name: str | None = None) -> Any:
    """The shape, 1-D. Inside a trace a NumPy array, so that numbers taken from it can be part of another shape."""
    return _static(np.array(tensor(input).shape, dtype=as_dtype(out_type).dtype), input)


def size(input: Any, out_type: Any = int32, name: str | None = None) -> Any:
    """The number of elements, a scalar; see `shape` for what it is inside a trace."""
    return _static(np.array(tensor(input).size, dtype=as_dtype(out_type).dtype), input)


def rank(input: Any, name: str | None = None) -> Any:
    """The number of dimensions, an int32 scalar; see `shape` for what it is inside a trace."""
    return _static(np.array(tensor(input).ndim, dtype=np.int32), input)


def _static(array: np.ndarray, of: Any) -> Any:
    """Indexing a JAX array inside a trace gives a tracer, even when the array is a constant; NumPy stays a number."""
    tracing = current().recorder is not None or (is_tensor(of) and is_traced(tensor(of)))
    return array if tracing else on_device(array)


def shape_n(input: Sequence[Any], out_type: Any = int32, name: str | None = None) -> list[Any]:
    """The shape of every tensor in a list."""
    return [shape(i, out_type) for i in input]


@folds
def reshape(tensor: Any, shape: Any, name: str | None = None) -> Tensor:
    """The same elements in another shape; one dimension may be -1.

    Raises InvalidArgumentError when the number of elements differs.
    """
    array = _tensor(tensor)
    new = inferred_shape(array.shape, shape)
    if np.prod(new, dtype=int) != array.size:
        raise InvalidArgumentError(f"A tensor of shape {list(array.shape)} has no shape {list(static_shape(shape))}.")
    return array.reshape(new)


# `reshape` and others have TF's parameter name `tensor`, which hides the function.
_tensor = tensor


@folds
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Tensor:
    """The dimensions in another order, reversed without `perm`."""
    array = jnp.transpose(tensor(a), None if perm is None else static_shape(perm))
    return jnp.conj(array) if conjugate else array


@folds
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """A new dimension of size 1 at `axis`."""
    return jnp.expand_dims(tensor(input), static_int(axis, "a tensor is an axis"))


@folds
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Without the dimensions of size 1, all or those at `axis`. Raises InvalidArgumentError for another size."""
    array, axes = tensor(input), static_axes(axis)
    wrong = [a for a in np.atleast_1d(() if axes is None else axes).astype(int).tolist() if array.shape[a] != 1]
    if wrong:
        raise InvalidArgumentError(f"tf.squeeze: dimension {wrong[0]} of shape {list(array.shape)} is not 1.")
    return jnp.squeeze(array, axes or None)


@folds
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Several tensors along an existing dimension."""
    rows = values if isinstance(values, list | tuple) else [values]
    return jnp.concatenate(same_dtype("concat", rows), static_int(axis, "a tensor is an axis"))


@folds
def stack(values: Any, axis: Any = 0, name: str = "stack") -> Tensor:
    """Several tensors of one shape along a new dimension."""
    if not isinstance(values, list | tuple):
        values = list(tensor(values))
    return jnp.stack(same_dtype("stack", values), static_int(axis, "a tensor is an axis"))


def same_dtype(name: str, values: Sequence[Any]) -> list[Tensor]:
    """Several values as tensors of one dtype: the first tensor's, or what the Python values have together."""
    first = next((v for v in values if is_tensor(v) or isinstance(v, np.ndarray | np.generic)), None)
    lead = tensor(list(values)).dtype if first is None and not any(map(np.ndim, values)) else None
    if first is None:
        first = values[0]
    wanted = tensor(first).dtype if lead is None else lead
    arrays = [tensor(v) if is_tensor(v) else tensor(v, wanted) for v in values]
    wrong = next((a for a in arrays if a.dtype != wanted and not getattr(a, "weak_type", False)), None)
    if wrong is not None:
        raise InvalidArgumentError(f"tf.{name} takes one dtype, got {wanted} and {wrong.dtype}. Use tf.cast.")
    return arrays


def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The slices along one dimension, as a list of tensors without it."""
    array = tensor(value)
    if num is not None and num != array.shape[axis]:
        raise ValueError(f"tf.unstack: num is {num}, but dimension {axis} has {array.shape[axis]} entries.")
    return [jnp.take(array, i, axis=axis) for i in range(array.shape[axis])]


def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """In so many equal parts, or in parts of these sizes, one of which may be -1. Raises InvalidArgumentError."""
    array, where = tensor(value), static_int(axis, "a tensor is an axis")
    total = array.shape[where]
    if np.ndim(num_or_size_splits) == 0:
        parts = static_int(num_or_size_splits, "a tensor is the number of splits")
        if total % parts:
            raise InvalidArgumentError(f"tf.split: {total} entries along axis {where} are not divisible by {parts}.")
        sizes = (total // parts,) * parts
    else:
        asked = static_shape(num_or_size_splits)
        rest = total - sum(s for s in asked if s != -1)
        sizes = tuple(rest if s == -1 else s for s in asked)
    if sum(sizes) != total or min(sizes, default=0) < 0:
        raise InvalidArgumentError(f"tf.split: sizes {list(sizes)} do not add up to {total}.")
    return list(jnp.split(array, np.cumsum(sizes)[:-1].tolist(), axis=where))


@folds
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """The tensor repeated so many times along every dimension."""
    return jnp.tile(tensor(input), static_shape(multiples))


@folds
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Every entry repeated along `axis` (of the flat tensor without one)."""
    if is_traced(repeats):
        static_int(repeats, "a tensor is the number of repeats")
    return jnp.repeat(tensor(input), np.asarray(repeats), axis=axis)


def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """More entries before and after along every dimension; `mode` is CONSTANT, REFLECT or SYMMETRIC."""
    array = _tensor(tensor)
    widths = [static_shape(p) for p in (paddings if isinstance(paddings, list | tuple) else np.asarray(paddings))]
    if mode.upper() == "CONSTANT":
        return jnp.pad(array, widths, constant_values=_tensor(constant_values, array.dtype))
    return jnp.pad(array, widths, mode=mode.lower())


@folds
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Repeated to a larger shape by the broadcasting rules."""
    return jnp.broadcast_to(tensor(input), static_shape(shape))


def broadcast_static_shape(shape_x: Any, shape_y: Any) -> tuple[int, ...]:
    """The shape that two shapes broadcast to."""
    return np.broadcast_shapes(static_shape(shape_x), static_shape(shape_y))


def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """The shape that two shapes broadcast to, as a tensor."""
    return _static(np.array(broadcast_static_shape(shape_x, shape_y), dtype=np.int32), None)


@folds
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The entries in reverse order along these dimensions."""
    return jnp.flip(_tensor(tensor), static_shape(axis))


@folds
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """The entries moved along `axis`; those that fall off come back at the start."""
    return jnp.roll(tensor(input), shift if isinstance(shift, int) else tensor(shift), static_axes(axis))


def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid") -> list[Tensor]:
    """The coordinates of all points of a grid, one tensor per dimension."""
    return list(jnp.meshgrid(*map(tensor, args), indexing=indexing))


def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The same value, constant for gradients."""
    return jax.lax.stop_gradient(tensor(input))


def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """`x`, if its shape fits (None fits anything). Raises InvalidArgumentError if not."""
    array, wanted = tensor(x), list(shape)
    fits = len(wanted) == array.ndim and all(w is None or w == d for w, d in zip(wanted, array.shape, strict=True))
    if not fits:
        raise InvalidArgumentError(f"A tensor of shape {list(array.shape)} does not have the expected shape {wanted}.")
    return array


def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """True for the first `length` of `maxlen` entries: shape (*lengths.shape, maxlen), bool without a dtype."""
    array = tensor(lengths)
    if maxlen is None:
        with wide(array.dtype):
            maxlen = jnp.max(array, initial=0)
    count = static_int(maxlen, "a tensor is the length of tf.sequence_mask")
    mask = on_device(np.arange(count, dtype=array.dtype)) < array[..., None]
    return mask.astype(numpy_type(dtype, boolean))


def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """The same bits as another dtype."""
    return jax.lax.bitcast_convert_type(tensor(input), as_dtype(type).dtype)


def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """A complex tensor of two real ones."""
    return jax.lax.complex(*same_dtype("complex", [real, imag]))
