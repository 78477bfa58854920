"""The shape and layout of tensors: cast, reshape, concat, split, pad and similar functions."""

import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError, UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.context import current
from stratagem._core.step import UnknownSizes, is_symbolic
from stratagem._core.values import TensorShape, has_conversion
from stratagem._ops._convert import (
    Tensor,
    allow_x64,
    folds_constants,
    inferred_shape,
    is_tensor,
    is_traced,
    numpy_type,
    on_device,
    stacked,
    static_axes,
    static_int,
    static_shape,
    tensor,
)  # fmt: skip
from stratagem._ops._creation import identity
from stratagem._ops._dtypes import as_dtype, boolean, int32
from stratagem._ops._moved_strings import moves_strings
from stratagem._ops._symbolic import accept_symbols
from stratagem._private import twin


@exported("cast", "dtypes.cast")
@folds_constants
def cast(x: Any, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Converts to another dtype. Floating point to integer truncates towards zero; complex to real drops the imaginary part.

    Raises UnimplementedError for strings as numbers, and numbers as strings.
    """
    array, wanted = tensor(x), as_dtype(dtype)
    if array.dtype == object and wanted.name == "string":
        return array
    if (array.dtype == object) != (wanted.name == "string"):
        raise UnimplementedError("tf.cast makes no numbers of strings. Use tf.strings.to_number, tf.strings.as_string.")
    if jnp.issubdtype(array.dtype, np.complexfloating) and not wanted.is_complex:
        array = array.real
    return array.astype(wanted.dtype)


@exported("saturate_cast", "dtypes.saturate_cast")
@folds_constants
def saturate_cast(value: Any, dtype: DTypeLike, name: str | None = None) -> Tensor:
    """Converts to another dtype after clipping values to its range."""
    array, wanted = tensor(value), as_dtype(dtype)
    low, high = (max(wanted.min, as_dtype(array.dtype).min), min(wanted.max, as_dtype(array.dtype).max))
    if wanted.is_floating:
        low, high = float(low), float(high)  # JAX compares no floats of 8 bits with others
    return jnp.clip(array, low, high).astype(wanted.dtype)


@exported("shape", "keras.backend.shape", v1=())
def shape(input: Any, out_type: DTypeLike = int32, name: str | None = None) -> Any:
    """The shape, 1-D. Inside a trace it is a NumPy array, so that numbers taken from it can be part of another shape.

    In a function that is exported, sizes may be unknown; they can be parts of another shape, too.
    """
    sizes = tensor(input).shape
    if any(map(is_symbolic, sizes)):
        return UnknownSizes(sizes, as_dtype(out_type).dtype)
    return _static(np.array(tensor(input).shape, dtype=as_dtype(out_type).dtype), input)


@exported("size", v1=())
def size(input: Any, out_type: Any = int32, name: str | None = None) -> Any:
    """The number of elements, a scalar; inside a trace a NumPy array, as for `shape`."""
    if is_symbolic(found := tensor(input).size):
        return found
    return _static(np.array(tensor(input).size, dtype=as_dtype(out_type).dtype), input)


@exported("rank")
def rank(input: Any, name: str | None = None) -> Any:
    """The number of dimensions, an int32 scalar; inside a trace a NumPy array, as for `shape`."""
    return _static(np.array(tensor(input).ndim, dtype=np.int32), input)


def _static(array: np.ndarray, of: Any) -> Any:
    """Keeps the array in NumPy inside a trace, where indexing even a constant JAX array would return a tracer."""
    tracing = current().recorder is not None or (is_tensor(of) and is_traced(tensor(of)))
    return array if tracing else on_device(array)


@exported("shape_n")
def shape_n(input: Sequence[Any], out_type: Any = int32, name: str | None = None) -> list[Any]:
    """The shape of every tensor in a list."""
    return [shape(i, out_type) for i in input]


@exported("reshape", "keras.backend.reshape")
@moves_strings("tensor")
@folds_constants
def reshape(tensor: Any, shape: ShapeLike, name: str | None = None) -> Tensor:
    """The same elements in another shape; one dimension may be -1.

    Raises InvalidArgumentError when the number of elements differs.
    """
    array = _tensor(tensor)
    new = inferred_shape(array.shape, shape)
    if any(map(is_symbolic, (*array.shape, *new))):
        return array.reshape(new)
    if np.prod(new, dtype=int) != array.size:
        raise InvalidArgumentError(f"A tensor of shape {list(array.shape)} has no shape {list(static_shape(shape))}.")
    return array.reshape(new)


# The parameter `tensor` of `reshape` and others, TF's name, hides the function.
_tensor = tensor


@exported("transpose", "keras.backend.transpose", v1=())
@moves_strings("a")
@folds_constants
def transpose(a: Any, perm: Any = None, conjugate: bool = False, name: str | None = None) -> Tensor:
    """Permutes the dimensions; reverses them if there is no `perm`."""
    array = jnp.transpose(tensor(a), None if perm is None else static_shape(perm))
    return jnp.conj(array) if conjugate else array


@exported("expand_dims", v1=())
@moves_strings("input")
@folds_constants
def expand_dims(input: Any, axis: Any, name: str | None = None) -> Tensor:
    """Inserts a dimension of size 1 at `axis`."""
    return jnp.expand_dims(tensor(input), static_int(axis, "a tensor is an axis"))


@exported("squeeze", v1=())
@moves_strings("input")
@folds_constants
def squeeze(input: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Removes dimensions of size 1, all or those at `axis`. Raises InvalidArgumentError for another size."""
    array, axes = tensor(input), static_axes(axis)
    wrong = [a for a in np.atleast_1d(() if axes is None else axes).astype(int).tolist() if array.shape[a] != 1]
    if wrong:
        raise InvalidArgumentError(f"tf.squeeze: dimension {wrong[0]} of shape {list(array.shape)} is not 1.")
    return jnp.squeeze(array, axes or None)


@exported("concat")
@moves_strings("values")
@folds_constants
def concat(values: Any, axis: Any, name: str = "concat") -> Tensor:
    """Concatenates tensors along an existing dimension."""
    rows = values if isinstance(values, list | tuple) else [values]
    return jnp.concatenate(same_dtype("concat", rows), static_int(axis, "a tensor is an axis"))


@exported("stack", "keras.backend.stack")
@moves_strings("values")
@folds_constants
def stack(values: Any, axis: Any = 0, name: str = "stack") -> Tensor:
    """Stacks tensors of one shape along a new dimension."""
    if not isinstance(values, list | tuple):
        values = list(tensor(values))
    return stacked(same_dtype("stack", values), static_int(axis, "a tensor is an axis"))


def same_dtype(name: str, values: Sequence[Any]) -> list[Tensor]:
    """Converts values to tensors of one dtype: the first tensor's, or the common dtype of the Python values."""
    values = [tensor(v) if has_conversion(v) else v for v in values]
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


@exported("unstack")
@moves_strings("value")
@folds_constants
def unstack(value: Any, num: int | None = None, axis: int = 0, name: str = "unstack") -> list[Tensor]:
    """The slices along one dimension, as a list of tensors without it."""
    array = tensor(value)
    if num is not None and num != array.shape[axis]:
        raise ValueError(f"tf.unstack: num is {num}, but dimension {axis} has {array.shape[axis]} entries.")
    return [jnp.take(array, i, axis=axis) for i in range(array.shape[axis])]


@exported("split")
@moves_strings("value")
def split(
    value: Any, num_or_size_splits: Any, axis: Any = 0, num: int | None = None, name: str = "split"
) -> list[Tensor]:
    """Splits into this many equal parts, or into parts of these sizes, one of which may be -1. Raises InvalidArgumentError."""
    array, where = tensor(value), static_int(axis, "a tensor is an axis")
    total = array.shape[where]
    if np.ndim(num_or_size_splits) == 0:
        parts = static_int(num_or_size_splits, "a tensor is the number of splits")
        if total % parts:
            raise InvalidArgumentError(f"tf.split: {total} entries along axis {where} are not divisible by {parts}.")
        sizes = (total // parts,) * parts
    else:
        requested = static_shape(num_or_size_splits)
        rest = total - sum(s for s in requested if s != -1)
        sizes = tuple(rest if s == -1 else s for s in requested)
    if sum(sizes) != total or min(sizes, default=0) < 0:
        raise InvalidArgumentError(f"tf.split: sizes {list(sizes)} do not add up to {total}.")
    return list(jnp.split(array, np.cumsum(sizes)[:-1].tolist(), axis=where))


@exported("tile")
@moves_strings("input")
@folds_constants
def tile(input: Any, multiples: Any, name: str | None = None) -> Tensor:
    """Repeats the tensor this many times along every dimension. Raises InvalidArgumentError for too many or few numbers."""
    array, counts = tensor(input), static_shape(multiples)
    if len(counts) != array.ndim:
        raise InvalidArgumentError(f"tf.tile takes a number for each of {array.ndim} dimensions, got {list(counts)}.")
    return jnp.tile(array, counts)


@exported("repeat")
@moves_strings("input")
@folds_constants
def repeat(input: Any, repeats: Any, axis: Any = None, name: str | None = None) -> Tensor:
    """Repeats every entry along `axis` (of the flattened tensor without one)."""
    if is_traced(repeats):
        static_int(repeats, "a tensor is the number of repeats")
    return jnp.repeat(tensor(input), np.asarray(repeats), axis=axis)


@exported("pad", v1=())
@moves_strings("tensor", "constant_values")
def pad(
    tensor: Any, paddings: Any, mode: str = "CONSTANT", constant_values: Any = 0, name: str | None = None
) -> Tensor:
    """Pads every dimension before and after; `mode` is CONSTANT, REFLECT or SYMMETRIC.

    Raises InvalidArgumentError for more than there is to reflect: the size, or for REFLECT the size without the edge.
    """
    array = _tensor(tensor)
    widths = [static_shape(p) for p in (paddings if isinstance(paddings, list | tuple) else np.asarray(paddings))]
    if not array.ndim and not widths:
        return identity(array)  # JAX takes a pair at least
    if mode.upper() == "CONSTANT":
        return jnp.pad(array, widths, constant_values=_tensor(constant_values, array.dtype))
    most = [size - (mode.upper() == "REFLECT") for size in array.shape]
    if any(max(pair) > limit for pair, limit in zip(widths, most, strict=False)):
        raise InvalidArgumentError(f"tf.pad: {mode} pads shape {list(array.shape)} by {most} at most, got {widths}.")
    return jnp.pad(array, widths, mode=mode.lower())


@exported("broadcast_to")
@moves_strings("input")
@folds_constants
def broadcast_to(input: Any, shape: Any, name: str | None = None) -> Tensor:
    """Broadcasts to a larger shape."""
    return jnp.broadcast_to(tensor(input), static_shape(shape))


@exported("broadcast_static_shape")
def broadcast_static_shape(shape_x: ShapeLike | None, shape_y: ShapeLike | None) -> TensorShape:
    """The shape that two shapes broadcast to, of unknown sizes where it depends on one, as in TensorFlow."""
    first, second = TensorShape(shape_x), TensorShape(shape_y)
    if first.rank is None or second.rank is None:
        return TensorShape(None)
    pairs = itertools.zip_longest(reversed(first), reversed(second), fillvalue=1)
    return TensorShape([_broadcast_size(a, b, first, second) for a, b in pairs][::-1])


def _broadcast_size(a: int | None, b: int | None, first: TensorShape, second: TensorShape) -> int | None:
    if a is None or b is None:
        known = a or b or 0
        return known if known > 1 else None
    if 1 not in (a, b) and a != b:
        raise ValueError(f"Incompatible shapes for broadcasting: {first} and {second}")
    return b if a == 1 else a


@exported("broadcast_dynamic_shape")
def broadcast_dynamic_shape(shape_x: Any, shape_y: Any) -> Any:
    """The shape that two shapes broadcast to, as a tensor."""
    shape = np.broadcast_shapes(static_shape(shape_x), static_shape(shape_y))
    return _static(np.array(shape, dtype=np.int32), None)


@exported("reverse", v1=["reverse", "reverse_v2"])
@moves_strings("tensor")
@folds_constants
def reverse(tensor: Any, axis: Any, name: str | None = None) -> Tensor:
    """The entries in reverse order along these dimensions."""
    return jnp.flip(_tensor(tensor), static_shape(axis))


@exported("roll")
@moves_strings("input")
@folds_constants
def roll(input: Any, shift: Any, axis: Any, name: str | None = None) -> Tensor:
    """Shifts the entries along `axis`; those that leave at one end return at the other."""
    return jnp.roll(tensor(input), shift if isinstance(shift, int) else tensor(shift), static_axes(axis))


@exported("meshgrid")
def meshgrid(*args: Any, indexing: str = "xy", name: str = "meshgrid") -> list[Tensor]:
    """The coordinates of all points of a grid, one tensor per dimension."""
    return list(jnp.meshgrid(*map(tensor, args), indexing=indexing))


@exported("stop_gradient", "keras.backend.stop_gradient")
@moves_strings("input")
def stop_gradient(input: Any, name: str | None = None) -> Tensor:
    """The same value, treated as a constant by gradients."""
    stopped = jax.lax.stop_gradient(tensor(input))
    return twin(stopped) if stopped is input and not is_traced(stopped) else stopped  # tapes know arrays by identity


@exported("ensure_shape")
def ensure_shape(x: Any, shape: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with the values of `x` if its shape fits (None fits anything). Raises InvalidArgumentError otherwise."""
    array, wanted = tensor(x), TensorShape(shape)
    if not wanted.is_compatible_with(array.shape):
        raise InvalidArgumentError(f"A tensor of shape {list(array.shape)} does not have the expected shape {wanted}.")
    return identity(array)


@exported("sequence_mask")
def sequence_mask(lengths: Any, maxlen: Any = None, dtype: Any = None, name: str | None = None) -> Tensor:
    """A mask that is True for the first `length` of `maxlen` entries: shape (*lengths.shape, maxlen), bool without a dtype."""
    array = tensor(lengths)
    if maxlen is None:
        with allow_x64(array.dtype):
            maxlen = jnp.max(array, initial=0)
    count = static_int(maxlen, "a tensor is the length of tf.sequence_mask")
    mask = on_device(np.arange(count, dtype=array.dtype)) < array[..., None]
    return mask.astype(numpy_type(dtype, boolean))


@exported("bitcast")
def bitcast(input: Any, type: Any, name: str | None = None) -> Tensor:
    """Reinterprets the bits as another dtype."""
    return jax.lax.bitcast_convert_type(tensor(input), as_dtype(type).dtype)


@exported("complex", "dtypes.complex")
def complex(real: Any, imag: Any, name: str | None = None) -> Tensor:
    """Combines two real tensors to a complex one."""
    return jax.lax.complex(*same_dtype("complex", [real, imag]))


accept_symbols(globals())
