"""Visitors of lists, dicts, tuples and sets, which count by their contents and not by identity."""

import collections
import types
from typing import Any

from stratagem._core.step.calls.reading._objects import own_attributes
from stratagem._core.step.calls.reading._places import Place
from stratagem._core.step.calls.reading._walk import Path, Reachable

MOST_ITEMS = 64


def _is_long(walk: Reachable, value: Any, length: int, path: Path) -> bool:
    """Notes a container; returns True if its items are not to be visited, as it is too long or was visited before."""
    walk.plain += (type(value), length)
    if length > MOST_ITEMS:
        walk.held.append(value)
        walk.unfollowed.append(path)
        return True
    return not walk.descends(value, path)


# The visitors call methods of Python's own classes, also for objects of derived classes, so that no code of the user's runs.


def dictionary(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a dict. The order of its keys counts."""
    if _is_long(walk, value, dict.__len__(value), path):
        return
    items = list(dict.items(value))
    for key, _ in items:
        walk.visitor_of(key)(walk, key, path, None)
    walk.into(items, path, "item", value)
    own_attributes(walk, value, path)


def view(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a view of a mapping, which is read-only."""
    items = list(value.items() if isinstance(value, types.MappingProxyType) else value.mapping.items())
    walk.plain.append(type(value))
    walk.visit_made(dict(items), path)


def sequence(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a list or a deque."""
    base: Any = list if isinstance(value, list) else collections.deque
    if not _is_long(walk, value, base.__len__(value), path):
        walk.into(enumerate(list(base.__iter__(value))), path, "item", value if base is list else None)
        own_attributes(walk, value, path)


def fixed_sequence(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a tuple, which is itself replaced when a number in it is."""
    if not _is_long(walk, value, tuple.__len__(value), path):
        walk.depth += 1
        for i, item in enumerate(tuple.__iter__(value)):
            walk.visit(
                item, (path, "item", i), None if place is None or place[0] == "argument" else ("tuple", place, i)
            )
        walk.depth -= 1


def unordered(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a set or a frozenset."""
    base: Any = set if isinstance(value, set) else frozenset
    if not _is_long(walk, value, base.__len__(value), path):
        items = list(base.__iter__(value))
        plain = all(type(item) in (str, int, float, bool, bytes) for item in items)
        walk.into(((None, item) for item in (sorted(items, key=repr) if plain else items)), path, "each", None)
