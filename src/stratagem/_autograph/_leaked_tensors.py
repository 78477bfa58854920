"""Leaked tensors: those of a trace, worth nothing after it, in the user's lists, objects and variables."""

import types
from collections import deque
from typing import Any, final

import jax

from stratagem._core.step import TracedPerReplica, names_of, of_library
from stratagem._core.values import is_per_replica

_CONTAINERS = (list, dict, set, deque)


@final
class LeakDetector:
    """Knows the containers, attributes and variables that a function of the user's reaches, as they were before its trace.

    Objects of libraries, Keras' layers among them, are not looked at.
    """

    def __init__(self, function: types.FunctionType) -> None:
        self._containers: dict[int, tuple[Any, Any]] = {}
        self._cells: dict[int, tuple[types.CellType, Any]] = {}
        self._globals: dict[tuple[int, str], tuple[dict[str, Any], str, Any]] = {}
        self._seen: set[int] = set()
        self._visit(function)

    def undo(self) -> bool:
        """Returns whether the trace has left a tensor in one of them, and makes that as it was."""
        containers = [(now, before) for now, before in self._containers.values() if _has_more(now, before)]
        cells = [(cell, old) for cell, old in self._cells.values() if _is_another(contents(cell), old)]
        names = [(space, name, old) for space, name, old in self._globals.values() if _is_another(space.get(name), old)]
        for now, before in containers:
            now.clear()
            now.update(before) if isinstance(now, dict | set) else now.extend(before)
        for cell, old in cells:
            cell.cell_contents = old
        for space, name, old in names:
            space[name] = old
        return bool(containers or cells or names)

    def _visit(self, value: Any) -> None:
        if id(value) in self._seen:
            return
        self._seen.add(id(value))
        if isinstance(value, types.MethodType):
            self._visit(value.__func__)
            self._visit(value.__self__)
        elif isinstance(value, types.FunctionType):
            self._visit_function(value)
        elif type(value) in _CONTAINERS:
            self._containers[id(value)] = value, value.copy()
        elif not isinstance(value, type | types.ModuleType) and not _of_library(value):
            attributes = getattr(value, "__dict__", None)
            if type(attributes) is dict:
                self._containers[id(attributes)] = attributes, attributes.copy()
                for attribute in attributes.values():
                    if type(attribute) in _CONTAINERS:
                        self._visit(attribute)

    def _visit_function(self, function: types.FunctionType) -> None:
        if of_library(function.__module__ or ""):
            return
        for cell in function.__closure__ or ():
            self._cells[id(cell)] = cell, contents(cell)
            self._visit(contents(cell))
        space = function.__globals__
        names = names_of(function.__code__)
        for name in {*names.globals, *names.stored} & space.keys():
            self._globals[id(space), name] = space, name, space[name]
            self._visit(space[name])


def contents(cell: types.CellType) -> Any:
    """Returns the value of a captured variable, None if it has none yet."""
    try:
        return cell.cell_contents
    except ValueError:
        return None


def _of_library(value: Any) -> bool:
    return any(of_library(kind.__module__) for kind in type(value).__mro__)


def _has_more(now: Any, before: Any) -> bool:
    known = {id(v) for v in _items(before)}
    return any(id(v) not in known and _is_of_trace(v) for v in _items(now))


def _items(container: Any) -> list[Any]:
    return list(container.values() if isinstance(container, dict) else container)


def _is_another(now: Any, before: Any) -> bool:
    return now is not before and _is_of_trace(now)


def _is_of_trace(value: Any) -> bool:
    return any(
        isinstance(v, jax.core.Tracer | TracedPerReplica) for v in jax.tree.leaves(value, is_leaf=is_per_replica)
    )
