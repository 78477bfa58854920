"""The tensors and operations that a model's hooks capture, by attribute path: a later trace holds its own at the same paths."""

import itertools
import types
from collections.abc import Iterable, Iterator
from typing import Any

import jax

from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.graph import Operation

_DEPTH = 6  # of containers and objects within a hook


def tensors_in(hooks: Iterable[SessionRunHook]) -> dict[str, Any]:
    """Returns the tensors in the attributes of hooks, and in dicts, lists and tuples there, by path."""
    found: dict[str, Any] = {}
    for number, hook in enumerate(hooks):
        for place, value in _parts(hook, f"{type(hook).__name__} {number}", 0):
            found[place] = value
    return found


def names_in(hooks: Iterable[SessionRunHook]) -> set[str]:
    """Returns the strings that hooks hold, or that the code of their methods contains: some may be names of tensors."""
    found = {value for hook in hooks for part in (hook, _constants(hook)) for _, value in _parts(part, "", 0, (str,))}
    return {value for value in found if value and not value.isspace()}


def operations_in(hooks: Iterable[SessionRunHook]) -> dict[str, Operation]:
    """Returns the operations in the attributes of hooks, by path."""
    parts = (_parts(hook, f"{type(hook).__name__} {number}", 0, (Operation,)) for number, hook in enumerate(hooks))
    return dict(itertools.chain.from_iterable(parts))


def _constants(hook: SessionRunHook) -> list[Any]:
    """Returns the constants in the code of the methods of a hook's class."""
    methods = [method for kind in type(hook).__mro__ for method in vars(kind).values()]
    return [method.__code__.co_consts for method in methods if isinstance(method, types.FunctionType)]


def _parts(value: Any, place: str, depth: int, kinds: tuple[type, ...] = (jax.Array,)) -> Iterator[tuple[str, Any]]:
    if isinstance(value, kinds):
        yield place, value
    elif depth < _DEPTH:
        for name, part in _members(value):
            yield from _parts(part, f"{place}.{name}", depth + 1, kinds)


def _members(value: Any) -> Iterator[tuple[Any, Any]]:
    if isinstance(value, SessionRunHook):
        yield from vars(value).items()
    elif isinstance(value, dict):
        yield from list(value.items())
    elif isinstance(value, list | tuple):
        yield from enumerate(value)
