"""WorkerPrefixes: the host prefixes that a worker in another process has, and what they made of the present step's input."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import Any, final

from stratagem._base.types import UserFunction
from stratagem._core.step import HostPrefix, HostValue
from stratagem._servers.remote._carried_prefix import (
    CarriedPrefix,
    LibraryObject,
    PrefixInputRef,
    PrefixRequest,
    ResultFacts,
    facts_of,
)


@final
class PrefixRun:
    """The results of one run of a prefix."""

    def __init__(self, prefix: HostPrefix, leaves: Mapping[int, Any]) -> None:
        self._prefix = prefix
        (self._results,) = prefix.results(leaves)

    @property
    def facts(self) -> tuple[ResultFacts, ...]:
        """The facts of all results."""
        return facts_of(self._prefix, self._results.results)

    def input(self, reference: PrefixInputRef) -> Any:
        """Returns an input of the program."""
        return self._results.of(HostValue(reference.call, reference.leaf))

    def returned(self, request: PrefixRequest) -> list[Any]:
        """Returns the strings that the step returns."""
        return list(map(self._results.of, request.returned))


@final
class WorkerPrefixes:
    """The prefixes and their objects, by number. Used under the worker's lock for steps."""

    def __init__(self) -> None:
        self._prefixes: dict[int, HostPrefix] = {}
        self._objects: dict[int, UserFunction] = {}
        self._last: tuple[Hashable, PrefixRun] | None = None

    def learn(self, number: int, prefix: CarriedPrefix, objects: Mapping[int, LibraryObject]) -> None:
        """Adds a prefix, and objects of which it is the first to use them. Raises KeyError if one is missing that it uses."""
        self._objects.update((name, each.function()) for name, each in objects.items())
        self._prefixes[number] = prefix.prefix(self._objects)

    def forget(self, prefixes: Sequence[int], objects: Sequence[int]) -> None:
        """Drops prefixes and objects."""
        for number in prefixes:
            self._prefixes.pop(number, None)
        for number in objects:
            self._objects.pop(number, None)

    def run(self, step: Hashable, request: PrefixRequest, leaf: Callable[[Any], Any]) -> PrefixRun | None:
        """Runs a prefix, once for each step; returns None if it is not there. leaf: returns the value of one of its leaves."""
        prefix = self._prefixes.get(request.number)
        if prefix is None:
            return None
        key = (step, request.number)
        if self._last is None or self._last[0] != key:
            self._last = (key, PrefixRun(prefix, {i: leaf(value) for i, value in request.leaves.items()}))
        return self._last[1]

    def step_done(self) -> None:
        """Forgets what was computed for a step that needs it no more."""
        self._last = None
