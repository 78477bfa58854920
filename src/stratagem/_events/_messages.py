"""The protobuf messages of an event file, with the field numbers of TensorFlow's event.proto and summary.proto.

Only the fields that are written are declared. Tensors arrive serialized, so their field is bytes here (the wire format is
the same).
"""

from typing import Any

from stratagem._base.proto_messages import message_classes

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

_classes = message_classes("event.proto", _MESSAGES)

Event: Any = _classes["Event"]
SummaryMessage: Any = _classes["Summary"]
SummaryMetadata: Any = _classes["SummaryMetadata"]
SummaryValue: Any = _classes["Value"]
