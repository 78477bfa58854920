"""Decodes tensors in strings: raw bytes, and TensorFlow's TensorProto."""

from typing import Any

import numpy as np
from google.protobuf.message import DecodeError

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.tensor_proto import CODES, TensorProto, serialized_tensor
from stratagem._base.types import DTypeLike
from stratagem._core.step import entrywise, host_function, of_asked_size
from stratagem._data.elements._nest import Array
from stratagem._data.files._host_tensor import numbers, on_host, text
from stratagem._ops import as_dtype, make_ndarray

_NAMES = {code: name for name, code in CODES.items()}


@exported("io.decode_raw", v1=())
@host_function
@entrywise
def decode_raw(
    input_bytes: Any,
    out_type: DTypeLike,
    little_endian: bool = True,
    fixed_length: Any = None,
    name: str | None = None,
) -> Any:
    """The bytes of strings as numbers of `out_type`, with one more dimension than `input_bytes`.

    little_endian: the byte order in the strings. fixed_length: truncate or zero-pad to this many bytes.

    Raises:
        InvalidArgumentError: the strings differ in length, or hold a partial number.
    """
    dtype = _numeric(out_type)
    array = text(input_bytes, "tf.io.decode_raw")
    rows: list[bytes] = array.ravel().tolist()
    size = len(rows[0]) if rows else 0
    if fixed_length is not None:
        size = int(fixed_length)
        if size <= 0 or size % dtype.itemsize:
            raise InvalidArgumentError(
                f"fixed_length ({size}) must be a positive multiple of the size of out_type ({dtype.itemsize})"
            )
        rows = [row[:size].ljust(size, b"\0") for row in rows]
    for i, row in enumerate(rows):
        if len(row) != size:
            raise InvalidArgumentError(
                f"DecodeRaw requires input strings to all be the same size, but element {i} has size {len(row)} != {size}"
            )
    if size % dtype.itemsize:
        raise InvalidArgumentError(
            f"Input to DecodeRaw has length {size} that is not a multiple of {dtype.itemsize}, the size of {dtype.name}"
        )
    found = np.frombuffer(rows[0] if len(rows) == 1 else b"".join(rows), dtype)
    if not little_endian and dtype.itemsize > 1:
        found = found.byteswap()
    found = found.reshape(*array.shape, size // dtype.itemsize)
    return numbers(found if fixed_length is not None else of_asked_size(found, [array.ndim]))


@exported("io.serialize_tensor", v1=["serialize_tensor", "io.serialize_tensor"])
@host_function
def serialize_tensor(tensor: Any, name: str | None = None) -> Array:
    """A tensor as a scalar string: a TensorProto, which TensorFlow's `parse_tensor` accepts as well."""
    array = on_host(tensor, "tf.io.serialize_tensor")
    result = np.empty((), object)
    result[()] = serialized_tensor(array)
    return numbers(result)


@exported("io.parse_tensor", v1=["parse_tensor", "io.parse_tensor"])
@host_function
def parse_tensor(serialized: Any, out_type: DTypeLike, name: str | None = None) -> Any:
    """The tensor in a serialized TensorProto.

    Raises:
        InvalidArgumentError: invalid data, another type, or a number of values that does not fit the shape.
    """
    data = text(serialized, "tf.io.parse_tensor").item()
    wanted = as_dtype(out_type)
    try:
        message = TensorProto.FromString(data)
    except DecodeError as error:
        raise InvalidArgumentError(f"Could not parse `serialized` as TensorProto: {data[:40]!r}") from error
    found = _NAMES.get(message.dtype)
    if found is None:
        raise InvalidArgumentError(f"Cannot parse tensor from proto: its type {message.dtype} is not known.")
    if found != wanted.name:
        raise InvalidArgumentError(f"Type mismatch between parsed tensor ({found}) and dtype ({wanted.name})")
    try:
        return numbers(make_ndarray(message))
    except ValueError as error:
        raise InvalidArgumentError(
            f"Cannot parse tensor from proto: {error} Write it with tf.io.serialize_tensor or tf.make_tensor_proto."
        ) from error


def _numeric(out_type: Any) -> np.dtype[Any]:
    dtype = as_dtype(out_type).dtype
    if dtype.kind == "O":
        raise InvalidArgumentError("decode_raw gives numbers, and out_type is string.")
    return dtype
