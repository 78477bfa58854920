"""ExecutionPlan: all that a worker has to do for one step, without the objects that the step was traced from.

Values have numbers: a worker keeps them in a dict while it runs. Variables are known by server and key.
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.step import Checks
from stratagem._servers.remote._actors import Actor
from stratagem._servers.remote._lookup import RowCapacity, rows_to_look_up
from stratagem._servers.remote._prefetch import Brought
from stratagem._servers.remote._push import Push
from stratagem._servers.remote._time_breakdown import TimeCategory
from stratagem._servers.remote._update import SparseGradient
from stratagem._servers.remote._worker import Worker

Number = int
Values = dict[Number, Any]


@dataclass(frozen=True)
class ServerLocation:
    """Where a variable is kept: the server's index, and its name there."""

    server: int
    key: str


@dataclass(frozen=True)
class CompiledSubprogram:
    """run(list of the values `reads`) -> list of the values `makes`."""

    reads: tuple[Number, ...]
    makes: tuple[Number, ...]
    run: Callable[[list[Any]], list[Any]]


@dataclass(frozen=True)
class TableLookup:
    """The rows of a table that some ids ask for, after subprogram `call`.

    updated: the updates of earlier calls come first. name: of the table. shards: where they are, and how many rows each has.
    ids: values; inverse: for each, where in all rows its own are. rows: the distinct rows by shard; which: their ids there.
    """

    call: int
    updated: bool
    name: str
    shards: tuple[tuple[ServerLocation, int], ...]
    ids: tuple[Number, ...]
    inverse: tuple[Number, ...]
    rows: tuple[Number, ...]
    which: tuple[Number, ...]
    room: RowCapacity = field(default_factory=RowCapacity)


@dataclass(frozen=True)
class SentUpdate:
    """An optimizer's update, whose gradients are there after subprogram `call`.

    finite: a value, false if one of them is no number. gradients: by variable its path, value, and the ids of its rows (None:
    it is a gradient of all rows). parts: by server the number of its part, and which of the gradients that takes.
    """

    call: int
    optimizer: str
    finite: Number
    gradients: tuple[tuple[str, Number, Number | None], ...]
    parts: tuple[tuple[int, int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class SentChange:
    """A value that is added to a variable, or takes its place, on all servers that keep it."""

    places: tuple[ServerLocation, ...]
    value: Number
    adds: bool


@final
@dataclass(frozen=True)
class ExecutionPlan:
    """One step.

    inputs: values that the call brings. constants: values that are always the same. whole: values that are read from
    servers in the beginning; late: after the subprogram with this number, and the updates before it. seeds and kept: values
    of variables that a worker has for itself, before and after the step. updates: in the order of their calls. results:
    values that go back, the last ones those of the checks.
    """

    inputs: tuple[Number, ...]
    constants: tuple[tuple[Number, Any], ...]
    whole: tuple[tuple[Number, ServerLocation], ...]
    late: tuple[tuple[int, Number, ServerLocation], ...]
    seeds: tuple[tuple[Number, Any], ...]
    kept: tuple[tuple[Number, Any], ...]
    subprograms: tuple[CompiledSubprogram, ...]
    look_ups: tuple[TableLookup, ...]
    updates: tuple[SentUpdate, ...]
    changes: tuple[SentChange, ...]
    results: tuple[Number, ...]
    checks: Checks

    @functools.cached_property
    def first(self) -> dict[int, tuple[list[Number], list[str]]]:
        """By server, the numbers and keys of what a step reads in the beginning; made once, for short steps."""
        return _by_server(self.whole)

    @property
    def most_pushes(self) -> int:
        """A step does not push more often than this: twice between two subprograms, and in the end."""
        return 2 * len(self.subprograms)

    def begun(
        self,
        inputs: Sequence[Any],
        servers: Sequence[Actor],
        worker: Worker,
        prepare: Callable[[int, Sequence[Any]], None],
        *,
        fresh: bool,
    ) -> "PlanExecution":
        """The step, with what it reads first; its `finish` takes it.

        prepare(number, gradients) is called before a part of an update is sent. fresh: what the worker's last push brought
        may be used.
        """
        brought = worker.prefetched.take(self)
        return PlanExecution(self, servers, worker, prepare, inputs, brought if fresh else {})


@final
class PlanExecution:
    """A plan that is being followed. seen: by server, how many pushes it had applied when the step first read from it."""

    def __init__(
        self,
        plan: ExecutionPlan,
        servers: Sequence[Actor],
        worker: Worker,
        prepare: Any,
        inputs: Sequence[Any],
        brought: Brought,
    ) -> None:
        self._plan, self._servers, self._worker, self._prepare = plan, servers, worker, prepare
        self._values: Values = dict(plan.constants)
        self._seen: dict[int, int] = {}
        self._sent = 0  # updates
        self._done = 0  # subprograms, and what is between two of them
        self._values.update(zip(plan.inputs, inputs, strict=True))
        with worker.clock.part(TimeCategory.SERVERS):
            self._read(plan.first, brought)
        self._values.update((number, worker.value(variable)) for number, variable in plan.seeds)

    def finish(self) -> list[Any]:
        """Take the step, or what is left of it if a program was missing. Waits until the servers have taken what it changes.

        Raises InvalidArgumentError for an id that no row has, a gradient that is no number, and a check that failed: then
        nothing is sent but updates of the same step whose results were read before.
        """
        plan, values, worker = self._plan, self._values, self._worker
        for place in range(self._done, 2 * len(plan.subprograms) - 1):
            if place % 2:
                self._between(place // 2)
            elif plan.subprograms[place // 2].makes:
                self._compute(plan.subprograms[place // 2])
            self._done = place + 1
        results = [values[n] for n in plan.results]
        plan.checks.verify(results, (0,))
        # With its push it reads what another step of this kind would read first.
        next_keys = {server: keys for server, (_, keys) in plan.first.items()} if worker.prefetched.more else {}
        worker.prefetched.keep(plan, self._push(plan.updates[self._sent :], plan.changes, next_keys))
        for number, variable in plan.kept:
            worker.keep(variable, values[number])
        return results

    def _compute(self, subprogram: CompiledSubprogram) -> None:
        with self._worker.clock.part(TimeCategory.COMPUTE):
            made = subprogram.run([self._values[n] for n in subprogram.reads])
            made[-1].block_until_ready()  # and so are the others, of the same run
        self._values.update(zip(subprogram.makes, made, strict=True))

    def _read(self, by_server: Mapping[int, tuple[list[Number], list[str]]], brought: Brought) -> None:
        """Read values, but those of servers from which they were brought."""
        calls = {s: self._servers[s].call("read", keys) for s, (_, keys) in by_server.items() if s not in brought}
        for server, (numbers, _) in by_server.items():
            found = self._seen_in(server, brought[server] if server in brought else calls[server].result())
            self._values.update(zip(numbers, found, strict=True))

    def _seen_in(self, server: int, answer: tuple[int, Sequence[Any]]) -> Sequence[Any]:
        """What a server has answered to `read` or `rows`."""
        pushes, found = answer
        self._seen.setdefault(server, pushes)
        return found

    def _between(self, call: int) -> None:
        """What the servers do after subprogram `call`: look-ups, and updates whose results are read or looked up."""
        look_ups = [lookup for lookup in self._plan.look_ups if lookup.call == call]
        if any(lookup.updated for lookup in look_ups):
            self._push_until(call)
        for lookup in look_ups:
            self._lookup(lookup)
        late = [(number, place) for after, number, place in self._plan.late if after == call]
        if late:
            self._push_until(call + 1)
            with self._worker.clock.part(TimeCategory.SERVERS):
                self._read(_by_server(late), {})

    def _push_until(self, call: int) -> None:
        """Send the updates before this call's."""
        due = [u for u in self._plan.updates[self._sent :] if u.call < call]
        self._push(due, (), {})
        self._sent += len(due)

    def _lookup(self, lookup: TableLookup) -> None:
        values, sizes = self._values, [rows for _, rows in lookup.shards]
        wanted = rows_to_look_up([values[n] for n in lookup.ids], sizes, lookup.name, lookup.room)
        values.update(zip(lookup.inverse, map(jnp.asarray, wanted.inverse), strict=True))
        values.update(zip(lookup.which, wanted.rows, strict=True))
        with self._worker.clock.part(TimeCategory.SERVERS):
            calls = [
                (place.server, self._servers[place.server].call("rows", [(place.key, rows)]))
                for (place, _), rows in zip(lookup.shards, wanted.rows, strict=True)
            ]
            found = [self._seen_in(server, call.result())[0] for server, call in calls]
        values.update(zip(lookup.rows, found, strict=True))

    def _push(
        self, updates: Sequence[SentUpdate], changes: Sequence[SentChange], wanted: Mapping[int, Sequence[str]]
    ) -> Brought:
        """Send what changes; returns the values that are wanted of the servers that get something, as they are then."""
        sends = self._gradients(updates)
        added: dict[int, dict[str, Any]] = defaultdict(dict)
        kept: dict[int, dict[str, Any]] = defaultdict(dict)
        for change in changes:
            for place in change.places:
                (added if change.adds else kept)[place.server][place.key] = self._values[change.value]
        pushed = sorted({*sends, *added, *kept})
        if not pushed:
            return {}
        origin = self._worker.next_origin()
        with self._worker.clock.part(TimeCategory.SERVERS):
            calls = {}
            for server in pushed:
                push = Push(sends[server], added[server], kept[server], self._seen.pop(server, None))
                keys = wanted.get(server)
                method, others = ("push_and_read", (keys,)) if keys else ("push", ())
                calls[server] = self._servers[server].call(method, origin, push, *others)
            answers = {server: call.result() for server, call in calls.items()}
            return {server: answer for server, answer in answers.items() if wanted.get(server)}

    def _gradients(self, updates: Sequence[SentUpdate]) -> dict[int, list[tuple[int, list[Any]]]]:
        """By server, its parts of these updates, each with its gradients."""
        sends: dict[int, list[tuple[int, list[Any]]]] = defaultdict(list)
        values = self._values
        for update in updates:
            if not np.asarray(values[update.finite]):  # a third of the time that JAX takes for `bool`
                raise InvalidArgumentError(_not_finite(update, values))
            given = [
                values[v] if ids is None else SparseGradient(values[ids], values[v]) for _, v, ids in update.gradients
            ]
            for server, number, mine in update.parts:
                gradients = [given[i] for i in mine]
                self._prepare(number, gradients)
                sends[server].append((number, gradients))
        return sends


def _by_server(wanted: Sequence[tuple[Number, ServerLocation]]) -> dict[int, tuple[list[Number], list[str]]]:
    """Numbers and keys of what is wanted of each server."""
    found: dict[int, tuple[list[Number], list[str]]] = {}
    for number, place in wanted:
        numbers, keys = found.setdefault(place.server, ([], []))
        numbers.append(number)
        keys.append(place.key)
    return found


def _not_finite(update: SentUpdate, values: Values) -> str:
    """The error for a gradient that is no number."""
    names = [path for path, value, _ in update.gradients if not np.isfinite(np.asarray(values[value])).all()]
    return (
        f"{update.optimizer}: the gradient of {', '.join(names)} has NaN or infinity, so no server got this update. "
        "Look for a division by zero or a logarithm of it, or a learning rate that is too large."
    )
