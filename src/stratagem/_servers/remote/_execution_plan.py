"""ExecutionPlan: all that a worker has to do for one step, without the objects that the step was traced from.

Each value has a number, under which a running step keeps it in a dict. Variables are identified by server and key.
"""

import functools
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.step import ProgramAssertions
from stratagem._servers.remote._actors import Actor
from stratagem._servers.remote._lookup import RowCapacity, rows_to_look_up
from stratagem._servers.remote._prefetch import ReadsByServer
from stratagem._servers.remote._server_messages import Push, ReadReply, UpdateGradients
from stratagem._servers.remote._time_breakdown import TimeCategory
from stratagem._servers.remote._update import SparseGradient
from stratagem._servers.remote._worker import Worker

Number = int
Values = dict[Number, Any]


@dataclass(frozen=True)
class ServerLocation:
    """The location of a variable: the server's index, and the variable's key there."""

    server: int
    key: str


@dataclass(frozen=True)
class CompiledSubprogram:
    """A compiled function. `run` takes a list of the values `reads` and returns a list of the values `makes`."""

    reads: tuple[Number, ...]
    makes: tuple[Number, ...]
    run: Callable[[list[Any]], list[Any]]


@dataclass(frozen=True)
class TableShard:
    """One shard of a table: where it lies, and how many rows it has."""

    location: ServerLocation
    rows: int


@dataclass(frozen=True)
class PlannedRead:
    """A value that is read from a server after subprogram `call` and the updates before it."""

    call: int
    number: Number
    location: ServerLocation


@dataclass(frozen=True)
class PlannedGradient:
    """A gradient of the variable with this path, or a number of this name. ids: of its rows; None for a dense gradient."""

    path: str
    value: Number
    ids: Number | None


@dataclass(frozen=True)
class PlannedServerUpdate:
    """The part of an update that one server applies, under the number `update`.

    gradients: the indices of the gradients that it takes.
    """

    server: int
    update: int
    gradients: tuple[int, ...]


@dataclass(frozen=True)
class PlannedLookup:
    """The rows of a table that some ids ask for, looked up after subprogram `call`.

    updated: whether the updates of earlier calls have to be pushed first. name: of the table. ids: the values to look
    up. inverse: for each of these, the positions of its rows among all rows. rows: the distinct rows of each shard.
    row_ids: the ids of these rows in their shard.
    """

    call: int
    updated: bool
    name: str
    shards: tuple[TableShard, ...]
    ids: tuple[Number, ...]
    inverse: tuple[Number, ...]
    rows: tuple[Number, ...]
    row_ids: tuple[Number, ...]
    capacity: RowCapacity = field(default_factory=RowCapacity)


@dataclass(frozen=True)
class PlannedApplyGradients:
    """An optimizer's update that is sent to servers; its gradients are computed by subprogram `call`.

    finite: a boolean value, false if a gradient has NaN or infinity. gradients: one for each variable, and then the numbers.
    """

    call: int
    optimizer: str
    finite: Number
    gradients: tuple[PlannedGradient, ...]
    parts: tuple[PlannedServerUpdate, ...]


@dataclass(frozen=True)
class PlannedAssignment:
    """A value that is added to a variable, or replaces it, on all servers that hold the variable."""

    locations: tuple[ServerLocation, ...]
    value: Number
    adds: bool


@final
@dataclass(frozen=True)
class ExecutionPlan:
    """The plan of one step.

    inputs: values that the call passes in. constants: values that are always the same. reads: values that are read from
    servers at the start. worker_reads, worker_writes: values of variables that no server has, before and after the
    step. updates: in the order of their calls. results: values that are returned; the last ones are those of the checks.
    """

    inputs: tuple[Number, ...]
    constants: tuple[tuple[Number, Any], ...]
    reads: tuple[tuple[Number, ServerLocation], ...]
    late_reads: tuple[PlannedRead, ...]
    worker_reads: tuple[tuple[Number, Any], ...]
    worker_writes: tuple[tuple[Number, Any], ...]
    subprograms: tuple[CompiledSubprogram, ...]
    lookups: tuple[PlannedLookup, ...]
    updates: tuple[PlannedApplyGradients, ...]
    changes: tuple[PlannedAssignment, ...]
    results: tuple[Number, ...]
    checks: ProgramAssertions

    @functools.cached_property
    def reads_by_server(self) -> dict[int, tuple[list[Number], list[str]]]:
        """The numbers and keys of `reads`, by server. Cached, for short steps."""
        return _by_server(self.reads)

    @property
    def max_pushes(self) -> int:
        """An upper bound of the number of a step's pushes: twice between two subprograms, and once at the end."""
        return 2 * len(self.subprograms)

    def start(
        self,
        inputs: Sequence[Any],
        servers: Sequence[Actor],
        worker: Worker,
        prepare: Callable[[int, Sequence[Any]], None],
        *,
        fresh: bool,
    ) -> "PlanExecution":
        """Starts a step: reads its first values. The `finish` of the result computes it.

        prepare(number, gradients) is called before a part of an update is sent. fresh: whether values that came with
        the worker's last push may be used.
        """
        prefetched = worker.prefetch.take(self)
        return PlanExecution(self, servers, worker, prepare, inputs, prefetched if fresh else {})


@final
class PlanExecution:
    """One step of a plan, under way."""

    def __init__(
        self,
        plan: ExecutionPlan,
        servers: Sequence[Actor],
        worker: Worker,
        prepare: Any,
        inputs: Sequence[Any],
        prefetched: ReadsByServer,
    ) -> None:
        self._plan, self._servers, self._worker, self._prepare = plan, servers, worker, prepare
        self._values: Values = dict(plan.constants)
        self._seen: dict[int, int] = {}  # by server: how many pushes it had applied at this step's first read
        self._updates_sent = 0
        self._stages_done = 0  # subprograms, and the calls between two of them
        self._values.update(zip(plan.inputs, inputs, strict=True))
        with worker.clock.part(TimeCategory.SERVERS):
            self._read(plan.reads_by_server, prefetched)
        self._values.update((number, worker.value(variable)) for number, variable in plan.worker_reads)

    def finish(self) -> list[Any]:
        """Runs the step, or the rest of it if a program was missing; returns when the servers have applied its changes.

        Raises InvalidArgumentError for an id outside its table, a gradient that has NaN or infinity, and a check that
        failed: then nothing is sent, except updates of this step whose results it has read already.
        """
        plan, values, worker = self._plan, self._values, self._worker
        for stage in range(self._stages_done, 2 * len(plan.subprograms) - 1):
            if stage % 2:
                self._call_servers(stage // 2)
            elif plan.subprograms[stage // 2].makes:
                self._compute(plan.subprograms[stage // 2])
            self._stages_done = stage + 1
        results = [values[n] for n in plan.results]
        plan.checks.verify(results, (0,))
        # The push brings back the values that the next step of this plan would read first.
        next_keys = (
            {server: keys for server, (_, keys) in plan.reads_by_server.items()} if worker.prefetch.expects_step else {}
        )
        worker.prefetch.store(plan, self._push(plan.updates[self._updates_sent :], plan.changes, next_keys))
        for number, variable in plan.worker_writes:
            worker.store(variable, values[number])
        return results

    def _compute(self, subprogram: CompiledSubprogram) -> None:
        with self._worker.clock.part(TimeCategory.COMPUTE):
            made = subprogram.run([self._values[n] for n in subprogram.reads])
            made[-1].block_until_ready()  # the others are of the same run, and ready with it
        self._values.update(zip(subprogram.makes, made, strict=True))

    def _read(self, by_server: Mapping[int, tuple[list[Number], list[str]]], prefetched: ReadsByServer) -> None:
        """Reads values from the servers whose values were not prefetched."""
        calls = {s: self._servers[s].call("read", keys) for s, (_, keys) in by_server.items() if s not in prefetched}
        for server, (numbers, _) in by_server.items():
            answer = prefetched[server] if server in prefetched else calls[server].result()
            self._values.update(zip(numbers, self._note_seen(server, answer), strict=True))

    def _note_seen(self, server: int, answer: ReadReply) -> Sequence[Any]:
        """Returns the values of a server's answer to `read` or `rows`; notes its push count at the first one."""
        self._seen.setdefault(server, answer.pushes)
        return answer.values

    def _call_servers(self, call: int) -> None:
        """Makes the calls after subprogram `call`: look-ups, and updates whose results are read or looked up."""
        lookups = [lookup for lookup in self._plan.lookups if lookup.call == call]
        if any(lookup.updated for lookup in lookups):
            self._push_until(call)
        for lookup in lookups:
            self._lookup(lookup)
        late = [(read.number, read.location) for read in self._plan.late_reads if read.call == call]
        if late:
            self._push_until(call + 1)
            with self._worker.clock.part(TimeCategory.SERVERS):
                self._read(_by_server(late), {})

    def _push_until(self, call: int) -> None:
        """Pushes the updates of earlier calls that were not sent yet."""
        due = [u for u in self._plan.updates[self._updates_sent :] if u.call < call]
        self._push(due, (), {})
        self._updates_sent += len(due)

    def _lookup(self, lookup: PlannedLookup) -> None:
        values, sizes = self._values, [shard.rows for shard in lookup.shards]
        wanted = rows_to_look_up([values[n] for n in lookup.ids], sizes, lookup.name, lookup.capacity)
        values.update(zip(lookup.inverse, map(jnp.asarray, wanted.inverse), strict=True))
        values.update(zip(lookup.row_ids, wanted.rows, strict=True))
        with self._worker.clock.part(TimeCategory.SERVERS):
            calls = [
                (shard.location.server, self._servers[shard.location.server].call("rows", [(shard.location.key, rows)]))
                for shard, rows in zip(lookup.shards, wanted.rows, strict=True)
            ]
            found = [self._note_seen(server, call.result())[0] for server, call in calls]
        values.update(zip(lookup.rows, found, strict=True))

    def _push(
        self,
        updates: Sequence[PlannedApplyGradients],
        changes: Sequence[PlannedAssignment],
        wanted: Mapping[int, Sequence[str]],
    ) -> ReadsByServer:
        """Sends updates and changes; returns the wanted values, after the push, of the servers that got one."""
        sends = self._gradients(updates)
        added: dict[int, dict[str, Any]] = defaultdict(dict)
        replaced: dict[int, dict[str, Any]] = defaultdict(dict)
        for change in changes:
            for location in change.locations:
                (added if change.adds else replaced)[location.server][location.key] = self._values[change.value]
        pushed = sorted({*sends, *added, *replaced})
        if not pushed:
            return {}
        push_id = self._worker.next_push_id()
        with self._worker.clock.part(TimeCategory.SERVERS):
            calls = {}
            for server in pushed:
                push = Push(sends[server], added[server], replaced[server], self._seen.pop(server, None))
                keys = wanted.get(server)
                method, arguments = ("push_and_read", (keys,)) if keys else ("push", ())
                calls[server] = self._servers[server].call(method, push_id, push, *arguments)
            answers = {server: call.result() for server, call in calls.items()}
            return {server: answer for server, answer in answers.items() if wanted.get(server)}

    def _gradients(self, updates: Sequence[PlannedApplyGradients]) -> dict[int, list[UpdateGradients]]:
        """Returns, by server, the gradients of its parts of these updates."""
        sends: dict[int, list[UpdateGradients]] = defaultdict(list)
        values = self._values
        for update in updates:
            if not np.asarray(values[update.finite]):  # three times as fast as JAX's `bool`
                raise InvalidArgumentError(_not_finite(update, values))
            every = [
                values[g.value] if g.ids is None else SparseGradient(values[g.ids], values[g.value])
                for g in update.gradients
            ]
            for part in update.parts:
                gradients = [every[i] for i in part.gradients]
                self._prepare(part.update, gradients)
                sends[part.server].append(UpdateGradients(part.update, gradients))
        return sends


def _by_server(wanted: Sequence[tuple[Number, ServerLocation]]) -> dict[int, tuple[list[Number], list[str]]]:
    """Returns the numbers and keys of the wanted values, by server."""
    found: dict[int, tuple[list[Number], list[str]]] = {}
    for number, location in wanted:
        numbers, keys = found.setdefault(location.server, ([], []))
        numbers.append(number)
        keys.append(location.key)
    return found


def _not_finite(update: PlannedApplyGradients, values: Values) -> str:
    """Returns the error message for a gradient that has NaN or infinity."""
    names = [g.path for g in update.gradients if not np.isfinite(np.asarray(values[g.value])).all()]
    return (
        f"{update.optimizer}: the gradient of {', '.join(names)} has NaN or infinity, so no server got this update. "
        "Look for a division by zero or a logarithm of it, or a learning rate that is too large."
    )
