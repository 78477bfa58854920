"""Renamed graphs: a checkpoint of this library with the edges that Keras 2 gives its graph, found from the graph alone.

`_keras_two` does the same for living objects. Without them the classes are unknown, so edges that more than one class may
have are added, not exchanged: an edge that leads nowhere in the reader's objects is passed over.

| here | added, or in its place |
|---|---|
| `layers/N` | `layer_with_weights-M`, for those that have variables below them |
| an optimizer's `iterations`, `momentums` … | `_variables/N`, `_iterations`, and its slots by the names in `SLOTS` |
| `adapt_mean`, `adapt_variance`; `kernel` of three dimensions or more | `mean`, `variance`; also `depthwise_kernel` |
| `name` | also `_name`, since leading underscores are left out here |
| states of seed generators | nothing: TensorFlow has no place for them |
"""

from dataclasses import dataclass, replace
from typing import final

import numpy as np

from stratagem._checkpoints._contents import CheckpointContents, Stored
from stratagem._checkpoints._graph import Node
from stratagem._checkpoints._keras_two import SLOTS, WRITTEN, OptimizerSlot, in_order_of_making
from stratagem._checkpoints._naming import OWN

_RENAMED = {"adapt_mean": "mean", "adapt_variance": "variance"}
_AVERAGES = "model_variables_moving_average"
_SEED = ((2,), np.dtype("uint32"))  # the shape and the dtype of a seed generator's state


@final
@dataclass(frozen=True)
class Renamed:
    """Contents with Keras 2's edges. left_out: the paths of values that have no place there."""

    contents: CheckpointContents
    left_out: list[str]


def renamed(contents: CheckpointContents) -> Renamed:
    """The contents of any checkpoint with Keras 2's edges; those of one that has them, or has no graph, are as they were."""
    if contents.naming is not OWN or all(node.kind == "named" for node in contents.nodes[1:]):
        return Renamed(replace(contents, naming=WRITTEN), [])
    return _Renaming(contents).result()


class _Renaming:
    """One conversion; nodes keep their numbers until the end."""

    def __init__(self, contents: CheckpointContents) -> None:
        self._contents = contents
        self._arrays: dict[str, Stored] = dict(contents.arrays)
        self._added: list[Node] = []

    def result(self) -> Renamed:
        nodes = self._contents.nodes
        seeds = {i for i in range(len(nodes)) if self._is_seed(i)}
        states = {child for i in seeds for child in nodes[i].children.values()}
        self._valued = self._with_variables(seeds | states)
        edges = [self._edges(node) for node in nodes]
        edges += [node.children for node in self._added]
        kept = [i for i in range(len(edges)) if i not in seeds | states]
        number = {old: new for new, old in enumerate(kept)}
        made = [
            replace(node, children={name: number[c] for name, c in edges[i].items() if c in number})
            for i, node in enumerate([*nodes, *self._added])
            if i in number
        ]
        left_out = [nodes[i].path for i in sorted(states)]
        for path in left_out:
            del self._arrays[path]
        return Renamed(replace(self._contents, nodes=made, arrays=self._arrays, naming=WRITTEN), left_out)

    def _is_seed(self, number: int) -> bool:
        node = self._contents.nodes[number]
        state = self._array(node, "state")
        return node.children.keys() == {"state"} and state is not None and (state.shape, state.dtype) == _SEED

    def _array(self, node: Node, name: str) -> Stored | None:
        """The value of the variable that an edge leads to."""
        child = self._contents.nodes[node.children[name]] if name in node.children else None
        return None if child is None or child.kind != "variable" else self._contents.arrays[child.path]

    def _with_variables(self, seeds: set[int]) -> set[int]:
        """The nodes from which an edge leads to a variable, or that are one."""
        parents: dict[int, list[int]] = {}
        for i, node in enumerate(self._contents.nodes):
            for child in node.children.values():
                parents.setdefault(child, []).append(i)
        found = {i for i, node in enumerate(self._contents.nodes) if node.kind == "variable" and i not in seeds}
        queue = list(found)
        while queue:
            new = set(parents.get(queue.pop(), ())) - found
            found |= new
            queue += new
        return found

    def _edges(self, node: Node) -> dict[str, int]:
        iterations = self._array(node, "iterations")
        if iterations is not None and iterations.shape == () and iterations.dtype.kind in "iu":
            return self._optimizer(node)
        edges: dict[str, int] = {}
        for name, child in node.children.items():
            if name == "layers":
                edges |= self._layers(child)
            edges[_RENAMED.get(name, name)] = child
        kernel = self._array(node, "kernel")
        if kernel is not None and len(kernel.shape) > 2:
            edges["depthwise_kernel"] = node.children["kernel"]
        if "adapt_mean" in node.children:
            self._widen(node, "count")
        return edges | _underscored(edges)

    def _layers(self, number: int) -> dict[str, int]:
        layers = self._contents.nodes[number].children
        if not all(name.isdecimal() for name in layers):
            return {}
        weighted = [layers[name] for name in sorted(layers, key=int) if layers[name] in self._valued]
        return {f"layer_with_weights-{i}": layer for i, layer in enumerate(weighted)}

    def _optimizer(self, node: Node) -> dict[str, int]:
        self._widen(node, "iterations")
        nodes, parts = self._contents.nodes, node.children
        lists = [name for name, c in parts.items() if nodes[c].kind == "object" and _is_list(nodes[c])]
        slots = _slots(lists)
        made = in_order_of_making([(slot, self._in_order(parts[name])) for name, slot in slots.items()])
        averages = self._in_order(parts[_AVERAGES]) if _AVERAGES in parts else []
        ordered = [parts["iterations"], *averages, *(slot for slot in made if not self._is_number(slot))]
        self._added.append(
            Node(path=f"{node.path}/_variables", kind="object", children={str(i): n for i, n in enumerate(ordered)})
        )
        edges = {"_variables": len(nodes) + len(self._added) - 1, "_iterations": parts["iterations"]}
        if "learning_rate" in parts:
            edges["_learning_rate"] = parts["learning_rate"]
        edges |= {slot.keras_two: parts[name] for name, slot in slots.items()}
        others = {name: c for name, c in parts.items() if name not in ("iterations", "learning_rate", *slots)}
        return edges | others | _underscored(others)

    def _is_number(self, number: int) -> bool:
        """Returns whether a slot is a number: it stands where a variable has none of its kind."""
        array = self._arrays.get(self._contents.nodes[number].path)
        return array is not None and array.shape == ()

    def _in_order(self, number: int) -> list[int]:
        children = self._contents.nodes[number].children
        return [children[name] for name in sorted(children, key=int)]

    def _widen(self, node: Node, name: str) -> None:
        """Gives a count the 64 bits that it has in TensorFlow."""
        array = self._array(node, name)
        if array is not None and array.dtype == np.int32 and array.shape == ():
            path = self._contents.nodes[node.children[name]].path
            self._arrays[path] = np.asarray(array).astype(np.int64)


def _is_list(node: Node) -> bool:
    return bool(node.children) and all(name.isdecimal() for name in node.children)


def _slots(lists: list[str]) -> dict[str, OptimizerSlot]:
    """The kinds of slots in these lists of an optimizer, by the names of the lists, in the order in which they are made.

    An optimizer is recognised by the order of its lists; of those with the same, the one with the fewest kinds counts.
    """
    found: dict[str, OptimizerSlot] = {}
    for _, slots in sorted(SLOTS, key=lambda kind: len(kind[1])):
        kinds = {slot.own.lstrip("_"): slot for slot in slots}
        known = [name for name in kinds if name in lists]
        if len(known) > len(found) and known == [name for name in lists if name in kinds]:
            found = {name: kinds[name] for name in known}
    return found


def _underscored(edges: dict[str, int]) -> dict[str, int]:
    """The same edges by names with an underscore, where these are free."""
    named = {name: child for name, child in edges.items() if not name.isdecimal() and "-" not in name}
    return {f"_{name}": child for name, child in named.items() if not name.startswith("_") and f"_{name}" not in edges}
