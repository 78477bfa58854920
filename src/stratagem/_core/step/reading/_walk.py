"""One walk over what a function can read: its arguments, closure and globals, and what is in the objects there."""

import types
from collections.abc import Callable
from typing import Any, Protocol

from stratagem._core.numbers import plain
from stratagem._core.step.reading._places import Place

_MOST_DESCENTS = 5000
_DEEPEST = 100
_CHANGED = ("changed by the step itself",)

Path = tuple[Any, str, Any]  # the path of the owner (None: a name), the kind of the place, its label
Visitor = Callable[["Reachable", Any, Path, Place | None], None]


class BeingTracedError(Exception):
    """Another thread traces a function that reads the same: what stands there is not what will be."""


class Known(Protocol):
    """What walks over what the same function reads have in common.

    home: the package of the function. codes: all code that it reaches. names: of attributes that this reads; called: of those
    that it only calls; stored: of what it assigns. dynamic: any attribute may be read. changed: what the function has changed.
    settings: of Keras' objects, as they were.
    """

    home: str
    codes: dict[types.CodeType, None]
    names: frozenset[str]
    called: frozenset[str]
    settings: dict[int, Any]
    stored: frozenset[str]
    dynamic: bool
    changed: set[Path]


class Reachable:
    """What was found.

    held: objects that count by identity. plain: everything that is part of the program by its value, with the types of
    numbers; described: the path of each value there that has one. numbers, places, paths: what can become an input, and where
    it is. math: places of Python's module `math`, or functions of it. unclear: paths of what is not followed. fresh: code that
    was not known before. said_names: names of attributes that objects, not code, say (`operator.attrgetter("k")`).
    """

    def __init__(
        self, known: Known, visitors: Callable[[type, str], Visitor], *, after: bool = False, named: bool = False
    ) -> None:
        """visitors: by type and the user's package. after: a trace, so that what all places have is noted, and stand-ins that
        it has left give way to their numbers. named: note the paths, too, which takes longer.
        """
        self.known, self._visitors = known, visitors
        self.changed = known.changed
        self.after, self.named = after, named
        self.contents: dict[Path, Any] = {}
        self.held: list[Any] = []
        self.plain: list[Any] = []
        self.described: list[tuple[Path, Any]] = []
        self.numbers: list[Any] = []
        self.places: list[Place] = []
        self.paths: list[Path] = []
        self.math: list[tuple[Place, Any]] = []
        self.unclear: list[Path] = []
        self.fresh: list[types.CodeType] = []
        self.said_names: set[str] = set()
        self.seen: dict[Any, int] = {}
        self._made: list[Any] = []
        self.depth = 0
        self.loose = False  # in an object whose attributes may have any name

    def visit(self, value: Any, path: Path, place: Place | None) -> None:
        """Note a value and go on to what is in it. place: where it is, if something else can be put there."""
        if self.changed and not self.after and path in self.changed:
            self.plain.append(_CHANGED)
            return
        if self.after:
            self.contents[path] = plain(value)
        self.visitor_of(value)(self, value, path, place)

    def visitor_of(self, value: Any) -> Visitor:
        """How it goes through such a value."""
        return self._visitors(type(value), self.known.home)

    def descends(self, value: Any, path: Path) -> bool:
        """True if what is in the value is to be visited: it has not been, and is not too much.

        Else it is noted which of those that were visited it is.
        """
        found = self.seen.get(id(value))
        if found is not None:
            self.plain.append(found)
            return False
        if self.depth > _DEEPEST or len(self.seen) > _MOST_DESCENTS:
            self.held.append(value)
            self.unclear.append(path)
            return False
        self.seen[id(value)] = len(self.seen)
        return True

    def visit_made(self, value: Any, path: Path) -> None:
        """Visit what was made for the visit alone. It stays until the walk is over: others are known by their numbers."""
        self._made.append(value)
        self.visit(value, path, None)

    def into(self, items: Any, path: Path, kind: str, owner: Any) -> None:
        """Visit (label, value) pairs of an owner."""
        self.depth += 1
        for label, value in items:
            self.visit(value, (path, kind, label), (kind, owner, label) if owner is not None else None)
        self.depth -= 1


def named(walk: Reachable, own: dict[str, Any]) -> list[str]:
    """Names of attributes that the code at hand reads, among those of an object, a module or a function."""
    known = walk.known
    names = known.names | known.stored if walk.after else known.names
    found = [name for name in own if name in names] if len(own) < len(names) else sorted(names & own.keys())
    # What is called at once is something that can be.
    return found + [name for name in known.called if name in own and callable(own[name])]
