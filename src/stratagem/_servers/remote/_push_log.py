"""PushLog: which pushes a server has applied, so that each counts once, whoever sends it again."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from stratagem._servers.remote._push import Origin, Push

# Of one variable: by coordinator and closure, the number of the last push that may have changed it.
History = Mapping[str, Mapping[int, int]]

# Of so many coordinators, those that came last, there is a record: servers of this process outlive theirs.
_COORDINATORS = 8


@final
@dataclass
class _PushRecord:
    """Of one coordinator's closures, the number of the last push that was applied.

    apart: the same of single variables, by key. below: all closures with smaller numbers are over.
    """

    below: int = 0
    applied: dict[int, int] = field(default_factory=dict)
    apart: dict[str, dict[int, int]] = field(default_factory=dict)

    def end(self, below: int) -> None:
        """Forget the closures that are over."""
        self.below, self.applied = below, _from(below, self.applied)
        self.apart = {key: left for key, numbers in self.apart.items() if (left := _from(below, numbers))}


@final
class PushLog:
    """What one server has applied. Not thread-safe.

    All that a push changes here counts as one, but for variables that came from another server: such a one has a record of
    its own, which came with it. So a push that is sent again, since it was refused elsewhere for such a variable, changes here
    what it has not changed there.
    """

    def __init__(self) -> None:
        self._records: OrderedDict[str, _PushRecord] = OrderedDict()
        self._apart: set[str] = set()
        # By key of these: which push has set it last. What was scheduled before that does not set it any more.
        self._set: dict[str, Origin] = {}

    def left(self, origin: Origin, push: Push) -> Push | None:
        """What of a push is still to be applied; None for nothing, or if its closure is over."""
        record = self._of(origin.coordinator)
        if origin.below > record.below:
            record.end(origin.below)
        if origin.closure < record.below:
            return None
        known = record.applied.get(origin.closure, 0) >= origin.number
        if self._apart.isdisjoint(push.added) and self._apart.isdisjoint(push.set):
            return None if known else push
        done = {key for key in (*push.added, *push.set) if self._is_done(origin, record, key, known)}
        done |= {key for key in push.set if self._is_older(origin, key)}
        left = Push(
            () if known else push.updates,
            {key: value for key, value in push.added.items() if key not in done},
            {key: value for key, value in push.set.items() if key not in done},
            push.seen,
        )
        return left if left.updates or left.added or left.set else None

    def _is_done(self, origin: Origin, record: _PushRecord, key: str, known: bool) -> bool:
        return record.apart.get(key, {}).get(origin.closure, 0) >= origin.number if key in self._apart else known

    def _is_older(self, origin: Origin, key: str) -> bool:
        last = self._set.get(key, origin)
        return last.coordinator == origin.coordinator and (last.closure, last.number) > (origin.closure, origin.number)

    def note(self, origin: Origin, push: Push) -> None:
        """This, which was left of a push, is applied."""
        record = self._of(origin.coordinator)
        record.applied[origin.closure] = max(origin.number, record.applied.get(origin.closure, 0))
        if push.added or push.set:  # most have updates alone
            for key in self._apart.intersection((*push.added, *push.set)):
                record.apart.setdefault(key, {})[origin.closure] = origin.number
            self._set.update(dict.fromkeys(self._apart.intersection(push.set), origin))

    def history(self, key: str) -> History:
        """What a server that keeps this variable from now on has to know."""
        apart = key in self._apart
        return {
            coordinator: dict(record.apart.get(key, {}) if apart else record.applied)
            for coordinator, record in self._records.items()
        }

    def inherit(self, key: str, history: History) -> None:
        """What another server knows of a variable, which is here from now on."""
        self._apart.add(key)
        for coordinator, numbers in history.items():
            self._of(coordinator).apart[key] = dict(numbers)

    def forget(self, key: str) -> None:
        """This variable is not here any more."""
        if key in self._apart:
            self._apart.discard(key)
            self._set.pop(key, None)
            for record in self._records.values():
                record.apart.pop(key, None)

    def _of(self, coordinator: str) -> _PushRecord:
        found = self._records.get(coordinator)
        if found is None:
            found = self._records[coordinator] = _PushRecord()
            if len(self._records) > _COORDINATORS:
                self._records.popitem(last=False)
        return found


def _from(below: int, numbers: Mapping[int, int]) -> dict[int, int]:
    return {closure: number for closure, number in numbers.items() if closure >= below}
