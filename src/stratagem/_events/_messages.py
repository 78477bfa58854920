"""The protobuf messages of an event file, with the field numbers of TensorFlow's event.proto and summary.proto.

Only the fields that are written are declared. Tensors arrive serialized, so their field is bytes here (the wire format is
the same).
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_PACKAGE = "stratagem"
_TYPES = {
    "double": _Field.TYPE_DOUBLE,
    "int64": _Field.TYPE_INT64,
    "string": _Field.TYPE_STRING,
    "bytes": _Field.TYPE_BYTES,
    "float": _Field.TYPE_FLOAT,
}
# Fields by message: name, number, type. A star marks a repeated field, a bar the members of a oneof.
_MESSAGES = {
    "SourceMetadata": [("writer", 1, "string")],
    "PluginData": [("plugin_name", 1, "string"), ("content", 2, "bytes")],
    "SummaryMetadata": [
        ("plugin_data", 1, "PluginData"),
        ("display_name", 2, "string"),
        ("summary_description", 3, "string"),
    ],
    "Value": [("tag", 1, "string"), ("simple_value", 2, "float|"), ("tensor", 8, "bytes|"), ("metadata", 9, "bytes")],
    "Summary": [("value", 1, "Value*")],
    "Event": [
        ("wall_time", 1, "double"),
        ("step", 2, "int64"),
        ("file_version", 3, "string"),
        ("summary", 5, "bytes"),
        ("source_metadata", 10, "SourceMetadata"),
    ],
}


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="stratagem/event.proto", package=_PACKAGE, syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field_name, number, kind in fields:
            label, bare = _Field.LABEL_REPEATED if kind.endswith("*") else _Field.LABEL_OPTIONAL, kind.rstrip("*|")
            field = message.field.add(name=field_name, number=number, label=label)
            field.type = _TYPES.get(bare, _Field.TYPE_MESSAGE)
            if bare not in _TYPES:
                field.type_name = f".{_PACKAGE}.{bare}"
            if kind.endswith("|"):
                field.oneof_index = 0
        if any(kind.endswith("|") for _, _, kind in fields):
            message.oneof_decl.add(name="one_of_them")
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_file().SerializeToString())


def _class(name: str) -> Any:
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"{_PACKAGE}.{name}"))


Event = _class("Event")
Summary = _class("Summary")
SummaryMetadata = _class("SummaryMetadata")
