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
    "float8_e5m2": 24, "float8_e4m3fn": 25, "int4": 29, "uint4": 30,
}  # fmt: skip


_CALLED = {"float32": "FLOAT", "float64": "DOUBLE", "float16": "HALF"}  # those that TensorFlow calls otherwise
# The fields that may hold a tensor's values one by one.
_VALUES = {
    "float_val": (5, _Field.TYPE_FLOAT), "double_val": (6, _Field.TYPE_DOUBLE), "int_val": (7, _Field.TYPE_INT32),
    "string_val": (8, _Field.TYPE_BYTES), "scomplex_val": (9, _Field.TYPE_FLOAT), "int64_val": (10, _Field.TYPE_INT64),
    "bool_val": (11, _Field.TYPE_BOOL), "dcomplex_val": (12, _Field.TYPE_DOUBLE), "half_val": (13, _Field.TYPE_INT32),
    "uint32_val": (16, _Field.TYPE_UINT32), "uint64_val": (17, _Field.TYPE_UINT64),
}  # fmt: skip


def _file() -> descriptor_pb2.FileDescriptorProto:
    """The part of TensorProto that holds tensors of these dtypes; all other fields stay unknown fields."""
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
    kinds = file.enum_type.add(name="DataType")
    kinds.value.add(name="DT_INVALID", number=0)
    for name, code in CODES.items():
        kinds.value.add(name=f"DT_{_CALLED.get(name, name.upper())}", number=code)
    tensor = file.message_type.add(name="TensorProto")
    tensor.field.add(
        name="dtype", number=1, label=_Field.LABEL_OPTIONAL, type=_Field.TYPE_ENUM, type_name=".tensorflow.DataType"
    )
    tensor.field.add(
        name="tensor_shape",
        number=2,
        label=_Field.LABEL_OPTIONAL,
        type=_Field.TYPE_MESSAGE,
        type_name=".tensorflow.TensorShapeProto",
    )
    tensor.field.add(name="tensor_content", number=4, label=_Field.LABEL_OPTIONAL, type=_Field.TYPE_BYTES)
    for name, (number, kind) in _VALUES.items():
        tensor.field.add(name=name, number=number, label=_Field.LABEL_REPEATED, type=kind)
    tensor.field.add(name="float8_val", number=18, label=_Field.LABEL_OPTIONAL, type=_Field.TYPE_BYTES)
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
