"""Cuts the programs of several row counts at their collectives, into local and global pieces (for uneven batches).

A program becomes   L0  G1  L1  G2  L2 ...
  L, local:  what depends on the replica's own rows, its id or its shapes. One version for every shape. No communication.
  G, global: the collectives, and what depends on equal values only (the optimizer's update). One version for all replicas,
             so that mirrored variables stay equal to the last bit.
Values that are the same on all replicas, whatever their rows ("common"), have one number in all versions.
"""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.mesh import exact
from stratagem._core.step.collectives._varying_outputs import COLLECTIVES, EQUALIZING
from stratagem._core.step.differentiation._differentiate import AxisEnv
from stratagem._core.step.programs._inline_collectives import flatten, has_side_effects
from stratagem._private import is_literal, needed_equations, new_jaxpr

Var = xc.Var
Eqn = xc.JaxprEqn


def _describe(params: dict[str, Any]) -> str:
    """Returns a call's parameters as text that is equal in another trace: subprograms with their constants, no functions."""
    parts: list[Any] = []
    for key, value in params.items():
        for x in value if isinstance(value, tuple) else (value,):
            if isinstance(x, xc.ClosedJaxpr):
                parts.append((key, str(x.jaxpr), *(np.asarray(c).tobytes() for c in x.consts)))
            elif not callable(x) and type(x).__name__ != "WrappedFun":
                parts.append((key, str(x)))
    return str(parts)


def sub_function(
    eqns: Sequence[Eqn], reads: Sequence[Var], outs: Sequence[Any], constants: Mapping[Var, Any]
) -> Callable[..., list[Any]]:
    """Returns equations as a function from `reads` to `outs`. constants: the values of variables that are no inputs."""
    used = {v for atoms in (outs, *(e.invars for e in eqns)) for v in atoms if not is_literal(v)}
    consts = [v for v in constants if v in used]
    run = xc.jaxpr_as_fun(xc.ClosedJaxpr(new_jaxpr(consts, reads, outs, eqns), [exact(constants[v]) for v in consts]))
    return lambda *args: [
        jnp.asarray(x, o.aval.dtype) if is_literal(o) else x for x, o in zip(run(*args), outs, strict=True)
    ]


class RowCountProgram:
    """The flat program of one row count. Inputs: the replica's id, values equal on all replicas, the replica's own values."""

    def __init__(self, closed: xc.ClosedJaxpr, equal: Sequence[bool], axis_env: AxisEnv) -> None:
        self.id = xc.Var(jax.typeof(np.int32(0)))
        self.equal = [v for v, e in zip(closed.jaxpr.invars, equal, strict=True) if e]
        self.own = [v for v, e in zip(closed.jaxpr.invars, equal, strict=True) if not e]
        self.consts = {v: np.asarray(c) for v, c in zip(closed.jaxpr.constvars, closed.consts, strict=True)}
        self.eqns, self.outs = flatten(closed.jaxpr, self.id, axis_env)
        self.collectives = [e for e in self.eqns if e.primitive.name in COLLECTIVES]
        self.numbers: dict[Var, int] = {}
        self.level: dict[int, int] = {}
        self.is_common: dict[int, bool] = {}

    def number(self, intern: Callable[..., int]) -> None:
        """Numbers the values that depend on equal values only: the same computation has the same number in every version."""
        self.numbers = {v: intern("equal", i) for i, v in enumerate(self.equal)}
        self.numbers |= {v: intern("const", c.dtype.str, c.shape, c.tobytes()) for v, c in self.consts.items()}
        count = 0
        for eqn in self.eqns:
            ins = tuple(self.number_of(v, intern) for v in eqn.invars)
            key: tuple[Any, ...] | None = None
            if eqn.primitive.name in COLLECTIVES:
                key, count = (("collective", count) if eqn.primitive.name in EQUALIZING else None), count + 1
            elif None not in ins and not has_side_effects(eqn):
                key = ("equation", eqn.primitive.name, _describe(eqn.params), ins)
            if key is not None:
                self.numbers.update((v, intern(key, j)) for j, v in enumerate(eqn.outvars))

    def number_of(self, atom: Any, intern: Callable[..., int]) -> int | None:
        """Returns the number of a variable or a literal; None for a value of the replica's own."""
        if is_literal(atom):
            return intern("literal", str(atom.aval), np.asarray(atom.val).tobytes())
        return self.numbers.get(atom)

    def values(self) -> list[Var]:
        """Returns every variable, in the order of definition."""
        return [self.id, *self.equal, *self.own, *self.consts, *(v for e in self.eqns for v in e.outvars)]

    def function(self, eqns: Sequence[Eqn], reads: Sequence[Var], outs: Sequence[Any]) -> Callable[..., list[Any]]:
        """Returns these equations as a function from `reads` to `outs`."""
        return sub_function(eqns, reads, outs, self.consts)

    def backward(
        self, outs: Sequence[Any], allowed: set[int], replaced: dict[int, Eqn] | None = None
    ) -> tuple[list[Eqn], list[Var]]:
        """Returns the allowed equations (by id) that `outs` need, some of them replaced, and the variables that they read."""
        eqns = [(replaced or {}).get(id(eqn), eqn) for eqn in self.eqns if id(eqn) in allowed]
        taken = needed_equations(eqns, outs, is_kept=lambda eqn, *_: has_side_effects(eqn))
        made = {v for eqn in taken for v in eqn.outvars} | {*self.consts}
        used = {v for atoms in (outs, *(eqn.invars for eqn in taken)) for v in atoms if not is_literal(v)}
        return taken, [v for v in self.values() if v in used and v not in made]


@dataclass(frozen=True)
class LocalPiece:
    """Computes from `reads` the operands of the next collective (`head`) and values for later local pieces (`keep`)."""

    eqns: list[Eqn]
    reads: list[Var]
    head: list[Any]
    keep: list[Var]


@dataclass(frozen=True)
class GlobalPiece:
    """A piece that runs on all replicas together.

    function(common values `reads` by number, the heads) -> common values `outs` by number, then each version's `names`.
    """

    function: Callable[..., list[Any]]
    reads: list[int]
    outs: list[int]
    names: dict[Hashable, list[Var]]


class Partition:
    """The pieces of a program in several versions.

    same_outs: which outputs are the same on all replicas, whatever their rows. local: pieces by number and version.
    globals: pieces by number, from 1. last: the number of the last pieces.
    """

    def __init__(self, versions: dict[Hashable, RowCountProgram]) -> None:
        self.versions = versions
        every = list(versions.values())
        self.first = every[0]
        _check_consistency(every)
        table: dict[tuple[Any, ...], int] = {}

        def intern(*key: Any) -> int:
            return table.setdefault(key, len(table))

        self._intern = intern
        for version in every:
            version.number(intern)
        self._common = set.intersection(*(self._known(v) for v in every))
        self.same_outs = [self._same(every, atoms) for atoms in zip(*(v.outs for v in every), strict=True)]
        columns = zip(*(v.collectives for v in every), strict=True)
        self._same_operands = [
            [self._same(every, a) for a in zip(*(e.invars for e in es), strict=True)] for es in columns
        ]
        groups = self._groups(every)
        # Common results, such as a random seed's next state, are made by a global piece, even if nothing is reduced.
        self.last = max(groups, default=int(any(self.same_outs)))
        self.local: dict[tuple[int, Hashable], LocalPiece] = {}
        self.globals: dict[int, GlobalPiece] = {}
        self._make_pieces(groups)

    def common(self, version: RowCountProgram, atom: Any) -> int | None:
        """Returns the number of a value that every version has; None for a replica's own."""
        n = version.number_of(atom, self._intern)
        return n if n in self._common else None

    def _known(self, version: RowCountProgram) -> set[int]:
        atoms = [*version.values(), *(v for e in version.eqns for v in e.invars), *version.outs]
        return {n for v in atoms if (n := version.number_of(v, self._intern)) is not None}

    def _same(self, every: Sequence[RowCountProgram], atoms: Sequence[Any]) -> bool:
        numbers = {self.common(version, atom) for version, atom in zip(every, atoms, strict=True)}
        return len(numbers) == 1 and None not in numbers

    def _groups(self, every: Sequence[RowCountProgram]) -> list[int]:
        """Returns for each collective the number of its global piece: the same in all versions, as early as all allow."""
        groups = [1] * len(self.first.collectives)
        while True:
            new = [max(g) for g in zip(*(self._levels(v, groups) for v in every), strict=True)]
            if new == groups:
                return groups
            groups = new

    def _levels(self, version: RowCountProgram, groups: list[int]) -> list[int]:
        """Counts the global pieces before each equation; stores the counts in the version, returns those of collectives."""
        at: dict[Var | xc.Literal, int] = {}
        found: list[int] = []
        for eqn in version.eqns:
            ins = [at.get(v, 0) if not is_literal(v) else 0 for v in eqn.invars]
            level = max(ins, default=0)
            if eqn.primitive.name in COLLECTIVES:
                same = self._same_operands[len(found)]
                level = max([groups[len(found)], *(n + (not s) for n, s in zip(ins, same, strict=True))])
                found.append(level)
            version.level[id(eqn)] = level
            version.is_common[id(eqn)] = not has_side_effects(eqn) and all(
                self.common(version, v) is not None for v in eqn.outvars
            )
            at.update((v, level) for v in eqn.outvars)
        return found

    def _make_pieces(self, groups: list[int]) -> None:
        """Makes the pieces from the last to the first: the reads of each one are the outputs that earlier ones must have."""
        demand: dict[Hashable, set[Var]] = {c: set() for c in self.versions}
        outs = ((t, v) for t in self.versions.values() for v, same in zip(t.outs, self.same_outs, strict=True) if same)
        wanted = {self.common(t, v) for t, v in outs}
        for k in range(self.last, -1, -1):
            for c, t in self.versions.items():
                self.local[k, c] = piece = self._local_piece(t, k, groups, demand[c])
                for v in piece.reads:
                    number = self.common(t, v)
                    demand[c].add(v) if number is None else wanted.add(number)
            if k:
                self.globals[k] = made = self._global_piece(k, groups, wanted)
                wanted.update(made.reads)

    def _local_piece(self, t: RowCountProgram, k: int, groups: list[int], demand: set[Var]) -> LocalPiece:
        # Equations that depend on variables only are cheap, and computed again wherever they are needed.
        free = {id(e) for e in t.eqns if t.is_common[id(e)] and t.level[id(e)] == 0}
        mine = {
            id(e)
            for e in t.eqns
            if t.level[id(e)] == k and not t.is_common[id(e)] and e.primitive.name not in COLLECTIVES
        }
        made = {v for e in t.eqns if id(e) in mine for v in e.outvars}
        if k < self.last:
            head = self._imports(t, k + 1, groups)
        else:
            head = [v for v, same in zip(t.outs, self.same_outs, strict=True) if not same]
        keep = [v for v in t.values() if v in demand & made]
        eqns, reads = t.backward([*head, *keep], mine | free)
        return LocalPiece(eqns, reads, head, keep)

    def _imports(self, t: RowCountProgram, k: int, groups: list[int]) -> list[Any]:
        """Returns the replicas' own values that the collectives of global piece k take."""
        rows = zip(t.collectives, groups, self._same_operands, strict=True)
        return [v for e, g, sames in rows if g == k for v, same in zip(e.invars, sames, strict=True) if not same]

    def _global_piece(self, k: int, groups: list[int], wanted: set[int | None]) -> GlobalPiece:
        t = self.first
        chosen = [e for e, g in zip(t.collectives, groups, strict=True) if g == k]
        levels = (0, k)
        allowed = {id(e) for e in t.eqns if t.is_common[id(e)] and t.level[id(e)] in levels} | set(map(id, chosen))
        made = levels if k == self.last else (k,)
        outs = [
            v
            for e in t.eqns
            if id(e) in allowed and t.level[id(e)] in made
            for v in e.outvars
            if self.common(t, v) in wanted
        ]
        names = {
            c: [
                v
                for e, g in zip(u.collectives, groups, strict=True)
                if g == k
                for v in e.outvars
                if self.common(u, v) is None
            ]
            for c, u in self.versions.items()
        }
        sames = {id(e): s for e, s in zip(t.collectives, self._same_operands, strict=True)}
        fresh = {(id(e), n): xc.Var(v.aval) for e in chosen for n, v in enumerate(e.invars) if not sames[id(e)][n]}
        replaced = {id(e): e.replace(invars=[fresh.get((id(e), n), v) for n, v in enumerate(e.invars)]) for e in chosen}
        eqns, reads = t.backward([*outs, *(v for e in chosen for v in e.outvars)], allowed, replaced)
        reads = [v for v in reads if v not in set(fresh.values())]
        function = t.function(eqns, [*reads, *fresh.values()], [*outs, *names[next(iter(self.versions))]])
        return GlobalPiece(function, [self._number(t, v) for v in reads], [self._number(t, v) for v in outs], names)

    def _number(self, version: RowCountProgram, var: Var) -> int:
        number = self.common(version, var)
        assert number is not None  # by construction, global pieces read and make common values only
        return number


def _check_consistency(every: Sequence[RowCountProgram]) -> None:
    """Raises InvalidArgumentError unless the replicas make the same collectives, in the same order, on the same shapes."""
    first, *rest = every
    for other in rest:
        if len(first.collectives) != len(other.collectives):
            raise InvalidArgumentError(
                f"On this uneven batch the replicas make different numbers of collectives ({len(first.collectives)} and "
                f"{len(other.collectives)}): the step decides by the number of its rows whether to reduce."
            )
        for i, (a, b) in enumerate(
            zip(map(_outline, first.collectives), map(_outline, other.collectives), strict=True)
        ):
            if a != b:
                raise InvalidArgumentError(
                    f"On this uneven batch collective {i} differs between replicas: {a[0]} of {a[1]} against {b[0]} of "
                    f"{b[1]}. An all-reduce needs the same shape on every replica: reduce over the rows first."
                )


def _outline(eqn: Eqn) -> tuple[str, list[str], str]:
    return eqn.primitive.name, [str(v.aval) for v in eqn.invars], _describe(eqn.params)
