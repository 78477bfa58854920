"""The proto messages of TensorFlow checkpoints: the entries of their tables, and the graph of their objects.

Their descriptor lives in a pool of its own, because an installed TensorFlow registers the same names in the default pool.
"""

from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

_Field = descriptor_pb2.FieldDescriptorProto
_SCALARS = {
    "string": _Field.TYPE_STRING,
    "int32": _Field.TYPE_INT32,
    "int64": _Field.TYPE_INT64,
    "fixed32": _Field.TYPE_FIXED32,
    "bool": _Field.TYPE_BOOL,
}

# By message, its fields: name, number and type, with a star if it is repeated. All other fields stay unknown fields.
_MESSAGES = {
    "Version": [("producer", 1, "int32"), ("min_consumer", 2, "int32")],
    "Header": [("num_shards", 1, "int32"), ("endianness", 2, "int32"), ("version", 3, "Version")],
    "Dim": [("size", 1, "int64")],
    "Shape": [("dim", 2, "Dim*"), ("unknown_rank", 3, "bool")],
    # A length that is absent means the whole dimension; it is in a oneof of TensorFlow's, which reads and writes alike.
    "Extent": [("start", 1, "int64"), ("length", 2, "int64?")],
    "Slice": [("extent", 1, "Extent*")],
    "Entry": [
        ("dtype", 1, "int32"), ("shape", 2, "Shape"), ("shard_id", 3, "int32"), ("offset", 4, "int64"), ("size", 5, "int64"),
        ("crc32c", 6, "fixed32"), ("slices", 7, "Slice*"),
    ],
    "Child": [("node_id", 1, "int32"), ("local_name", 2, "string")],
    "Attribute": [("name", 1, "string"), ("full_name", 2, "string"), ("checkpoint_key", 3, "string")],
    "SlotVariable": [
        ("original_variable_node_id", 1, "int32"), ("slot_name", 2, "string"), ("slot_variable_node_id", 3, "int32"),
    ],
    "BoolValue": [("value", 1, "bool")],
    "Object": [
        ("children", 1, "Child*"), ("attributes", 2, "Attribute*"), ("slot_variables", 3, "SlotVariable*"),
        ("has_checkpoint_values", 5, "BoolValue"),
    ],
    "ObjectGraph": [("nodes", 1, "Object*")],
}  # fmt: skip


def _file() -> descriptor_pb2.FileDescriptorProto:
    file = descriptor_pb2.FileDescriptorProto(name="stratagem/checkpoint.proto", package="stratagem", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, written in fields:
            kind = written.rstrip("*?")
            made = message.field.add(name=field, number=number)
            made.label = _Field.LABEL_REPEATED if written.endswith("*") else _Field.LABEL_OPTIONAL
            if written.endswith("?"):
                made.proto3_optional, made.oneof_index = True, len(message.oneof_decl)
                message.oneof_decl.add(name=f"_{field}")
            made.type = _SCALARS.get(kind, _Field.TYPE_MESSAGE)
            if kind not in _SCALARS:
                made.type_name = f".stratagem.{kind}"
    return file


_pool = descriptor_pool.DescriptorPool()
_pool.AddSerializedFile(_file().SerializeToString())


def _message(name: str) -> Any:
    return message_factory.GetMessageClass(_pool.FindMessageTypeByName(f"stratagem.{name}"))


# The value of the table's key "", that of every other key, and that of the tensor `_CHECKPOINTABLE_OBJECT_GRAPH`.
Header: Any = _message("Header")
Entry: Any = _message("Entry")
ObjectGraph: Any = _message("ObjectGraph")
