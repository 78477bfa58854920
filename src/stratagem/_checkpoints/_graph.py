"""The object graph: converts Python objects to named nodes, saved beside the arrays and matched edge by edge when restored."""

import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import quote

from stratagem._checkpoints._children import is_savable, is_stateful, is_variable, parts_of
from stratagem._checkpoints._naming import Naming
from stratagem._checkpoints._special_parts import HostArray


@dataclass(frozen=True, kw_only=True)
class Node:
    """One object in a checkpoint.

    path: the shortest path from the root, and the key of a variable's array. kind: `variable`, `named` (a variable that
    is matched by name, not by its place in the graph), `state` (from `get_state`), `object`, or
        `unknown` (a value in a TensorFlow checkpoint for which there is no kind of object here).
    children: part name → index of its node.
    """

    path: str
    kind: str
    children: dict[str, int]

    @property
    def has_value(self) -> bool:
        """True if the node holds a value to restore, and is not only passed through."""
        return self.kind in ("variable", "state", "unknown")


@dataclass(kw_only=True)
class LiveNode:
    """One living object, with the same fields as its node."""

    value: Any
    path: str
    children: dict[str, int] = field(default_factory=dict)

    @property
    def kind(self) -> str:
        """The same as `Node.kind`."""
        if is_variable(self.value) or isinstance(self.value, HostArray):
            return "variable"
        return "state" if is_stateful(self.value) else "object"


def survey(root: Any, path: str = "", parts: Callable[[Any], dict[str, Any]] = parts_of) -> list[LiveNode]:
    """All objects reachable from `root`, breadth first, the root first; objects that hold nothing savable are left out.

    parts: names the parts of an object.
    """
    found = [LiveNode(value=root, path=path)]
    index = {id(root): 0}
    for live in found:  # the list grows while it is read
        for name, part in parts(live.value).items():
            if id(part) not in index:
                index[id(part)] = len(found)
                label = _label(name)
                found.append(LiveNode(value=part, path=f"{live.path}/{label}" if live.path else label))
            live.children[name] = index[id(part)]
    return _without_empty(found)


@functools.lru_cache(maxsize=4096)  # the same few names in every layer
def _label(name: str) -> str:
    """The name of a part as it is in a path."""
    return quote(name, safe=" !#$&'()*+,:;=?@[]|<>")


def _without_empty(found: list[LiveNode]) -> list[LiveNode]:
    """Removes containers and plain objects that lead to nothing savable."""
    parents: dict[int, list[int]] = {}
    for i, live in enumerate(found):
        for child in live.children.values():
            parents.setdefault(child, []).append(i)
    needed = {0} | {i for i, live in enumerate(found) if is_savable(live.value)}
    queue = list(needed)
    while queue:
        new = set(parents.get(queue.pop(), ())) - needed
        needed |= new
        queue += new
    position = {old: new for new, old in enumerate(sorted(needed))}
    for old in needed:
        found[old].children = {n: position[c] for n, c in found[old].children.items() if c in needed}
    return [found[old] for old in sorted(needed)]


def add_slots(found: list[LiveNode], naming: Naming) -> dict[int, dict[tuple[int, str], int]]:
    """Adds the slots of optimizers that no edge leads to, and returns them by optimizer, variable and name."""
    index = {id(live.value): i for i, live in enumerate(found)}
    slots: dict[int, dict[tuple[int, str], int]] = {}
    for i, live in enumerate([*found]):
        for name, variable, slot in naming.slots(live.value):
            if id(slot) not in index and id(variable) in index:
                original = index[id(variable)]
                index[id(slot)] = len(found)
                found.append(LiveNode(value=slot, path=f"{found[original].path}/{live.path}/{name}"))
                slots.setdefault(i, {})[original, name] = index[id(slot)]
    return slots


def nodes_of(found: list[LiveNode]) -> list[Node]:
    """The saved form of a survey."""
    return [Node(path=live.path, kind=live.kind, children=dict(live.children)) for live in found]


def bind(found: list[LiveNode], nodes: list[Node], start: int = 0) -> dict[int, int]:
    """Matches objects to nodes by following equal part names from `found[0]` and `nodes[start]`. The first match wins."""
    bound = {0: start}
    queue = [0]
    for i in queue:  # the list grows while it is read
        for name, child in _shared(found[i], nodes[bound[i]]):
            if found[i].children[name] not in bound and found[found[i].children[name]].kind == nodes[child].kind:
                bound[found[i].children[name]] = child
                queue.append(found[i].children[name])
    return bound


def _shared(live: LiveNode, node: Node) -> Iterator[tuple[str, int]]:
    return ((name, node.children[name]) for name in live.children if name in node.children)
