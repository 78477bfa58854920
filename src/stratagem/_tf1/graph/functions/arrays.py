"""Functions of shapes, indices and types with TensorFlow 1's arguments and their order."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem import _ops as ops
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops import Tensor, named, tensor
from stratagem._tf1.graph._function_wrappers import titled
from stratagem._tf1.graph._model_build import building_here
from stratagem._tf1.graph.functions.reductions import one_of


@exported(v1=["expand_dims"])
@named
def expand_dims(input: Any, axis: Any = None, name: str | None = None, dim: Any = None) -> Tensor:
    """Returns the tensor with a new dimension of size 1 at `axis` (formerly dim)."""
    return ops.expand_dims(input, one_of(axis=axis, dim=dim))


@exported(v1=["squeeze"])
@named
def squeeze(input: Any, axis: Any = None, name: str | None = None, squeeze_dims: Any = None) -> Tensor:
    """Returns the tensor without dimensions of size 1: all of them, or those in `axis` (formerly squeeze_dims)."""
    return ops.squeeze(input, one_of(axis=axis, squeeze_dims=squeeze_dims))


@exported(v1=["transpose"])
@named
def transpose(a: Any, perm: Any = None, name: str = "transpose", conjugate: bool = False) -> Tensor:
    """Returns the tensor with its dimensions in the order `perm`, by default reversed."""
    return ops.transpose(a, perm, conjugate)


@exported(v1=["shape"])
@named
def shape(input: Any, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """Returns the shape, by default as int32."""
    return ops.shape(input, ops.int32 if out_type is None else out_type)


@exported(v1=["size"])
@named
def size(input: Any, name: str | None = None, out_type: DTypeLike | None = None) -> Any:
    """Returns the number of elements, by default as int32."""
    return ops.size(input, ops.int32 if out_type is None else out_type)


@exported(v1=["gather"])
@named
def gather(
    params: Any,
    indices: Any,
    validate_indices: bool | None = None,
    name: str | None = None,
    axis: Any = None,
    batch_dims: int = 0,
) -> Tensor:
    """Returns the slices at `indices` along `axis`, by default the first dimension after the batch dimensions."""
    return ops.gather(params, indices, axis=axis, batch_dims=batch_dims)


@exported(v1=["gather_nd"])
@named
def gather_nd(params: Any, indices: Any, name: str | None = None, batch_dims: int = 0) -> Tensor:
    """Returns the slices at the positions in the last dimension of `indices`."""
    return ops.gather_nd(params, indices, batch_dims)


@exported(v1=["boolean_mask"])
@named
def boolean_mask(tensor: Any, mask: Any, name: str = "boolean_mask", axis: Any = None) -> Tensor:
    """Returns the elements where the mask is True."""
    return ops.boolean_mask(tensor, mask, axis)


@exported(v1=["pad"])
@named
def pad(
    tensor: Any,
    paddings: Any,
    mode: str = "CONSTANT",
    name: str | None = None,
    constant_values: Any = 0,
) -> Tensor:
    """Returns the tensor padded before and after in each dimension."""
    return ops.pad(tensor, paddings, mode, constant_values)


@exported(v1=["zeros_like"])
@named
def zeros_like(tensor: Any, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Returns zeros of the same shape."""
    return ops.zeros_like(tensor, dtype)


@exported(v1=["ones_like"])
@named
def ones_like(tensor: Any, dtype: DTypeLike | None = None, name: str | None = None, optimize: bool = True) -> Tensor:
    """Returns ones of the same shape."""
    return ops.ones_like(tensor, dtype)


@exported(v1=["convert_to_tensor"])
@named
def convert_to_tensor(
    value: Any,
    dtype: DTypeLike | None = None,
    name: str | None = None,
    preferred_dtype: DTypeLike | None = None,
    dtype_hint: Any = None,
) -> Tensor:
    """Returns `value` as a tensor. preferred_dtype (also dtype_hint): the type to try first if `dtype` is not given."""
    return ops.convert_to_tensor(value, dtype, one_of(dtype_hint=dtype_hint, preferred_dtype=preferred_dtype))


@exported(v1=["where"])
@named
def where(condition: Any, x: Any = None, y: Any = None, name: str | None = None) -> Tensor:
    """Returns x where the condition is True, else y; without x and y, the positions where it is True.

    x and y have the same shape, which is the condition's, or the condition is a vector that selects rows. Raises ValueError
    for other shapes.
    """
    if x is None and y is None:
        return ops.where(condition)
    chosen, first, second = tensor(condition), tensor(x), tensor(y)
    if first.shape != second.shape:
        raise ValueError(f"tf1.where: x and y need one shape, got {first.shape} and {second.shape}.")
    if chosen.ndim == 1 and first.ndim > 1:
        chosen = chosen.reshape(-1, *(1,) * (first.ndim - 1))
    elif chosen.ndim and chosen.shape != first.shape:
        raise ValueError(
            f"tf1.where: a condition of shape {chosen.shape} does not fit {first.shape}; tf.where broadcasts."
        )
    return ops.where(chosen, first, second)


@exported(v1=["div"])
@named
def div(x: Any, y: Any, name: str | None = None) -> Tensor:
    """Returns x / y, rounded down if both are integers."""
    first, second = tensor(x), tensor(y)
    whole = jnp.issubdtype(first.dtype, np.integer) and jnp.issubdtype(second.dtype, np.integer)
    return ops.floordiv(x, y) if whole else ops.truediv(x, y)


def _to(dtype: Any, label: str) -> Any:
    def convert(x: Any, name: str = label) -> Tensor:
        return ops.cast(x, dtype)

    return titled(convert, f"to_{dtype.name}", f"Converts to {dtype.name}.")


to_float, to_double = _to(ops.float32, "ToFloat"), _to(ops.float64, "ToDouble")
exported(v1=["to_float"])(to_float)
exported(v1=["to_double"])(to_double)
to_int32, to_int64, to_bfloat16 = _to(ops.int32, "ToInt32"), _to(ops.int64, "ToInt64"), _to(ops.bfloat16, "ToBFloat16")
exported(v1=["to_int64"])(to_int64)
exported(v1=["to_int32"])(to_int32)
exported(v1=["to_bfloat16"])(to_bfloat16)


@exported(v1=["confusion_matrix", "math.confusion_matrix"])
@named
def confusion_matrix(
    labels: Any,
    predictions: Any,
    num_classes: Any = None,
    dtype: DTypeLike = ops.int32,
    name: str | None = None,
    weights: Any = None,
) -> Tensor:
    """Returns a matrix that counts how often class i (row) was predicted as class j (column)."""
    return ops.confusion_matrix(labels, predictions, num_classes, weights, dtype)


@exported(v1=["clip_by_average_norm"])
def clip_by_average_norm(t: Any, clip_norm: Any, name: str | None = None) -> Tensor:
    """Returns the tensor scaled down so that its norm, divided by the number of elements, is at most `clip_norm`."""
    values = tensor(t)
    average = jnp.sqrt(jnp.sum(jnp.square(values))) / values.size
    return values * jnp.minimum(1.0, clip_norm / average)


@exported(v1=["tuple"])
def tuple_of(tensors: Any, name: str | None = None, control_inputs: object = None) -> list[Any]:
    """Returns the tensors, all of which are computed before anything that uses them."""
    return list(tensors)


@exported(v1=["py_func"])
def py_func(func: Any, inp: Any, Tout: DTypeLike, stateful: bool = True, name: str | None = None) -> Any:
    """Calls `tf.numpy_function`."""
    return ops.numpy_function(func, inp, Tout)


@exported(v1=["Print"])
@named
def print_tensor(
    input_: Any,
    data: Any,
    message: str | None = None,
    first_n: int | None = None,
    summarize: Any = None,
    name: object = None,
) -> Tensor:
    """Returns `input_`, and prints `data` whenever it is computed. `first_n` is ignored."""
    building = building_here()
    printed = ops.print(message or "", *data, summarize=3 if summarize is None else summarize)
    return tensor(input_) if building is None else building.checked(tensor(input_), printed)
