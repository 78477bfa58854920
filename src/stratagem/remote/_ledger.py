"""Ledger: which parts of pushes a server has applied, so that each counts once, whoever sends it again."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import final

# A part of a push: the number of an update, or the key of a variable.
Part = int | str

# Of one part: by coordinator and closure, the number of the last push in which it was applied.
History = Mapping[str, Mapping[int, int]]


@dataclass(frozen=True)
class Origin:
    """Which push this is, the same when it is sent again.

    closure: of the coordinator; number: of the closure's pushes, from 1. below: all closures with smaller numbers are over.
    coordinator: another name for another one, whose closures are counted anew.
    """

    closure: int
    number: int
    below: int = 0
    coordinator: str = ""


@final
class _Closures:
    """Those of one coordinator. below: all with smaller numbers are over."""

    def __init__(self) -> None:
        self.below = 0
        self.applied: dict[int, dict[Part, int]] = {}

    def end(self, below: int) -> None:
        """Forget those that are over."""
        if below > self.below:
            self.below = below
            self.applied = {closure: parts for closure, parts in self.applied.items() if closure >= below}


@final
class Ledger:
    """What one server has applied. Not thread-safe.

    Each part counts by itself: a push that is sent again may have other parts for this server, for a variable that it did
    not keep the first time.
    """

    def __init__(self) -> None:
        self._closures: dict[str, _Closures] = {}

    def __len__(self) -> int:
        """Of how many closures it has a record."""
        return sum(len(closures.applied) for closures in self._closures.values())

    def left(self, origin: Origin, parts: Sequence[Part]) -> Sequence[Part]:
        """Those of a push that are still to be applied: none if the closure is over."""
        closures = self._of(origin.coordinator)
        closures.end(origin.below)
        if origin.closure < closures.below:
            return ()
        applied = closures.applied.get(origin.closure)
        if applied is None:
            return parts
        return [part for part in parts if applied.get(part, 0) < origin.number]

    def note(self, origin: Origin, parts: Sequence[Part]) -> None:
        """These parts of a push are applied."""
        applied = self._of(origin.coordinator).applied.setdefault(origin.closure, {})
        applied.update(dict.fromkeys(parts, origin.number))

    def history(self, part: Part) -> History:
        """What a server that keeps this variable from now on has to know."""
        return {
            coordinator: {closure: parts[part] for closure, parts in closures.applied.items() if part in parts}
            for coordinator, closures in self._closures.items()
        }

    def inherit(self, part: Part, history: History) -> None:
        """What another server knows of a variable, which is here from now on as `part`."""
        for coordinator, numbers in history.items():
            for closure, number in numbers.items():
                self._of(coordinator).applied.setdefault(closure, {})[part] = number

    def _of(self, coordinator: str) -> _Closures:
        found = self._closures.get(coordinator)
        if found is None:
            found = self._closures[coordinator] = _Closures()
        return found
