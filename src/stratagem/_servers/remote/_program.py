"""ParameterServerProgram: a traced step over variables on servers, as an execution plan that any worker can run."""

import dataclasses
import itertools
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax.numpy as jnp

from stratagem._base.errors import ContextError, MixedStrategiesError
from stratagem._core.context import current
from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step import (
    Arguments,
    HostValue,
    ReceivedArray,
    RemoteProgram,
    StringsResult,
    Trace,
    on_all_devices,
    program_call,
    tracing,
    with_strings,
)
from stratagem._core.values import is_remote, placement_of
from stratagem._private import is_literal, is_seed_state
from stratagem._servers.remote._execution_plan import (
    CompiledSubprogram,
    ExecutionPlan,
    PlannedApplyGradients,
    PlannedAssignment,
    PlannedGradient,
    PlannedLookup,
    PlannedRead,
    PlannedServerUpdate,
    ServerLocation,
    TableShard,
)
from stratagem._servers.remote._parts import UpdatePart, parts_of
from stratagem._servers.remote._server import MissingVariableError
from stratagem._servers.remote._servers import Servers
from stratagem._servers.remote._step_analysis import StepAnalysis
from stratagem._servers.remote._subprograms import Subprogram, subprograms_of
from stratagem._servers.remote._worker import Worker


@final
class ParameterServerProgram(RemoteProgram):
    """The program of one signature of a step: traced once, run by any worker."""

    def __init__(self, traced: Trace, arguments: Arguments, mesh: ReplicaMesh) -> None:
        self._variables, self._results, self._mesh = traced.variables, traced.results, mesh
        self._placements: list[Any] = [placement_of(v) for v in traced.variables]
        self._trainable = [v._trainable for v in traced.variables]
        self._servers: Servers = next(p.servers for p in self._placements if p is not None and p.remote)
        _check_strategy(traced, self._servers)
        _check_written(traced)
        strings = (v.value for v in traced.results.leaves if isinstance(v, StringsResult))
        self._returned: tuple[HostValue, ...] = tuple(dict.fromkeys(strings))
        self._settings = traced.settings
        self._analysis = StepAnalysis(traced, len(traced.results.per_replica))
        self._subprograms = subprograms_of(self._analysis, mesh)
        self._located = self._locate()
        self._first = True

    @property
    def stale(self) -> bool:
        """True if a variable got a new placement or its `trainable` changed, or a setting that the program depends on."""
        return self._settings.changed or any(
            v._placement is not p or v._trainable is not t
            for v, p, t in zip(self._variables, self._placements, self._trainable, strict=True)
        )

    def __call__(self, arguments: Arguments) -> Any:
        """Runs one step on the worker of the context; returns when the servers have applied its changes."""
        return self.repeat(arguments, 1, tensors=True)[0]

    def repeat(self, arguments: Arguments, times: int, *, tensors: bool) -> list[Any]:
        """Runs up to `times` steps on the worker of the context, as `RemoteProgram.repeat` says."""
        steps = self._run(arguments, times)
        if tensors:
            steps = [
                [on_all_devices(v, self._mesh) if isinstance(v, ReceivedArray) else v for v in found] for found in steps
            ]
        if arguments.host is None or arguments.host.there is None:
            return list(map(self._results.rebuilt, steps))
        numbers = len(self._results.per_replica)
        return [self._with_strings(self._results.rebuilt(found[:numbers]), found[numbers:]) for found in steps]

    def _with_strings(self, result: Any, strings: Sequence[Any]) -> Any:
        """Returns a step's result with the strings that the worker has returned, in the order of `returned`."""
        by_name = dict(zip(self._returned, strings, strict=True))
        return with_strings(result, lambda value: [by_name[value]])

    def _run(self, arguments: Arguments, times: int) -> list[list[Any]]:
        """Runs up to `times` steps, one if it is the first time; returns the results of each."""
        worker = Worker.current()
        # The coordinator's own steps push without numbers and cannot be repeated: no variable may move meanwhile.
        if self._first or not worker.numbered:
            with tracing:
                results = self._run_on(worker, arguments, 1)
                self._first = self._first and not results
                return results
        return self._run_on(worker, arguments, times)

    def _run_on(self, worker: Any, arguments: Arguments, times: int) -> list[list[Any]]:
        """Runs steps on a worker; repeats what was not done if one of the step's variables has moved meanwhile."""
        inputs = [*(v.array[0] for v in arguments.own), *arguments.shared]
        host = arguments.host
        there: dict[str, Any] = {"host": host, "returned": self._returned} if host and host.there else {}
        with program_call(self._mesh.job, first=self._first):
            while True:
                moves = self._servers.moves
                try:
                    results: list[list[Any]] = worker.follow(
                        self._plan_at(moves), inputs, self._servers, self._mesh, times, **there
                    )
                    return results
                except MissingVariableError:
                    if not self._servers.moved_since(moves):
                        raise

    def _plan_at(self, moves: int) -> ExecutionPlan:
        """Returns the plan with the variables' locations after this many moves; makes a new one if they have changed."""
        if moves != self._located.moves:
            if self._locations() == self._located.locations:
                self._located = dataclasses.replace(self._located, moves=moves)
            else:
                with tracing:
                    self._located = self._locate()
        return self._located.plan

    def _locate(self) -> "_LocatedPlan":
        """Makes a plan for the present locations. The lock `tracing` is held, so that nobody else moves variables."""
        parts = [parts_of(self._servers, applied, self._mesh) for applied in self._analysis.applied]
        moves, locations = self._servers.moves, self._locations()
        plan = _PlanBuilder(self._analysis, self._servers, self._subprograms, parts).plan()
        return _LocatedPlan(plan, parts, locations, moves)

    def _locations(self) -> list[tuple[ServerLocation, ...]]:
        return [self._servers.locations(p) for p in self._placements if p is not None and p.remote]


@dataclass(frozen=True)
class _LocatedPlan:
    """A plan with the locations of its variables after `moves` moves. It keeps the parts of its updates alive."""

    plan: ExecutionPlan
    parts: Sequence[Sequence[UpdatePart]]
    locations: Sequence[tuple[ServerLocation, ...]]
    moves: int


class _PlanBuilder:
    """Builds a plan from an analysis: numbers the values, and looks up where the variables lie."""

    def __init__(
        self,
        analysis: StepAnalysis,
        servers: Servers,
        subprograms: Sequence[Subprogram],
        parts: Sequence[Sequence[UpdatePart]],
    ) -> None:
        self._analysis, self._servers, self._subprograms, self._parts = analysis, servers, subprograms, parts
        self._numbers: dict[Hashable, int] = {}
        self._constants: list[tuple[int, Any]] = []
        self._counter = itertools.count()

    def plan(self) -> ExecutionPlan:
        analysis = self._analysis
        variables = analysis.traced.variables
        inputs = analysis.inputs[: len(variables)]
        read = {n for subprogram in self._subprograms for n in subprogram.reads} | {
            v for v in analysis.results if not is_literal(v)
        }
        initial = [(v, variables[i]) for i, v in enumerate(inputs) if v in read]
        updated = [(v, i) for v, i in analysis.position_of.items() if v in read and v not in set(inputs)]
        local_changes = [c for c in analysis.changes if not is_remote(variables[c.position])]
        for v, value in analysis.consts.items():
            self._constants.append((self._number(v), value))
        plan = ExecutionPlan(
            inputs=tuple(map(self._number, analysis.inputs[len(variables) :])),
            constants=(),
            reads=tuple((self._number(v), self._location(x)) for v, x in initial if is_remote(x)),
            late_reads=tuple(
                PlannedRead(analysis.level[v] - 1, self._number(v), self._location(variables[i])) for v, i in updated
            ),
            worker_reads=tuple((self._number(v), x) for v, x in initial if not is_remote(x)),
            worker_writes=tuple((self._value(c.value), variables[c.position]) for c in local_changes),
            subprograms=tuple(
                CompiledSubprogram(tuple(map(self._number, p.reads)), tuple(map(self._number, p.makes)), p.run)
                for p in self._subprograms
            ),
            lookups=tuple(self._lookup(i) for i, group in enumerate(analysis.groups) if group.ids),
            updates=tuple(sorted((self._update(i) for i in range(len(analysis.applied))), key=lambda u: u.call)),
            changes=tuple(self._change(i) for i, c in enumerate(analysis.changes) if is_remote(variables[c.position])),
            results=tuple(map(self._value, analysis.results)),
            checks=analysis.traced.results.checks,
        )
        return dataclasses.replace(plan, constants=tuple(self._constants))  # complete now: `_value` has added literals

    def _number(self, name: Hashable) -> int:
        if name not in self._numbers:
            self._numbers[name] = next(self._counter)
        return self._numbers[name]

    def _value(self, atom: Any) -> int:
        """Returns the number of a value; adds a literal to the constants."""
        if not is_literal(atom):
            return self._number(atom)
        self._constants.append((number := next(self._counter), jnp.asarray(atom.val, atom.aval.dtype)))
        return number

    def _location(self, variable: Any) -> ServerLocation:
        return self._servers.locations(placement_of(variable))[0]

    def _lookup(self, i: int) -> PlannedLookup:
        group = self._analysis.groups[i]
        shards = [self._analysis.traced.variables[p] for p in group.shards]
        return PlannedLookup(
            group.call,
            group.updated,
            shards[0].path,
            tuple(TableShard(self._location(v), v.shape[0]) for v in shards),
            tuple(map(self._value, group.ids)),
            tuple(self._number(("inverse", i, v)) for v in group.ids),
            tuple(self._number(("rows", i, s)) for s in range(len(shards))),
            tuple(self._number(("row_ids", i, s)) for s in range(len(shards))),
        )

    def _update(self, i: int) -> PlannedApplyGradients:
        applied = self._analysis.applied[i]
        row_ids = [None if g is None else self._number(("row_ids", *g)) for g in applied.groups]
        paths = [*(v.path for v in applied.update.variables), *applied.update.numbers]
        values = map(self._value, applied.gradients)
        return PlannedApplyGradients(
            applied.call,
            applied.update.optimizer.name,
            self._number(("finite", i)),
            tuple(map(PlannedGradient, paths, values, row_ids)),
            tuple(PlannedServerUpdate(part.server, part.update.number, part.gradients) for part in self._parts[i]),
        )

    def _change(self, i: int) -> PlannedAssignment:
        change = self._analysis.changes[i]
        locations = self._servers.locations(placement_of(self._analysis.traced.variables[change.position]))
        value = self._value(change.value) if change.minus is None else self._number(("difference", i))
        return PlannedAssignment(locations, value, change.adds)


def _check_strategy(traced: Trace, servers: Servers) -> None:
    for variable in traced.variables:
        placement: Any = placement_of(variable)
        if placement is not None and placement.remote and placement.servers is not servers:
            raise MixedStrategiesError(
                f"Mixing different tf.distribute.Strategy objects: a step uses {variable.path} and a variable on servers of "
                "another ParameterServerStrategy. Create all of them under one strategy."
            )


def _check_written(traced: Trace) -> None:
    for variable, line in traced.written:
        if not is_remote(variable) and not is_seed_state(variable) and current().worker is not None:
            raise ContextError(
                f"Variable {variable.path} was created outside of strategy.scope() and is assigned at {line}, on a worker of a "
                "parameter-server job, where every worker would change it. Create it within `with strategy.scope():`."
            )
