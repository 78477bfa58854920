"""ServerProgram: a traced step over variables that servers keep, made into a plan that any worker can follow."""

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
    RemoteArray,
    RemoteProgram,
    Trace,
    begun,
    everywhere,
    is_literal,
    tracing,
)
from stratagem._core.values import is_remote, placement_of
from stratagem._private import is_seed_state
from stratagem._servers.remote._execution_plan import (
    CompiledSubprogram,
    ExecutionPlan,
    SentChange,
    SentUpdate,
    ServerLocation,
    TableLookup,
)
from stratagem._servers.remote._parts import UpdatePart, parts_of
from stratagem._servers.remote._server import NotHereError
from stratagem._servers.remote._servers import Servers
from stratagem._servers.remote._step_analysis import StepAnalysis
from stratagem._servers.remote._subprograms import Subprogram, subprograms_of
from stratagem._servers.remote._worker import Worker


@final
class ServerProgram(RemoteProgram):
    """One signature of a step, traced once, run by any worker."""

    def __init__(self, made: Trace, arguments: Arguments, mesh: ReplicaMesh) -> None:
        self._variables, self._results, self._mesh = made.variables, made.results, mesh
        self._placements: list[Any] = [placement_of(v) for v in made.variables]
        self._trainable = [v._trainable for v in made.variables]
        self._servers: Servers = next(p.servers for p in self._placements if p is not None and p.remote)
        _check_strategy(made, self._servers)
        _check_written(made)
        self._settings = made.settings
        self._analysis = StepAnalysis(made, len(made.results.per_replica))
        self._subprograms = subprograms_of(self._analysis, mesh)
        self._written = self._write()
        self._first = True

    @property
    def stale(self) -> bool:
        """True if a variable was placed anew, its `trainable` changed, or a setting that the program follows."""
        return self._settings.changed or any(
            v._placement is not p or v._trainable is not t
            for v, p, t in zip(self._variables, self._placements, self._trainable, strict=True)
        )

    def __call__(self, arguments: Arguments) -> Any:
        """Run once, on the worker of the context, without stand-ins. Waits for the servers to have taken what it changes."""
        return self.repeat(arguments, 1, tensors=True)[0]

    def repeat(self, arguments: Arguments, times: int, *, tensors: bool) -> list[Any]:
        """As RemoteProgram's, on the worker of the context."""
        taken = self._taken(arguments, times)
        if tensors:
            taken = [[everywhere(v, self._mesh) if isinstance(v, RemoteArray) else v for v in found] for found in taken]
        return list(map(self._results.rebuilt, taken))

    def _taken(self, arguments: Arguments, times: int) -> list[list[Any]]:
        """The results of some steps."""
        worker = Worker.current()
        # Pushes without numbers, of the coordinator's own steps, are not sent again: no variable may move meanwhile.
        if self._first or not worker.numbered:
            with tracing:
                results = self._run(worker, arguments, 1)
                self._first = self._first and not results
                return results
        return self._run(worker, arguments, times)

    def _run(self, worker: Any, arguments: Arguments, times: int) -> list[list[Any]]:
        """As `_taken`; what is left of a step, if one of its variables has moved since it began, is done again."""
        given = [*(v.array[0] for v in arguments.own), *arguments.shared]
        with begun(self._mesh.job, first=self._first):
            while True:
                moves = self._servers.moves
                try:
                    results: list[list[Any]] = worker.follow(
                        self._present(moves), given, self._servers, self._mesh, times
                    )
                    return results
                except NotHereError:
                    if not self._servers.moved_since(moves):
                        raise

    def _present(self, moves: int) -> ExecutionPlan:
        """The plan, with all variables where they are after so many moves."""
        if moves != self._written.moves:
            if self._where() == self._written.places:
                self._written = dataclasses.replace(self._written, moves=moves)
            else:
                with tracing:
                    self._written = self._write()
        return self._written.plan

    def _write(self) -> "_Written":
        """Everything as it is now. `tracing` is held: nobody else compiles updates, and moves variables."""
        parts = [parts_of(self._servers, applied, self._mesh) for applied in self._analysis.applied]
        moves, places = self._servers.moves, self._where()
        return _Written(_Writer(self._analysis, self._servers, self._subprograms, parts).plan(), parts, places, moves)

    def _where(self) -> list[tuple[ServerLocation, ...]]:
        return [self._servers.places(p) for p in self._placements if p is not None and p.remote]


@dataclass(frozen=True)
class _Written:
    """A plan, the parts of its updates, which live as long, and where its variables are, after so many moves."""

    plan: ExecutionPlan
    parts: Sequence[Sequence[UpdatePart]]
    places: Sequence[tuple[ServerLocation, ...]]
    moves: int


class _Writer:
    """Writes an analysis down as a plan: gives its values numbers, and its variables places."""

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
        variables = analysis.made.variables
        inputs = analysis.inputs[: len(variables)]
        read = {n for subprogram in self._subprograms for n in subprogram.reads} | {
            v for v in analysis.results if not is_literal(v)
        }
        known = [(v, variables[i]) for i, v in enumerate(inputs) if v in read]
        later = [(v, i) for v, i in analysis.version.items() if v in read and v not in set(inputs)]
        own = [c for c in analysis.changed if not is_remote(variables[c.position])]
        for v, value in analysis.consts.items():
            self._constants.append((self._number(v), value))
        plan = ExecutionPlan(
            inputs=tuple(map(self._number, analysis.inputs[len(variables) :])),
            constants=(),
            whole=tuple((self._number(v), self._place(x)) for v, x in known if is_remote(x)),
            late=tuple((analysis.level[v] - 1, self._number(v), self._place(variables[i])) for v, i in later),
            seeds=tuple((self._number(v), x) for v, x in known if not is_remote(x)),
            kept=tuple((self._value(c.value), variables[c.position]) for c in own),
            subprograms=tuple(
                CompiledSubprogram(tuple(map(self._number, p.reads)), tuple(map(self._number, p.makes)), p.run)
                for p in self._subprograms
            ),
            look_ups=tuple(self._lookup(i) for i, group in enumerate(analysis.groups) if group.ids),
            updates=tuple(sorted((self._update(i) for i in range(len(analysis.applied))), key=lambda u: u.call)),
            changes=tuple(self._change(i) for i, c in enumerate(analysis.changed) if is_remote(variables[c.position])),
            results=tuple(map(self._value, analysis.results)),
            checks=analysis.made.results.checks,
        )
        return dataclasses.replace(plan, constants=tuple(self._constants))  # literals among the values are known now

    def _number(self, name: Hashable) -> int:
        if name not in self._numbers:
            self._numbers[name] = next(self._counter)
        return self._numbers[name]

    def _value(self, atom: Any) -> int:
        """The number of a value; a literal becomes a constant."""
        if not is_literal(atom):
            return self._number(atom)
        self._constants.append((number := next(self._counter), jnp.asarray(atom.val, atom.aval.dtype)))
        return number

    def _place(self, variable: Any) -> ServerLocation:
        return self._servers.places(placement_of(variable))[0]

    def _lookup(self, i: int) -> TableLookup:
        group = self._analysis.groups[i]
        shards = [self._analysis.made.variables[p] for p in group.shards]
        return TableLookup(
            group.call,
            group.updated,
            shards[0].path,
            tuple((self._place(v), v.shape[0]) for v in shards),
            tuple(map(self._value, group.ids)),
            tuple(self._number(("inverse", i, v)) for v in group.ids),
            tuple(self._number(("rows", i, s)) for s in range(len(shards))),
            tuple(self._number(("which", i, s)) for s in range(len(shards))),
        )

    def _update(self, i: int) -> SentUpdate:
        applied = self._analysis.applied[i]
        which = [None if g is None else self._number(("which", *g)) for g in applied.groups]
        paths = [v.path for v in applied.update.variables]
        values = map(self._value, applied.gradients)
        return SentUpdate(
            applied.call,
            applied.update.optimizer.name,
            self._number(("finite", i)),
            tuple(zip(paths, values, which, strict=True)),
            tuple((part.server, part.update.number, part.mine) for part in self._parts[i]),
        )

    def _change(self, i: int) -> SentChange:
        change = self._analysis.changed[i]
        places = self._servers.places(placement_of(self._analysis.made.variables[change.position]))
        value = self._value(change.value) if change.minus is None else self._number(("difference", i))
        return SentChange(places, value, change.adds)


def _check_strategy(made: Trace, servers: Servers) -> None:
    for variable in made.variables:
        placement: Any = placement_of(variable)
        if placement is not None and placement.remote and placement.servers is not servers:
            raise MixedStrategiesError(
                f"Mixing different tf.distribute.Strategy objects: a step uses {variable.path} and a variable on servers of "
                "another ParameterServerStrategy. Create all of them under one strategy."
            )


def _check_written(made: Trace) -> None:
    for variable, line in made.written:
        if not is_remote(variable) and not is_seed_state(variable) and current().worker is not None:
            raise ContextError(
                f"Variable {variable.path} was created outside of strategy.scope() and is assigned at {line}, on a worker of a "
                "parameter-server job, where every worker would change it. Create it within `with strategy.scope():`."
            )
