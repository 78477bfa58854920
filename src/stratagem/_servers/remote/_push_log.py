"""PushLog: the pushes that a server has applied, so that each counts once, no matter how often it is sent."""

from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import final

from stratagem._servers.remote._server_messages import Push, PushId

# The history of one variable: by coordinator and closure, the number of the last push that may have changed it.
History = Mapping[str, Mapping[int, int]]

# How many coordinators, the last ones, have a record: servers in the coordinator's process outlive it.
_COORDINATORS = 8


@final
@dataclass
class _PushRecord:
    """The pushes of one coordinator: for each closure, the number of the last push that was applied.

    by_variable: the same for each variable with a history of its own, by key. below: all closures with smaller numbers have
    ended.
    """

    below: int = 0
    applied: dict[int, int] = field(default_factory=dict)
    by_variable: dict[str, dict[int, int]] = field(default_factory=dict)

    def end(self, below: int) -> None:
        """Drops the closures that have ended."""
        self.below, self.applied = below, _at_least(below, self.applied)
        self.by_variable = {
            key: rest for key, numbers in self.by_variable.items() if (rest := _at_least(below, numbers))
        }


@final
class PushLog:
    """The pushes that one server has applied. Not thread-safe.

    All changes of a push on this server count as one, except those of variables that came from another server: each of
    these has a record of its own, which it brought along. So a push that another server refused for such a variable,
    and that is sent here, changes here what it has not changed there.
    """

    def __init__(self) -> None:
        self._records: OrderedDict[str, _PushRecord] = OrderedDict()
        self._moved_in: set[str] = set()
        # For the variables in _moved_in: the push that has set each last. An earlier closure's push does not set it any more.
        self._last_set: dict[str, PushId] = {}

    def remaining(self, push_id: PushId, push: Push) -> Push | None:
        """Returns what remains to be applied of a push; None if that is nothing, or its closure has ended."""
        record = self._record_of(push_id.coordinator)
        if push_id.below > record.below:
            record.end(push_id.below)
        if push_id.closure < record.below:
            return None
        known = record.applied.get(push_id.closure, 0) >= push_id.number
        if self._moved_in.isdisjoint(push.added) and self._moved_in.isdisjoint(push.set):
            return None if known else push
        done = {key for key in (*push.added, *push.set) if self._is_done(push_id, record, key, known)}
        done |= {key for key in push.set if self._is_older(push_id, key)}
        rest = Push(
            () if known else push.updates,
            {key: value for key, value in push.added.items() if key not in done},
            {key: value for key, value in push.set.items() if key not in done},
            push.seen,
        )
        return rest if rest.updates or rest.added or rest.set else None

    def _is_done(self, push_id: PushId, record: _PushRecord, key: str, known: bool) -> bool:
        return (
            record.by_variable.get(key, {}).get(push_id.closure, 0) >= push_id.number
            if key in self._moved_in
            else known
        )

    def _is_older(self, push_id: PushId, key: str) -> bool:
        last = self._last_set.get(key, push_id)
        return last.coordinator == push_id.coordinator and (last.closure, last.number) > (
            push_id.closure,
            push_id.number,
        )

    def record(self, push_id: PushId, push: Push) -> None:
        """Records that this part of a push, which `remaining` has returned, is applied."""
        record = self._record_of(push_id.coordinator)
        record.applied[push_id.closure] = max(push_id.number, record.applied.get(push_id.closure, 0))
        if push.added or push.set:  # most pushes have updates only
            for key in self._moved_in.intersection((*push.added, *push.set)):
                record.by_variable.setdefault(key, {})[push_id.closure] = push_id.number
            self._last_set.update(dict.fromkeys(self._moved_in.intersection(push.set), push_id))

    def history(self, key: str) -> History:
        """Returns the history of a variable, for a server that holds it from now on."""
        moved = key in self._moved_in
        return {
            coordinator: dict(record.by_variable.get(key, {}) if moved else record.applied)
            for coordinator, record in self._records.items()
        }

    def inherit(self, key: str, history: History) -> None:
        """Takes over the history of a variable that came from another server."""
        self._moved_in.add(key)
        for coordinator, numbers in history.items():
            self._record_of(coordinator).by_variable[key] = dict(numbers)

    def forget(self, key: str) -> None:
        """Drops what is known of a variable that is not here any more."""
        if key in self._moved_in:
            self._moved_in.discard(key)
            self._last_set.pop(key, None)
            for record in self._records.values():
                record.by_variable.pop(key, None)

    def _record_of(self, coordinator: str) -> _PushRecord:
        found = self._records.get(coordinator)
        if found is None:
            found = self._records[coordinator] = _PushRecord()
            if len(self._records) > _COORDINATORS:
                self._records.popitem(last=False)
        return found


def _at_least(below: int, numbers: Mapping[int, int]) -> dict[int, int]:
    return {closure: number for closure, number in numbers.items() if closure >= below}
