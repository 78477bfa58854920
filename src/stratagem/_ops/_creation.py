"""Creates tensors: constants, filled tensors, ranges, one-hot rows."""

import contextlib
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike, ShapeLike
from stratagem._core.context import current
from stratagem._core.step import TracedStrings, host_function, is_symbolic, named_host_function
from stratagem._ops._convert import (
    Tensor,
    folds_constants,
    is_tensor,
    is_traced,
    need_value,
    numpy_type,
    on_device,
    on_host,
    operands,
    static_int,
    static_shape,
    tensor,
)  # fmt: skip
from stratagem._ops._dtypes import as_dtype, float32
from stratagem._ops._moved_strings import moves_strings
from stratagem._ops._python_values import is_of_python
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops._traced_range import Range
from stratagem._private import KerasVariable, OutsideOfTraces, current_recording


@exported("constant", v1=())
def constant(
    value: Any, dtype: DTypeLike | None = None, shape: ShapeLike | None = None, name: str | None = None
) -> Tensor:
    """Makes a tensor with this value, concrete even inside a trace. `shape` reshapes it, or repeats a single number.

    Raises TypeError when the value does not fit `dtype` or `shape`.
    """
    if is_tensor(value):
        array = _same_dtype(tensor(value), dtype)
        return array if shape is None else _fit(array, static_shape(shape), jnp)
    if isinstance(value, list | tuple) and not _plain(value):
        return constant(tensor(value, dtype), shape=shape)
    host = np.array(on_host(value, dtype))
    return on_device(host if shape is None else _fit(host, static_shape(shape), np))


def _plain(value: Any) -> bool:
    if isinstance(value, list | tuple):
        return is_of_python(value) or all(map(_plain, value))
    return not is_tensor(value)


def _same_dtype(array: Tensor, dtype: Any) -> Tensor:
    if dtype is not None and array.dtype != as_dtype(dtype):
        raise TypeError(f"tf.constant cannot make {dtype!r} of a tensor of {array.dtype}. Use tf.cast.")
    return array


def _fit(array: Any, shape: tuple[int, ...], library: Any) -> Any:
    if array.size == 1:
        return library.broadcast_to(array.reshape(()), shape)
    if array.size != np.prod(shape, dtype=int):
        raise TypeError(f"tf.constant: {array.size} elements do not fill the shape {list(shape)}.")
    return array.reshape(shape)


@exported("convert_to_tensor", v1=())
def convert_to_tensor(value: Any, dtype: Any = None, dtype_hint: Any = None, name: str | None = None) -> Tensor:
    """Converts `value` to a tensor. Raises ValueError for a tensor of another dtype; a hint is used if it fits."""
    if dtype is not None or dtype_hint is None:
        return tensor(value, dtype)
    try:
        return tensor(value, dtype_hint)
    except (TypeError, ValueError):
        return tensor(value)


@exported("identity")
@folds_constants
def identity(input: Any, name: str | None = None) -> Tensor:
    """Returns another tensor with the same values. In a model_fn of an Estimator it can then be found by its name."""
    building = current().graph
    if building is not None:
        building.run_dependencies()
    same = tensor(input)
    if isinstance(same, TracedStrings) and building is not None:
        return _same_strings(same)
    # Another for tapes: what depends on the one does not depend on the other.
    return jnp.copy(same) if isinstance(same, jax.Array) else same


@host_function
def _same_strings(strings: Any) -> Any:
    return strings


named_host_function("identity", _same_strings)


@exported("zeros")
def zeros(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of zeros (False, or empty strings)."""
    return _filled(static_shape(shape), "" if as_dtype(dtype).name == "string" else 0, dtype)


@exported("ones")
def ones(shape: Any, dtype: Any = float32, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of ones (True). Raises TypeError for strings."""
    if as_dtype(dtype).name == "string":
        raise TypeError("tf.ones makes numbers, not strings. Use tf.fill for strings of your own.")
    return _filled(static_shape(shape), 1, dtype)


def _filled(shape: tuple[int, ...], value: Any, dtype: Any) -> Tensor:
    wanted = as_dtype(dtype)
    if wanted.name == "string":
        return on_device(np.full(shape, b"", dtype=object))
    with contextlib.nullcontext() if any(map(is_symbolic, shape)) else OutsideOfTraces():
        return jnp.full(shape, value, dtype=wanted.dtype)


def _followed(numbers: Any, *given: Any) -> bool:
    """Returns whether a trace, or a tape, follows what is computed from the numbers that were given."""
    recording = current_recording() is not None or current().recorder is not None
    return is_traced(numbers) or (recording and any(isinstance(v, jax.Array | KerasVariable) for v in given))


@exported("fill")
def fill(dims: Any, value: Any, name: str | None = None, layout: Any = None) -> Tensor:
    """A tensor of the shape `dims` that repeats one number."""
    number = tensor(value)
    if number.ndim:
        raise InvalidArgumentError(f"tf.fill repeats one number, got a value of shape {number.shape}.")
    sizes = static_shape(dims)
    if _followed(number, value) or any(map(is_symbolic, sizes)):
        return jnp.broadcast_to(number, sizes)
    return on_device(np.full(sizes, np.asarray(number)))


@exported("zeros_like", "keras.backend.zeros_like", v1=())
def zeros_like(input: Any, dtype: DTypeLike | None = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Zeros of the same shape and, unless `dtype` is given, dtype."""
    like = tensor(input)
    return zeros(like.shape, as_dtype(like.dtype if dtype is None else dtype))


@exported("ones_like", "keras.backend.ones_like", v1=())
def ones_like(input: Any, dtype: DTypeLike | None = None, name: str | None = None, layout: Any = None) -> Tensor:
    """Ones of the same shape and, unless `dtype` is given, dtype. Raises InvalidArgumentError for strings."""
    like = tensor(input)
    if dtype is None and like.dtype == object:
        raise InvalidArgumentError("tf.ones_like takes numbers, not strings. Use tf.fill for strings of your own.")
    return ones(like.shape, as_dtype(like.dtype if dtype is None else dtype))


@exported("eye", "linalg.eye", "keras.backend.eye")
def eye(
    num_rows: Any,
    num_columns: Any = None,
    batch_shape: ShapeLike | None = None,
    dtype: DTypeLike = float32,
    name: str | None = None,
) -> Tensor:
    """An identity matrix, or a batch of them: shape (*batch_shape, rows, columns)."""
    rows = static_int(num_rows, "a tensor is part of a shape")
    columns = rows if num_columns is None else static_int(num_columns, "a tensor is part of a shape")
    matrix = np.eye(rows, columns, dtype=as_dtype(dtype).dtype)
    batch = () if batch_shape is None else static_shape(batch_shape)
    return on_device(np.ascontiguousarray(np.broadcast_to(matrix, (*batch, rows, columns))))


@exported("one_hot", "keras.backend.one_hot")
@moves_strings("on_value", "off_value")
def one_hot(
    indices: Any,
    depth: Any,
    on_value: Any = None,
    off_value: Any = None,
    axis: int | None = None,
    dtype: DTypeLike | None = None,
    name: str | None = None,
) -> Tensor:
    """`on_value` (1) where the new dimension's position equals the index, else `off_value` (0), also for an invalid index.

    Raises InvalidArgumentError when `axis` is neither -1, the last one, nor a dimension counted from the first.
    """
    given = on_value if on_value is not None else off_value
    wanted = as_dtype(dtype if dtype is not None else float32 if given is None else tensor(given).dtype)
    size = static_int(depth, "a tensor is the depth of tf.one_hot")
    where = -1 if axis is None else axis
    given_index = tensor(indices)
    if not -1 <= where <= given_index.ndim:
        raise InvalidArgumentError(f"tf.one_hot takes an axis of -1 to {given_index.ndim} here, got {where}.")
    index = jnp.expand_dims(given_index, where)
    shape = [1] * index.ndim
    shape[where] = size
    positions = on_device(np.arange(size, dtype=index.dtype).reshape(shape))
    on, off = tensor(1 if on_value is None else on_value, wanted), tensor(0 if off_value is None else off_value, wanted)
    return jnp.where(index == positions, on, off)


@exported("range")
def range(start: Any, limit: Any = None, delta: Any = 1, dtype: Any = None, name: str = "range") -> Tensor | Range:
    """The numbers from `start` (0 if only one is given) up to but excluding `limit`. 1-D.

    In a `tf.function`, outside a replica, the result is a `Range`: looping over it takes the function to host mode.
    """
    first, last = (0, start) if limit is None else (start, limit)
    if any(map(is_symbolic, (first, last, delta))):
        return jnp.arange(first, last, delta, dtype=numpy_type(dtype, np.int32))
    if is_traced([first, last, delta]):
        need_value("it calls tf.range with a tensor")
    bounds = [np.asarray(v) for v in operands("range", *_to_one_dtype(first, last, delta))]
    kind = numpy_type(dtype, bounds[0].dtype)
    first, last, delta = (b.item() for b in bounds)
    if delta == 0 or (last - first) * delta < 0:
        raise InvalidArgumentError(f"tf.range from {first} to {last} in steps of {delta} never arrives.")
    array = on_device(np.arange(first, last, delta, dtype=kind))
    context = current()
    return array if context.recorder is None or context.replica is not None else Range(array, context.recorder)


def _to_one_dtype(*values: Any) -> tuple[Any, ...]:
    """Converts all values to one dtype: a tensor's or NumPy value's own, else float32 if one is a float."""
    typed = next((v for v in values if is_tensor(v) or isinstance(v, np.generic | np.ndarray)), None)
    if typed is None:
        typed = next((v for v in values if isinstance(v, float)), values[0])
    dtype = tensor(typed).dtype
    return tuple(v if is_tensor(v) else tensor(v, dtype) for v in values)


@exported("linspace", v1=["lin_space", "linspace"])
def linspace(start: Any, stop: Any, num: Any, name: str | None = None, axis: int = 0) -> Tensor:
    """`num` numbers from `start` to `stop`, both included; integers give float64, as in TF."""
    first, last = operands("linspace", start, stop)
    dtype = first.dtype if jnp.issubdtype(first.dtype, np.inexact) else np.dtype(np.float64)
    count = static_int(num, "a tensor is the length of tf.linspace")
    if _followed([first, last], start, stop):
        return jnp.linspace(first.astype(dtype), last.astype(dtype), count, axis=axis, dtype=dtype)
    return on_device(np.linspace(np.asarray(first, dtype), np.asarray(last, dtype), count, axis=axis, dtype=dtype))


accept_symbols(globals())
