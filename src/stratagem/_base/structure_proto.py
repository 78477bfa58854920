"""The proto messages with which TensorFlow describes a saved dataset: the structure of its elements, and where they are.

Their descriptor lives in a pool of its own, because an installed TensorFlow registers the same names in the default pool.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "bytes": _Field.TYPE_BYTES,
    "string": _Field.TYPE_STRING,
    "int64": _Field.TYPE_INT64,
    "bool": _Field.TYPE_BOOL,
}

# By message, its fields: name, number and type, with a star if it is repeated. All other fields stay unknown fields.
_MESSAGES = {
    "Dim": [("size", 1, "int64")],
    "Shape": [("dim", 2, "Dim*"), ("unknown_rank", 3, "bool")],
    "TensorSpec": [("name", 1, "string"), ("shape", 2, "Shape"), ("dtype", 3, "int64")],
    "Pair": [("key", 1, "string"), ("value", 2, "Structure")],
    "Sequence": [("values", 1, "Structure*")],
    "Dict": [("fields", 1, "Pair*")],
    "NamedTuple": [("name", 1, "string"), ("values", 2, "Pair*")],
    "Structure": [
        ("tensor_spec", 33, "TensorSpec"), ("list", 51, "Sequence"), ("tuple", 52, "Sequence"), ("dict", 53, "Dict"),
        ("named_tuple", 54, "NamedTuple"), ("none", 1, "Sequence"),
    ],
    "Metadata": [("run_id", 2, "string"), ("num_elements", 6, "int64"), ("finalized", 1000, "bool")],
}  # fmt: skip


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="stratagem/structure.proto", package="stratagem", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, written in fields:
            kind = written.removesuffix("*")
            label = _Field.LABEL_REPEATED if kind != written else _Field.LABEL_OPTIONAL
            if kind in _SCALARS:
                message.field.add(name=field, number=number, label=label, type=_SCALARS[kind])
            else:
                message.field.add(
                    name=field, number=number, label=label, type=_Field.TYPE_MESSAGE, type_name=f".stratagem.{kind}"
                )
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_file().SerializeToString())

# The structure of elements (`dataset_spec.pb`), and the description of the files beside it (`snapshot.metadata`).
Structure: Any = message_factory.GetMessageClass(_pool.FindMessageTypeByName("stratagem.Structure"))
Metadata: Any = message_factory.GetMessageClass(_pool.FindMessageTypeByName("stratagem.Metadata"))
