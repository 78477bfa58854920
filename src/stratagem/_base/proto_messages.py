"""Classes of protobuf messages, made of tables of their fields.

Their descriptors live in pools of their own, because an installed TensorFlow registers the same names in the default pool.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "stratagem"
_SCALARS = {
    "bool": _Field.TYPE_BOOL,
    "bytes": _Field.TYPE_BYTES,
    "double": _Field.TYPE_DOUBLE,
    "fixed32": _Field.TYPE_FIXED32,
    "float": _Field.TYPE_FLOAT,
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "string": _Field.TYPE_STRING,
}

# The fields of a message: name, number, and type, a scalar or another message of the table. After the type, a star marks a
# repeated field, a bar the members of the message's oneof, a question mark a field whose absence is told apart from zero.
Fields = Sequence[tuple[str, int, str]]

# A class that protobuf makes, of which a type checker knows nothing.
MessageClass: TypeAlias = Any


def message_classes(file: str, messages: Mapping[str, Fields]) -> dict[str, MessageClass]:
    """Returns a class for each message, by name. Fields that a table leaves out stay unknown fields. file: for protobuf."""
    described = descriptor_pb2.FileDescriptorProto(name=f"{_PACKAGE}/{file}", package=_PACKAGE, syntax="proto3")
    for name, fields in messages.items():
        _describe(described.message_type.add(name=name), fields)
    pool = descriptor_pool.DescriptorPool()
    pool.AddSerializedFile(described.SerializeToString())
    found = {name: pool.FindMessageTypeByName(f"{_PACKAGE}.{name}") for name in messages}
    return {name: message_factory.GetMessageClass(descriptor) for name, descriptor in found.items()}


def _describe(message: Any, fields: Fields) -> None:
    if any(written.endswith("|") for _, _, written in fields):
        message.oneof_decl.add(name="one_of_them")
    for name, number, written in fields:
        kind, mark = written.rstrip("*|?"), written[-1]
        made = message.field.add(name=name, number=number)
        made.label = _Field.LABEL_REPEATED if mark == "*" else _Field.LABEL_OPTIONAL
        made.type = _SCALARS.get(kind, _Field.TYPE_MESSAGE)
        if kind not in _SCALARS:
            made.type_name = f".{_PACKAGE}.{kind}"
        if mark == "|":
            made.oneof_index = 0
        elif mark == "?":  # proto3 knows this as a oneof of one field
            made.proto3_optional, made.oneof_index = True, len(message.oneof_decl)
            message.oneof_decl.add(name=f"_{name}")
