"""ServedProgram: a traced step over variables that servers keep, made into a recipe that any worker can follow."""

import dataclasses
import itertools
from collections.abc import Hashable, Sequence
from typing import Any, final

import jax.numpy as jnp

from stratagem._context import current
from stratagem._errors import ContextError, MixedStrategiesError
from stratagem._mesh import ReplicaMesh
from stratagem._private import is_seed_state
from stratagem.remote._pieces import Piece, pieces_of
from stratagem.remote._plan import Applied, Plan
from stratagem.remote._recipe import CompiledPiece, Place, Recipe, SentChange, SentUpdate, TableLookUp
from stratagem.remote._servers import Servers
from stratagem.remote._update import ServerUpdate, how
from stratagem.remote._worker import Worker
from stratagem.step import (
    Arguments,
    FarArray,
    FarProgram,
    Trace,
    Update,
    begun,
    everywhere,
    is_literal,
    served,
    tracing,
)
from stratagem.values import placement_of


@final
class ServedProgram(FarProgram):
    """One signature of a step, traced once, run by any worker."""

    def __init__(self, made: Trace, arguments: Arguments, mesh: ReplicaMesh) -> None:
        self._variables, self._results, self._mesh = made.variables, made.results, mesh
        self._placements: list[Any] = [placement_of(v) for v in made.variables]
        self._trainable = [v._trainable for v in made.variables]
        self._servers: Servers = next(p.servers for p in self._placements if p is not None and p.served)
        _check_strategy(made, self._servers)
        _check_written(made)
        plan = Plan(made, len(made.results.per_replica))
        self._updates: list[ServerUpdate] = []  # which live as long as this program
        updates = [_sent(self._servers, applied, mesh, self._updates) for applied in plan.applied]
        if len(updates) > 1:  # another update may have got copies of what it counts by, which all updates count up
            updates = [_sent(self._servers, applied, mesh, self._updates) for applied in plan.applied]
        self._moves = self._servers.moves
        self._kept = self._where()
        self._recipe = _Writer(plan, self._servers, pieces_of(plan, mesh), updates).recipe()
        self._first = True

    @property
    def stale(self) -> bool:
        """True if a variable was placed anew or its `trainable` changed, or servers keep it that did not."""
        moved = any(
            v._placement is not p or v._trainable is not t
            for v, p, t in zip(self._variables, self._placements, self._trainable, strict=True)
        )
        return moved or self._elsewhere()

    def __call__(self, arguments: Arguments) -> Any:
        """Run once, on the worker of the context, without stand-ins. Waits for the servers to have taken what it changes."""
        return self.often(arguments, 1, tensors=True)[0]

    def often(self, arguments: Arguments, times: int, *, tensors: bool) -> list[Any]:
        """As FarProgram's, on the worker of the context."""
        taken = self._taken(arguments, times)
        if tensors:
            taken = [[everywhere(v, self._mesh) if isinstance(v, FarArray) else v for v in found] for found in taken]
        return list(map(self._results.rebuilt, taken))

    def _taken(self, arguments: Arguments, times: int) -> list[list[Any]]:
        """The results of some steps."""
        if self._first:
            with tracing:
                results = self._run(arguments, 1)
                self._first = not results
                return results
        return self._run(arguments, times)

    def _run(self, arguments: Arguments, times: int) -> list[list[Any]]:
        worker = current().worker or Worker.here
        given = [*(v.array[0] for v in arguments.own), *arguments.shared]
        with begun(self._mesh.job, first=self._first):
            results: list[list[Any]] = worker.follow(self._recipe, given, self._servers, self._mesh, times)
        return results

    def _elsewhere(self) -> bool:
        """True if a variable of this program is not where it was."""
        moves = self._servers.moves
        if moves == self._moves:
            return False
        if self._where() != self._kept:
            return True
        self._moves = moves
        return False

    def _where(self) -> list[tuple[int, frozenset[int]]]:
        """Which server is asked for each variable, and which keep it."""
        places = [p for p in self._placements if p is not None and p.served]
        return [(self._servers.home(p), frozenset(self._servers.sharing(p))) for p in places]


class _Writer:
    """Writes a plan down as a recipe: gives its values numbers, and its variables places."""

    def __init__(self, plan: Plan, servers: Servers, pieces: Sequence[Piece], updates: Sequence[Any]) -> None:
        self._plan, self._servers, self._pieces, self._updates = plan, servers, pieces, updates
        self._numbers: dict[Hashable, int] = {}
        self._constants: list[tuple[int, Any]] = []
        self._fresh = itertools.count()

    def recipe(self) -> Recipe:
        plan = self._plan
        variables = plan.made.variables
        inputs = plan.inputs[: len(variables)]
        read = {n for piece in self._pieces for n in piece.reads} | {v for v in plan.results if not is_literal(v)}
        known = [(v, variables[i]) for i, v in enumerate(inputs) if v in read]
        later = [(v, i) for v, i in plan.version.items() if v in read and v not in set(inputs)]
        own = [c for c in plan.changed if not served(variables[c.position])]
        for v, value in plan.consts.items():
            self._constants.append((self._number(v), value))
        recipe = Recipe(
            inputs=tuple(map(self._number, plan.inputs[len(variables) :])),
            constants=(),
            whole=tuple((self._number(v), self._place(x)) for v, x in known if served(x)),
            late=tuple((plan.level[v] - 1, self._number(v), self._place(variables[i])) for v, i in later),
            seeds=tuple((self._number(v), x) for v, x in known if not served(x)),
            kept=tuple((self._value(c.value), variables[c.position]) for c in own),
            pieces=tuple(
                CompiledPiece(tuple(map(self._number, p.reads)), tuple(map(self._number, p.makes)), p.run)
                for p in self._pieces
            ),
            look_ups=tuple(self._look_up(i) for i, group in enumerate(plan.groups) if group.ids),
            updates=tuple(sorted((self._update(i) for i in range(len(plan.applied))), key=lambda u: u.call)),
            changes=tuple(self._change(i) for i, c in enumerate(plan.changed) if served(variables[c.position])),
            results=tuple(map(self._value, plan.results)),
        )
        return dataclasses.replace(recipe, constants=tuple(self._constants))  # literals among the values are known now

    def _number(self, name: Hashable) -> int:
        if name not in self._numbers:
            self._numbers[name] = next(self._fresh)
        return self._numbers[name]

    def _value(self, atom: Any) -> int:
        """The number of a value; a literal becomes a constant."""
        if not is_literal(atom):
            return self._number(atom)
        self._constants.append((number := next(self._fresh), jnp.asarray(atom.val, atom.aval.dtype)))
        return number

    def _place(self, variable: Any) -> Place:
        placement: Any = placement_of(variable)
        return Place(self._servers.home(placement), placement.key)

    def _look_up(self, i: int) -> TableLookUp:
        group = self._plan.groups[i]
        shards = [self._plan.made.variables[p] for p in group.shards]
        return TableLookUp(
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
        applied = self._plan.applied[i]
        which = [None if g is None else self._number(("which", *g)) for g in applied.groups]
        paths = [v.path for v in applied.update.variables]
        values = map(self._value, applied.gradients)
        return SentUpdate(
            applied.call,
            applied.update.optimizer.name,
            self._number(("finite", i)),
            tuple(zip(paths, values, which, strict=True)),
            self._updates[i],
        )

    def _change(self, i: int) -> SentChange:
        change = self._plan.changed[i]
        placement: Any = placement_of(self._plan.made.variables[change.position])
        places = tuple(Place(s, placement.key) for s in sorted(self._servers.sharing(placement)))
        value = self._value(change.value) if change.minus is None else self._number(("difference", i))
        return SentChange(places, value, change.adds)


def _sent(
    servers: Servers, applied: Applied, mesh: ReplicaMesh, kept: list[ServerUpdate]
) -> tuple[tuple[int, int, tuple[int, ...]], ...]:
    """By server that keeps one of an update's variables, or counts it: its part's number, and whose gradients it takes.

    kept: gets the parts.
    """
    update = applied.update
    hows = [how(update.optimizer, v, g is not None) for v, g in zip(update.variables, applied.groups, strict=True)]
    homes = [servers.home(placement_of(v)) for v in update.variables]
    every = {*homes, *(s for v in update.counted for s in servers.copies(placement_of(v)))}
    parts = []
    for server in sorted(every):
        mine = tuple(i for i, home in enumerate(homes) if home == server)
        variables = [update.variables[i] for i in mine]
        kinds = tuple(hows[i] for i in mine)

        def make(variables: Any = variables, kinds: Any = kinds) -> ServerUpdate:
            return ServerUpdate(update.optimizer, variables, kinds, mesh)

        number, made, new = servers.update((server, id(update.optimizer), *map(id, variables), kinds), make)
        if new:
            _learn(servers, server, number, made, update)
        parts.append((server, number, mine))
        kept.append(made)
    return tuple(parts)


def _learn(servers: Servers, server: int, number: int, made: ServerUpdate, update: Update) -> None:
    """Teach a server its part of an update, whose common variables it then keeps copies of."""
    placements: list[Any] = [placement_of(v) for v in made.state]
    for variable, placement in zip(made.state, placements, strict=True):
        if placement is None or not placement.served:
            raise ContextError(
                f"{update.optimizer.name} has variable {variable.path}, which is on no parameter server: create the "
                "optimizer within `with strategy.scope():`, as the model."
            )
        if variable._beside is None and not any(variable is v for v in update.variables):
            servers.share(placement, server)
    servers.teach(server, number, made, [p.key for p in placements])


def _check_strategy(made: Trace, servers: Servers) -> None:
    for variable in made.variables:
        placement: Any = placement_of(variable)
        if placement is not None and placement.served and placement.servers is not servers:
            raise MixedStrategiesError(
                f"Mixing different tf.distribute.Strategy objects: a step uses {variable.path} and a variable on servers of "
                "another ParameterServerStrategy. Create all of them under one strategy."
            )


def _check_written(made: Trace) -> None:
    for variable, line in made.written:
        if not served(variable) and not is_seed_state(variable) and current().worker is not None:
            raise ContextError(
                f"Variable {variable.path} was created outside of strategy.scope() and is assigned at {line}, on a worker of a "
                "parameter-server job, where every worker would change it. Create it within `with strategy.scope():`."
            )
