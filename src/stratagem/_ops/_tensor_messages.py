"""`tf.make_tensor_proto` and `tf.make_ndarray`: tensors as messages, in the form that TensorFlow writes."""

import math
from collections.abc import Iterable
from typing import Any

import numpy as np

from stratagem._base.exports import exported
from stratagem._base.memory import available_memory, refuse_more_than
from stratagem._base.tensor_proto import CODES, TensorProto
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import is_tensor, is_traced, need_value, on_host, tensor
from stratagem._ops._dtypes import DType, as_dtype

_MANY = 1 << 24  # values, from which on the memory is asked for
_NAMES = {code: name for name, code in CODES.items()}
# The field with the values of a dtype, where it is not `int_val`.
_FIELDS = {
    "float32": "float_val", "float64": "double_val", "string": "string_val", "complex64": "scomplex_val",
    "int64": "int64_val", "bool": "bool_val", "complex128": "dcomplex_val", "float16": "half_val",
    "bfloat16": "half_val", "float8_e5m2": "float8_val", "float8_e4m3fn": "float8_val",
    "uint32": "uint32_val", "uint64": "uint64_val",
}  # fmt: skip
# Dtypes whose values TensorFlow always writes one by one; of the others several are bytes in `tensor_content`.
_NEVER_AS_BYTES = ("string", "bool", "complex64", "complex128", "uint16", "int4", "uint4")


@exported("make_tensor_proto")
def make_tensor_proto(
    values: Any,
    dtype: DTypeLike | None = None,
    shape: Iterable[Any] | None = None,
    verify_shape: bool = False,
    allow_broadcast: bool = False,
) -> Any:
    """Returns a TensorProto with these values, as `tf.make_tensor_proto`; `SerializeToString()` gives TensorFlow's bytes.

    dtype: by default that of a NumPy value or tensor, for Python's numbers float32 or int32, int64 if they need it. shape: by
    default that of the values; if there are fewer than it holds, the last one is repeated. verify_shape: refuses another shape
    than that of the values. allow_broadcast: repeats one value, but not the last one of several.

    Raises:
        TypeError: values that are not of the dtype, or do not have the shape.
        ValueError: None, a ragged list, more values than the shape holds, or both switches at once.
    """
    if allow_broadcast and verify_shape:
        raise ValueError("allow_broadcast and verify_shape are not both allowed.")
    if isinstance(values, TensorProto):
        return values
    array = _on_host(values, None if dtype is None else as_dtype(dtype))
    sizes = array.shape if shape is None else tuple(int(size) for size in shape)
    _check_shape(array, sizes, verify_shape, allow_broadcast)
    kind = as_dtype(array.dtype).name
    message = TensorProto(dtype=CODES[kind])
    message.tensor_shape.SetInParent()
    for size in sizes:
        message.tensor_shape.dim.add(size=size)
    if array.size == math.prod(sizes) > 1 and kind not in _NEVER_AS_BYTES:
        message.tensor_content = array.tobytes()
    elif _FIELDS.get(kind) == "float8_val":
        message.float8_val = array.tobytes()
    else:
        getattr(message, _FIELDS.get(kind, "int_val")).extend(_to_field(array).tolist())
    return message


@exported("make_ndarray")
def make_ndarray(tensor: Any) -> np.ndarray:
    """Returns the array in a TensorProto, as `tf.make_ndarray`; strings are bytes objects in an array of objects.

    If there are fewer values than the shape holds, the last one is repeated; without any, there are zeros or empty strings.

    Raises:
        TypeError: a dtype that does not exist here.
        ValueError: more values than the shape holds, or bytes that do not fill it.
        ResourceExhaustedError: the shape holds more than the memory of this machine.
    """
    if tensor.dtype not in _NAMES:
        raise TypeError(f"The message has the dtype {tensor.dtype}, which does not exist here.")
    kind = as_dtype(_NAMES[tensor.dtype])
    sizes = [dim.size for dim in tensor.tensor_shape.dim]
    if tensor.tensor_content:
        return np.frombuffer(tensor.tensor_content, kind.dtype).copy().reshape(sizes)
    values = _from_field(getattr(tensor, _FIELDS.get(kind.name, "int_val")), kind)
    missing = math.prod(sizes) - len(values)
    if missing < 0:
        raise ValueError(f"The message holds {len(values)} values for the shape {sizes}.")
    if not missing:
        return values.reshape(sizes)
    last = values[-1:] if len(values) else _from_field([b"" if kind.name == "string" else 0] * 2, kind)[:1]
    if missing > _MANY:
        size = math.prod(sizes) * last.itemsize
        refuse_more_than(available_memory(), size, f"The tensor of the shape {sizes} in a message")
    filled = np.empty(math.prod(sizes), last.dtype)
    filled[: len(values)], filled[len(values) :] = values, last
    return filled.reshape(sizes)


def _on_host(values: Any, requested: DType | None) -> np.ndarray:
    if is_tensor(values):
        if is_traced(values := tensor(values)):
            need_value("tf.make_tensor_proto writes it")
        values = np.asarray(values)
    if values is None:
        raise ValueError("None values not supported.")
    exact = np.asarray(values)
    if exact.dtype.kind in "SUO":
        if requested is not None and requested.name != "string":
            raise TypeError(f"Expected {requested.name}, but got {values!r:.100}.")
        return _strings(values)
    if isinstance(values, np.ndarray | np.generic):
        return exact if requested is None else exact.astype(requested.dtype)
    if requested is None:
        # As `tf.constant` does for Python's numbers; NumPy's in a list count as such.
        return on_host(exact.tolist()) if exact.size else exact.astype(np.float32)
    if exact.size and exact.dtype.kind not in _kinds_taken(requested):
        raise TypeError(f"Expected {requested.name}, but got {values!r:.100}.")
    return exact.astype(requested.dtype)


def _kinds_taken(requested: DType) -> str:
    """Returns the NumPy kinds of Python's values that a dtype takes."""
    if requested.is_integer:
        return "biu"
    return "biuf" if requested.is_floating else "biufc" if requested.is_complex else "b" if requested.is_bool else ""


def _strings(values: Any) -> np.ndarray:
    try:
        return on_host(values)
    except ValueError as error:
        raise TypeError(f"{values!r:.100} are neither numbers nor strings.") from error


def _check_shape(array: np.ndarray, sizes: tuple[int, ...], exactly: bool, only_one: bool) -> None:
    wrong_size = only_one and array.shape not in ((), (1,)) and array.size != math.prod(sizes)
    if wrong_size or (exactly and array.shape != sizes):
        raise TypeError(f"Expected Tensor's shape: {sizes}, but got {array.shape}.")
    if array.size > math.prod(sizes):
        raise ValueError(f"Too many elements provided. Takes at most {math.prod(sizes)}, but got {array.size}.")


def _to_field(array: np.ndarray) -> np.ndarray:
    """Returns the values as their field holds them: 16 bits as an integer, a complex number as two."""
    kind, flat = as_dtype(array.dtype), np.ascontiguousarray(array).ravel()
    if kind.name in ("float16", "bfloat16"):
        return flat.view(np.uint16)
    return flat.view(kind.real_dtype.dtype) if kind.is_complex else flat


def _from_field(values: Any, kind: DType) -> np.ndarray:
    if kind.name in ("float16", "bfloat16"):
        return np.array(values, np.int32).astype(np.uint16).view(kind.dtype)
    if isinstance(values, bytes):  # of numbers of 8 bits
        return np.frombuffer(values, kind.dtype)
    if kind.is_complex:
        return np.array(values, kind.real_dtype.dtype).view(kind.dtype)
    if kind.name == "string":
        found = np.empty(len(values), object)
        found[:] = values[:]
        return found
    # An `int_val` has 32 bits and is cut to the dtype's.
    return np.array(values, kind.dtype if kind.name in _FIELDS else np.int32).astype(kind.dtype)
