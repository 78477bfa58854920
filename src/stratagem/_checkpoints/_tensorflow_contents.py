"""A TensorFlow checkpoint as the contents of one of this library: its object graph, or its variables by name."""

import base64
import json
from collections.abc import Iterator
from typing import Any

from google.protobuf.message import DecodeError

from stratagem._checkpoints._contents import CheckpointContents, Stored
from stratagem._checkpoints._graph import Node
from stratagem._checkpoints._keras_two import READ
from stratagem._checkpoints.tensorflow import Bundle, ObjectGraph, StoredTensor, damage
from stratagem._ops.lookup import encoded_array

OBJECT_GRAPH = "_CHECKPOINTABLE_OBJECT_GRAPH"
ENDING = "/.ATTRIBUTES/"
VALUE = "VARIABLE_VALUE"
PYTHON_STATE = "py_state"
TABLE = "table"  # of a look-up table, whose keys and values are two tensors
OWN_STATE = "STRATAGEM_STATE"  # JSON, of objects that TensorFlow does not know
_LONGEST_PATH = 1 << 12  # characters, in messages
_CONFIGURATION = "OBJECT_CONFIG_JSON"  # of layers, which old versions kept in checkpoints


def tensorflow_contents(path: str) -> CheckpointContents:
    """The contents of the checkpoint with this prefix, every byte of which has been compared with its checksum.

    Raises NotFoundError without one, DataLossError for a damaged one, UnimplementedError for what no array can hold.
    """
    bundle = Bundle(path)
    bundle.verify()
    if OBJECT_GRAPH in bundle.facts:
        return _GraphReader(bundle).contents()
    named = [Node(path=name, kind="named", children={}) for name in bundle.facts]
    arrays: dict[str, Stored] = {name: StoredTensor(bundle, name) for name in bundle.facts}
    return CheckpointContents(
        nodes=[Node(path="", kind="object", children={}), *named], arrays=arrays, states={}, naming=READ
    )


class _GraphReader:
    """The object graph of one checkpoint."""

    def __init__(self, bundle: Bundle) -> None:
        self._bundle = bundle
        self._messages = self._parsed()
        self._arrays: dict[str, Stored] = {}
        self._states: dict[str, Any] = {}

    def contents(self) -> CheckpointContents:
        """The contents of the checkpoint. Raises DataLossError for a graph that none has."""
        paths = self._paths()
        nodes = [self._node(i, message, paths) for i, message in enumerate(self._messages)]
        return CheckpointContents(
            nodes=nodes,
            arrays=self._arrays,
            states=self._states,
            naming=READ,
            slots={i: dict(self._slots(message)) for i, message in enumerate(self._messages) if message.slot_variables},
        )

    def _parsed(self) -> list[Any]:
        serialized = self._bundle.read(OBJECT_GRAPH)
        graph = ObjectGraph()
        try:
            graph.ParseFromString(serialized.item())
        except (DecodeError, ValueError, TypeError) as error:
            raise damage(self._bundle.index, f"its object graph cannot be read: {error}") from error
        if not graph.nodes:
            raise damage(self._bundle.index, "its object graph is empty")
        return list(graph.nodes)

    def _paths(self) -> dict[int, str]:
        """The shortest path of every object from the root."""
        paths = {0: ""}
        queue = [0]
        for i in queue:  # the list grows while it is read
            for child in self._messages[i].children:
                number = self._checked(child.node_id)
                if number not in paths:
                    paths[number] = f"{paths[i]}/{child.local_name}".lstrip("/")[:_LONGEST_PATH]
                    queue.append(number)
        return paths

    def _node(self, number: int, message: Any, paths: dict[int, str]) -> Node:
        path, kind = paths.get(number, ""), "object"
        for attribute in message.attributes:
            key = attribute.checkpoint_key
            if attribute.name == TABLE and self._has_table(key):
                if self._bundle.facts[f"{key}-keys"].count:  # tables of look-up layers have none
                    path, kind = self._free(key.removesuffix(ENDING + TABLE)), "state"
                    keys, values = (self._bundle.read(f"{key}-{part}") for part in ("keys", "values"))
                    self._states[path] = {"keys": encoded_array(keys), "values": encoded_array(values)}
                continue
            fact = self._bundle.facts.get(key)
            if fact is None:
                raise damage(self._bundle.index, f"{key} is in its object graph, and has no value")
            if attribute.name == VALUE:
                path, kind = self._free(key.removesuffix(ENDING + VALUE)), "variable"
                self._arrays[path] = StoredTensor(self._bundle, key)
            elif attribute.name == PYTHON_STATE and fact.is_text and fact.count == 1:
                path, kind = self._free(key.removesuffix(ENDING + PYTHON_STATE)), "state"
                state = self._bundle.read(key).item()
                self._states[path] = {"serialized": base64.b64encode(state).decode("ascii")}
            elif attribute.name == OWN_STATE and fact.is_text and fact.count == 1:
                path, kind = self._free(key.removesuffix(ENDING + OWN_STATE)), "state"
                self._states[path] = self._json(key)
            elif attribute.name != _CONFIGURATION:
                path, kind = key, "unknown"
        return Node(path=path, kind=kind, children={child.local_name: child.node_id for child in message.children})

    def _has_table(self, key: str) -> bool:
        return {f"{key}-keys", f"{key}-values"} <= self._bundle.facts.keys()

    def _json(self, key: str) -> Any:
        try:
            return json.loads(self._bundle.read(key).item())
        except (ValueError, RecursionError) as error:
            raise damage(self._bundle.index, f"{key} is no JSON: {error}") from error

    def _free(self, path: str) -> str:
        """The path, or one like it that no other value has."""
        while path in self._arrays or path in self._states:
            path += "'"
        return path

    def _slots(self, message: Any) -> Iterator[tuple[tuple[int, str], int]]:
        for slot in message.slot_variables:
            original, node = self._checked(slot.original_variable_node_id), self._checked(slot.slot_variable_node_id)
            yield (original, slot.slot_name), node

    def _checked(self, number: int) -> int:
        if not 0 <= number < len(self._messages):
            raise damage(self._bundle.index, f"its object graph has no object {number}")
        return number
