"""The contents of a checkpoint as TensorFlow's files: its object graph as a message, and its values by TensorFlow's names."""

import base64
import json
import os
import shutil
from pathlib import Path
from typing import Any

import numpy as np

from stratagem._base.errors import CheckpointError, OpError
from stratagem._base.files import sync
from stratagem._base.paths import is_remote
from stratagem._base.storage import copy_file
from stratagem._base.tensor_proto import CODES
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._graph import Node
from stratagem._checkpoints._manifest import name_unsaved
from stratagem._checkpoints._tensorflow_contents import ENDING, OBJECT_GRAPH, OWN_STATE, PYTHON_STATE, VALUE
from stratagem._checkpoints.tensorflow import Bundle, ObjectGraph, delete_bundle, write_bundle

_SLOT = "/.OPTIMIZER_SLOT/"


def write_tensorflow(path: str, contents: CheckpointContents) -> None:
    """Writes a checkpoint in TensorFlow's format; returns when it is on disk. Missing parents are created.

    Raises OSError when a file cannot be written, and CheckpointError for a value that TensorFlow has no dtype for; an earlier
    checkpoint of this path is then still there.
    """
    tensors = tensors_of(contents)
    try:
        if not is_remote(path):
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
        write_bundle(path, tensors)
    except OSError as error:
        name_unsaved(error, path)
        raise


def holds(path: str, contents: CheckpointContents) -> bool:
    """Returns whether an intact checkpoint at `path` has these contents."""
    try:
        bundle = Bundle(path)
        return bundle.holds(tensors_of(contents))
    except OpError:
        return False


def back_up(path: str, backup: str) -> None:
    """Keeps a checkpoint in a second place, by hard links if the file system has them."""
    delete_bundle(backup)
    for file in reversed(Bundle(path).files()):  # the table last
        copy = backup + file.removeprefix(path)
        if is_remote(path):
            copy_file(file, copy)
            continue
        try:
            os.link(file, copy)
        except OSError:
            shutil.copy2(file, copy)
            sync(Path(copy))
    if not is_remote(path):
        sync(Path(backup).parent)


def tensors_of(contents: CheckpointContents) -> dict[str, np.ndarray]:
    """The tensors of a checkpoint by name, its object graph among them if it has one.

    Raises CheckpointError for a dtype that TensorFlow does not have.
    """
    nodes = contents.nodes
    paths = _paths(nodes, contents)
    tensors: dict[str, np.ndarray] = {}
    graph = ObjectGraph()
    for node, path in zip(nodes, paths, strict=True):
        message = graph.nodes.add()
        for name, number in node.children.items():
            message.children.add(local_name=name, node_id=number)
        if node.kind == "variable":
            _attribute(message, VALUE, path, node.path)
            tensors[path + ENDING + VALUE] = _checked(node.path, np.asarray(contents.arrays[node.path]))
        elif node.kind == "state":
            name, tensor = _state(contents.states[node.path])
            _attribute(message, name, path, node.path)
            tensors[path + ENDING + name] = tensor
        elif node.kind == "named":
            tensors[node.path] = _checked(node.path, np.asarray(contents.arrays[node.path]))
    for optimizer, slots in contents.slots.items():
        for (original, name), slot in slots.items():
            graph.nodes[optimizer].slot_variables.add(
                original_variable_node_id=original, slot_name=name, slot_variable_node_id=slot
            )
    _mark_values(graph, nodes)
    if any(node.kind != "named" for node in nodes[1:]) or len(nodes) == 1:
        tensors[OBJECT_GRAPH] = _string(graph.SerializeToString(deterministic=True))
    return tensors


def _paths(nodes: list[Node], contents: CheckpointContents) -> list[str]:
    """The names of nodes in TensorFlow: the shortest paths; slots follow the variables that they belong to."""
    paths: dict[int, str] = {0: ""}
    queue = [0]
    for i in queue:  # the list grows while it is read
        for name, child in nodes[i].children.items():
            if child not in paths:
                label = name.replace(".", "..").replace("/", ".S")
                paths[child] = f"{paths[i]}/{label}" if paths[i] else label
                queue.append(child)
    for optimizer, slots in contents.slots.items():
        for (original, name), slot in slots.items():
            paths[slot] = f"{paths[original]}{_SLOT}{paths[optimizer]}/{name}"
    return [paths.get(i, "") for i in range(len(nodes))]


def _attribute(message: Any, name: str, path: str, full_name: str) -> None:
    message.attributes.add(name=name, full_name=full_name, checkpoint_key=path + ENDING + name)


def _mark_values(graph: Any, nodes: list[Node]) -> None:
    """Marks the objects from which an edge leads to a value: TensorFlow passes over the others."""
    leads = {i for i, message in enumerate(graph.nodes) if message.attributes or message.slot_variables}
    parents: dict[int, list[int]] = {}
    for i, node in enumerate(nodes):
        for child in node.children.values():
            parents.setdefault(child, []).append(i)
    queue = list(leads)
    while queue:
        new = set(parents.get(queue.pop(), ())) - leads
        leads |= new
        queue += new
    for i, message in enumerate(graph.nodes):
        message.has_checkpoint_values.value = i in leads


def _state(state: Any) -> tuple[str, np.ndarray]:
    """The attribute's name and value for an object's state: a PythonState's own bytes, JSON for others."""
    if isinstance(state, dict) and state.keys() == {"serialized"}:
        return PYTHON_STATE, _string(base64.b64decode(state["serialized"]))
    return OWN_STATE, _string(json.dumps(state).encode())


def _string(value: bytes) -> np.ndarray:
    tensor = np.empty((), object)
    tensor[()] = value
    return tensor


def _checked(path: str, array: np.ndarray) -> np.ndarray:
    if array.dtype != object and array.dtype.name not in CODES:
        raise CheckpointError(
            f"The value of {path} has dtype {array.dtype}, which TensorFlow's checkpoints cannot hold."
        )
    return array
