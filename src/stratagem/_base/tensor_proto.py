"""TensorFlow's TensorProto: a tensor as a protobuf message.

Its descriptor lives in a pool of its own, because an installed TensorFlow registers the same names in the default pool.
"""

from typing import Any

import numpy as np
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto

# TensorFlow's numbers for dtypes (`DataType`).
CODES = {
    "float32": 1, "float64": 2, "int32": 3, "uint8": 4, "int16": 5, "int8": 6, "string": 7, "complex64": 8, "int64": 9,
    "bool": 10, "bfloat16": 14, "uint16": 17, "complex128": 18, "float16": 19, "uint32": 22, "uint64": 23,
}  # fmt: skip


def _file() -> descriptor_pb2.FileDescriptorProto:
    """The part of TensorProto that serialized tensors use; all other fields stay unknown fields."""
    file = descriptor_pb2.FileDescriptorProto(name="stratagem/tensor.proto", package="tensorflow", syntax="proto3")
    shape = file.message_type.add(name="TensorShapeProto")
    dim = shape.nested_type.add(name="Dim")
    dim.field.add(name="size", number=1, label=_Field.LABEL_OPTIONAL, type=_Field.TYPE_INT64)
    shape.field.add(
        name="dim",
        number=2,
        label=_Field.LABEL_REPEATED,
        type=_Field.TYPE_MESSAGE,
        type_name=".tensorflow.TensorShapeProto.Dim",
    )
    tensor = file.message_type.add(name="TensorProto")
    tensor.field.add(name="dtype", number=1, label=_Field.LABEL_OPTIONAL, type=_Field.TYPE_INT32)
    tensor.field.add(
        name="tensor_shape",
        number=2,
        label=_Field.LABEL_OPTIONAL,
        type=_Field.TYPE_MESSAGE,
        type_name=".tensorflow.TensorShapeProto",
    )
    tensor.field.add(name="tensor_content", number=4, label=_Field.LABEL_OPTIONAL, type=_Field.TYPE_BYTES)
    tensor.field.add(name="string_val", number=8, label=_Field.LABEL_REPEATED, type=_Field.TYPE_BYTES)
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_file().SerializeToString())
TensorProto: Any = message_factory.GetMessageClass(_pool.FindMessageTypeByName("tensorflow.TensorProto"))


def serialized_tensor(array: np.ndarray) -> bytes:
    """Serializes an array as a TensorProto. Its dtype is one of CODES; strings are bytes objects in an array of objects."""
    strings = array.dtype == object
    message = TensorProto(dtype=CODES["string" if strings else array.dtype.name])
    message.tensor_shape.SetInParent()
    for size in array.shape:
        message.tensor_shape.dim.add(size=size)
    if strings:
        message.string_val.extend(array.ravel().tolist())
    else:
        message.tensor_content = np.ascontiguousarray(array).tobytes()
    return bytes(message.SerializeToString())
