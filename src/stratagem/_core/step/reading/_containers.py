"""Walks through lists, dicts, tuples and sets: they count by what is in them, not by which they are."""

import collections
import types
from typing import Any

from stratagem._core.step.reading._objects import own_attributes
from stratagem._core.step.reading._places import Place
from stratagem._core.step.reading._walk import Path, Reachable

MOST_ITEMS = 64


def _is_long(walk: Reachable, value: Any, length: int, path: Path) -> bool:
    """Note a container; True if its items are not to be visited: it is too long, or they have been."""
    walk.plain += (type(value), length)
    if length > MOST_ITEMS:
        walk.held.append(value)
        walk.unclear.append(path)
        return True
    return not walk.descends(value, path)


# Methods of Python's own classes, also for objects of classes that were derived from these: nothing of the user's runs.


def dictionary(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Keys count in their order."""
    if _is_long(walk, value, dict.__len__(value), path):
        return
    items = list(dict.items(value))
    for key, _ in items:
        walk.visitor_of(key)(walk, key, path, None)
    walk.into(items, path, "item", value)
    own_attributes(walk, value, path)


def view(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A view of a mapping, which cannot be written to through it."""
    items = list(value.items() if isinstance(value, types.MappingProxyType) else value.mapping.items())
    walk.plain.append(type(value))
    walk.visit_made(dict(items), path)


def sequence(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A list or a deque."""
    base: Any = list if isinstance(value, list) else collections.deque
    if not _is_long(walk, value, base.__len__(value), path):
        walk.into(enumerate(list(base.__iter__(value))), path, "item", value if base is list else None)
        own_attributes(walk, value, path)


def fixed_sequence(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A tuple: to replace a number in it, it is itself replaced."""
    if not _is_long(walk, value, tuple.__len__(value), path):
        walk.depth += 1
        for i, item in enumerate(tuple.__iter__(value)):
            walk.visit(
                item, (path, "item", i), None if place is None or place[0] == "argument" else ("tuple", place, i)
            )
        walk.depth -= 1


def unordered(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A set or a frozen one."""
    base: Any = set if isinstance(value, set) else frozenset
    if not _is_long(walk, value, base.__len__(value), path):
        items = list(base.__iter__(value))
        plain = all(type(item) in (str, int, float, bool, bytes) for item in items)
        walk.into(((None, item) for item in (sorted(items, key=repr) if plain else items)), path, "each", None)
