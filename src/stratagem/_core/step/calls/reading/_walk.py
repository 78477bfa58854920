"""Reachable: one walk over what a function can read: its arguments, captured variables and globals, and their contents."""

import types
from collections.abc import Callable
from typing import Any, Protocol

from stratagem._core.numbers import plain
from stratagem._core.step.calls.reading._places import Place

_MAX_DESCENTS = 5000
_MAX_DEPTH = 100
_CHANGED = ("changed by the step itself",)

Path = tuple[Any, str, Any]  # the path of the owner (None for a name), the kind of the place, its label
Visitor = Callable[["Reachable", Any, Path, Place | None], None]


class ConcurrentTraceError(Exception):
    """Another thread traces a function that reads the same place, where a stand-in is meanwhile."""


class FunctionFacts(Protocol):
    """The facts shared by all walks for the same function.

    home: the package of the function. codes: all code that it reaches. names: of attributes that this code reads;
    called: of those that it only calls; stored: of what it assigns. dynamic: whether any attribute may be read.
    changed: paths that the function itself has changed. settings: those of Keras objects at their last visit.
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
    """The findings of a walk.

    held: objects that count by identity. plain: everything that counts by value, with the types of numbers; described:
    the path of each such value that has one. numbers, places, paths: the numbers that can become inputs. math: places
    of Python's module `math`, or of functions of it. unfollowed: paths of values that are not followed. new_codes: code
    that was not known before.
    extra_names: names of attributes in objects instead of code (`operator.attrgetter("k")`).
    """

    def __init__(
        self,
        known: FunctionFacts,
        visitors: Callable[[type, str], Visitor],
        *,
        after: bool = False,
        named: bool = False,
    ) -> None:
        """visitors: returns the visitor for a type and the user's package.

        after: the walk follows a trace; it notes the contents of all

        places, and replaces stand-ins that the trace has left by their numbers. named: note paths, too, which takes longer.
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
        self.unfollowed: list[Path] = []
        self.new_codes: list[types.CodeType] = []
        self.extra_names: set[str] = set()
        self.seen: dict[Any, int] = {}
        self._made: list[Any] = []
        self.depth = 0
        self.any_attribute = False  # within an object whose attributes may have any name

    def visit(self, value: Any, path: Path, place: Place | None) -> None:
        """Notes a value and visits its contents. place: where it is, if something else can be put there."""
        if self.changed and not self.after and path in self.changed:
            self.plain.append(_CHANGED)
            return
        if self.after:
            self.contents[path] = plain(value)
        self.visitor_of(value)(self, value, path, place)

    def visitor_of(self, value: Any) -> Visitor:
        """Returns the visitor for a value."""
        return self._visitors(type(value), self.known.home)

    def descends(self, value: Any, path: Path) -> bool:
        """Returns whether the contents of a value are to be visited: they were not visited yet, and are not too much.

        If they were, notes which of the visited values it is.
        """
        found = self.seen.get(id(value))
        if found is not None:
            self.plain.append(found)
            return False
        if self.depth > _MAX_DEPTH or len(self.seen) > _MAX_DESCENTS:
            self.held.append(value)
            self.unfollowed.append(path)
            return False
        self.seen[id(value)] = len(self.seen)
        return True

    def visit_made(self, value: Any, path: Path) -> None:
        """Visits a value that was made for the visit. It is kept until the end of the walk, so that its id stays its own."""
        self._made.append(value)
        self.visit(value, path, None)

    def into(self, items: Any, path: Path, kind: str, owner: Any) -> None:
        """Visits (label, value) pairs of an owner."""
        self.depth += 1
        for label, value in items:
            self.visit(value, (path, kind, label), (kind, owner, label) if owner is not None else None)
        self.depth -= 1


def named(walk: Reachable, own: dict[str, Any]) -> list[str]:
    """Returns the attributes of an object, a module or a function that the code at hand reads."""
    known = walk.known
    names = known.names | known.stored if walk.after else known.names
    found = [name for name in own if name in names] if len(own) < len(names) else sorted(names & own.keys())
    # A name that is only called is noted if its value is callable.
    return found + [name for name in known.called if name in own and callable(own[name])]
