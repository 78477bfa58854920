"""The proto messages with which TensorFlow describes a saved dataset: the structure of its elements, and where they are."""

from typing import Any

from stratagem._base.proto_messages import message_classes

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

_classes = message_classes("structure.proto", _MESSAGES)

# The structure of elements (`dataset_spec.pb`), and the description of the files beside it (`snapshot.metadata`).
Structure: Any = _classes["Structure"]
Metadata: Any = _classes["Metadata"]
