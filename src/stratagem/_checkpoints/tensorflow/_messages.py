"""The proto messages of TensorFlow checkpoints: the entries of their tables, and the graph of their objects."""

from typing import Any

from stratagem._base.proto_messages import message_classes

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

_classes = message_classes("checkpoint.proto", _MESSAGES)

# The value of the table's key "", that of every other key, and that of the tensor `_CHECKPOINTABLE_OBJECT_GRAPH`.
Header: Any = _classes["Header"]
Entry: Any = _classes["Entry"]
ObjectGraph: Any = _classes["ObjectGraph"]
