"""ServedProgram: a step over variables that servers keep. It asks for values, runs its pieces, and pushes what they change."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, final

import jax.numpy as jnp
import numpy as np

from stratagem._context import current
from stratagem._errors import ContextError, InvalidArgumentError
from stratagem._mesh import ReplicaMesh
from stratagem._private import is_seed_state
from stratagem.remote._look_up import wanted_rows
from stratagem.remote._pieces import Env, Piece
from stratagem.remote._plan import Applied, Plan
from stratagem.remote._server import Push
from stratagem.remote._servers import Servers
from stratagem.remote._update import How, Rows, ServerUpdate, how
from stratagem.remote._worker import Worker
from stratagem.step import Arguments, Trace, Update, begun, everywhere, is_literal, served, tracing
from stratagem.values import placement_of


@final
class ServedProgram:
    """One signature of a step, traced once, run by any worker."""

    def __init__(self, made: Trace, arguments: Arguments, mesh: ReplicaMesh) -> None:
        self._variables, self._results, self._mesh = made.variables, made.results, mesh
        self._placements: list[Any] = [placement_of(v) for v in made.variables]
        self._trainable = [v._trainable for v in made.variables]
        self._servers = next(p.servers for v, p in zip(made.variables, self._placements, strict=True) if served(v))
        _check_written(made)
        self._plan = plan = Plan(made, len(made.results.per_replica))
        self._pieces = _pieces(plan, mesh)
        self._first = True
        named = {n for piece in self._pieces for n in piece.reads} | {v for v in plan.results if not is_literal(v)}
        inputs = plan.inputs[: len(self._variables)]
        read = [(i, v) for i, v in enumerate(inputs) if v in named]
        self._whole = [(v, self._placements[i]) for i, v in read if served(self._variables[i])]
        self._own = [(v, self._variables[i]) for i, v in read if not served(self._variables[i])]
        self._late = [(v, p) for v, p in plan.version.items() if v in named and v not in set(inputs)]
        self._updates = [_Sent(a, self._servers, mesh) for a in plan.applied]
        self._sharing = self._shared()

    @property
    def stale(self) -> bool:
        """True if a variable was placed anew or its `trainable` changed, or another server counts the same updates."""
        moved = any(
            v._placement is not p or v._trainable is not t
            for v, p, t in zip(self._variables, self._placements, self._trainable, strict=True)
        )
        return moved or self._shared() != self._sharing

    def __call__(self, arguments: Arguments) -> Any:
        """Run once, on the worker of the context. Waits for the servers to have taken what it changes."""
        if self._first:
            with tracing:
                result = self._run(arguments)
                self._first = False
                return result
        return self._run(arguments)

    def _run(self, arguments: Arguments) -> Any:
        worker = current().worker or Worker.here
        with begun(self._mesh.job, first=self._first):
            env = self._begin(arguments, worker)
            pushed = 0
            for number, piece in enumerate(self._pieces):
                if number:
                    pushed = self._call(number - 1, env, worker, pushed)
                piece(env)
            self._push(env, worker, pushed, len(self._pieces), last=True)
        return self._results.rebuilt([_result(v, env) for v in self._plan.results])

    def _begin(self, arguments: Arguments, worker: Worker) -> Env:
        count = len(self._variables)
        given = [v.array[0] for v in arguments.own] + [everywhere(v, self._mesh) for v in arguments.shared]
        env: Env = {**self._plan.consts, **dict(zip(self._plan.inputs[count:], given, strict=True))}
        values = self._servers.read([p for _, p in self._whole])
        env.update((v, x) for (v, _), x in zip(self._whole, values, strict=True))
        env.update((v, worker.value(variable)) for v, variable in self._own)
        return env

    def _call(self, number: int, env: Env, worker: Worker, pushed: int) -> int:
        """What the servers do between two pieces: look-ups, and updates whose results are read."""
        for i, group in enumerate(self._plan.groups):
            if group.call == number:
                self._look_up(i, env)
        late = [(v, p) for v, p in self._late if self._plan.level[v] == number + 1]
        if late:
            pushed = self._push(env, worker, pushed, number, last=False)
            values = self._servers.read([self._placements[p] for _, p in late])
            env.update((v, x) for (v, _), x in zip(late, values, strict=True))
        return pushed

    def _look_up(self, number: int, env: Env) -> None:
        group = self._plan.groups[number]
        variables = [self._variables[p] for p in group.shards]
        ids = [v.val if is_literal(v) else env[v] for v in group.ids]
        wanted = wanted_rows(ids, [v.shape[0] for v in variables], variables[0].path)
        rows = self._servers.rows([(self._placements[p], r) for p, r in zip(group.shards, wanted.rows, strict=True)])
        env.update((("rows", number, i), r) for i, r in enumerate(rows))
        env.update((("inverse", number, v), jnp.asarray(x)) for v, x in zip(group.ids, wanted.inverse, strict=True))
        env["ids", number] = wanted.rows

    def _push(self, env: Env, worker: Worker, pushed: int, number: int, *, last: bool) -> int:
        """Send the updates up to this call that have not been sent, and in the end the other changes."""
        due = [(i, s) for i, s in enumerate(self._updates) if i >= pushed and s.applied.call <= number]
        for i, sent in due:
            if not bool(env["finite", i]):
                raise InvalidArgumentError(sent.not_finite(env))
        updates: dict[int, list[tuple[int, list[Any]]]] = defaultdict(list)
        for _, sent in due:
            for server, update in sent.gradients(env).items():
                updates[server].append(update)
        added: dict[int, dict[str, Any]] = defaultdict(dict)
        kept: dict[int, dict[str, Any]] = defaultdict(dict)
        for i, change in enumerate(self._plan.changed if last else ()):
            value = _result(change.value, env) if change.minus is None else env["difference", i]
            placement = self._placements[change.position]
            if not served(self._variables[change.position]):
                worker.keep(self._variables[change.position], value)
                continue
            for server in self._servers.sharing(placement):
                (added if change.adds else kept)[server][placement.key] = value
        servers = {*updates, *added, *kept}
        if servers:
            pushes = {s: Push(updates[s], added[s], kept[s]) for s in sorted(servers)}
            self._servers.push(worker.next_origin(), pushes)
        return len(self._updates) if last else pushed + len(due)

    def _shared(self) -> list[frozenset[int]]:
        return [
            frozenset(self._servers.sharing(placement_of(s.applied.update.optimizer._iterations)))
            for s in self._updates
        ]


@final
class _Sent:
    """An update of a program: which servers it goes to, and what each gets."""

    def __init__(self, applied: Applied, servers: Servers, mesh: ReplicaMesh) -> None:
        self.applied = applied
        update = applied.update
        hows = [how(update.optimizer, v, g is not None) for v, g in zip(update.variables, applied.groups, strict=True)]
        places = [servers.home(placement_of(v)) for v in update.variables]
        everywhere = {*places, *(s for v in update.counted for s in servers.copies(placement_of(v)))}
        self._parts = {
            server: (_learned(servers, server, update, hows, [i for i, p in enumerate(places) if p == server], mesh))
            for server in sorted(everywhere)
        }

    def gradients(self, env: Env) -> dict[int, tuple[int, list[Any]]]:
        """By server: the number of the update, and its gradients."""
        found = {}
        for server, (number, update, mine) in self._parts.items():
            found[server] = (number, [self._gradient(i, env) for i in mine])
            update.prepare(found[server][1])
        return found

    def not_finite(self, env: Env) -> str:
        """The error for a gradient that is no number."""
        names = []
        for i, variable in enumerate(self.applied.update.variables):
            gradient = self._gradient(i, env)
            values = gradient.values if isinstance(gradient, Rows) else gradient
            if not np.isfinite(np.asarray(values)).all():
                names.append(variable.path)
        return (
            f"{self.applied.update.optimizer.name}: the gradient of {', '.join(names)} has NaN or infinity. Nothing was sent "
            "to the servers. Look for a division by zero or a logarithm of it, or a learning rate that is too large."
        )

    def _gradient(self, index: int, env: Env) -> Any:
        group, value = self.applied.groups[index], _result(self.applied.gradients[index], env)
        if group is None:
            return value
        return Rows(env["ids", group[0]][group[1]], value)


def _learned(
    servers: Servers, server: int, update: Update, hows: Sequence[How], mine: list[int], mesh: ReplicaMesh
) -> tuple[int, ServerUpdate, list[int]]:
    """Teach a server its part of an update: number, function, and the variables (by index) whose gradients it takes."""
    variables, kinds = [update.variables[i] for i in mine], [hows[i] for i in mine]
    key = (server, id(update.optimizer), tuple(map(id, variables)), tuple(kinds))
    with servers.lock:
        known = servers.known_updates.get(key)
        if known is None:
            made = ServerUpdate(update.optimizer, variables, kinds, mesh)
            placements: list[Any] = [placement_of(v) for v in made.state]
            for variable, placement in zip(made.state, placements, strict=True):
                if placement is None or not placement.served:
                    raise ContextError(
                        f"{update.optimizer.name} has variable {variable.path}, which is on no parameter server: create the "
                        "optimizer within `with strategy.scope():`, as the model."
                    )
                if variable._beside is None and not any(variable is v for v in variables):
                    servers.share(placement, server)
            known = servers.known_updates[key] = (servers.next_update(), made)
            servers[server].learn(*known, [p.key for p in placements])
    return (*known, mine)


def _check_written(made: Trace) -> None:
    for variable, line in made.written:
        if not served(variable) and not is_seed_state(variable) and current().worker is not None:
            raise ContextError(
                f"Variable {variable.path} was created outside of strategy.scope() and is assigned at {line}, on a worker of a "
                "parameter-server job, where every worker would change it. Create it within `with strategy.scope():`."
            )


def _pieces(plan: Plan, mesh: ReplicaMesh) -> list[Piece]:
    eqns = plan.needed()
    ends = [plan.place[id(e)] for e in eqns] + [a.call for a in plan.applied]
    ends += [plan.level[v] for v in (*plan.results, *(c.value for c in plan.changed)) if not is_literal(v)]
    last = max(ends, default=0)
    outside = {v for v in plan.results if not is_literal(v)}
    outside |= {c.value for c in plan.changed if not is_literal(c.value)}
    outside |= {c.minus for c in plan.changed if c.minus is not None}
    outside |= {v for a in plan.applied for v in a.gradients if not is_literal(v)}
    outside |= {v for g in plan.groups for v in g.ids if not is_literal(v)}
    pieces = []
    for k in range(last + 1):
        mine = [e for e in eqns if plan.place[id(e)] == k]
        read_later = {v for e in eqns if plan.place[id(e)] > k for v in e.invars if not is_literal(v)}
        makes: list[Any] = [v for e in mine for v in e.outvars if v in outside or v in read_later]
        makes += [("finite", i) for i, a in enumerate(plan.applied) if a.call == k]
        if k == last:
            makes += [("difference", i) for i, c in enumerate(plan.changed) if c.minus is not None]
        pieces.append(Piece(plan, mine, k, makes, mesh))
    return pieces


def _result(atom: Any, env: Env) -> Any:
    return jnp.asarray(atom.val, atom.aval.dtype) if is_literal(atom) else env[atom]
