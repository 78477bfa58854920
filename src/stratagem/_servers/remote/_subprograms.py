"""Compiles the subprograms of a step's analysis, each a function of the values that were computed before it."""

from collections.abc import Callable, Hashable, Iterator, Sequence
from typing import Any, final

import jax
import jax.numpy as jnp
from jax.extend import core as xc
from jax.sharding import PartitionSpec

from stratagem._core.mesh import ReplicaMesh
from stratagem._core.rewrites import compiler_options
from stratagem._core.step import sub_function
from stratagem._private import is_literal
from stratagem._servers.remote._markers import lookup_p, scatter_p, scattered
from stratagem._servers.remote._step_analysis import StepAnalysis

# The name of a value that a subprogram reads or makes: a variable of the program, or ("rows", group, shard), ("inverse",
# group, ids), ("finite", update), ("difference", change). (The ids of rows are ("row_ids", group, shard).)
Name = Hashable
Env = dict[Name, Any]


@final
class Subprogram:
    """A compiled function, `run`: takes a list of the values named in `reads`, returns a list of those named in `makes`."""

    def __init__(self, analysis: StepAnalysis, eqns: Sequence[Any], makes: Sequence[Name], mesh: ReplicaMesh) -> None:
        self.makes = list(makes)
        self._analysis = analysis
        made = {v for e in eqns for v in e.outvars}
        self._segments = list(_segments(analysis, eqns))
        read = dict.fromkeys(n for s in self._segments for n in s.reads)
        read |= dict.fromkeys(n for n in self._operands())
        read |= dict.fromkeys(n for n in self.makes if not isinstance(n, tuple))
        self.reads = [n for n in read if n not in made and n not in analysis.consts]
        self.run = self._compiled(mesh)

    def _operands(self) -> list[Name]:
        """Returns the names from which the values "finite" and "difference" of this subprogram are computed."""
        names: list[Any] = []
        for name in self.makes:
            if isinstance(name, tuple) and name[0] == "finite":
                names += self._analysis.applied[name[1]].gradients
            if isinstance(name, tuple) and name[0] == "difference":
                change = self._analysis.changes[name[1]]
                names += [change.value, change.minus]
        return [n for n in names if not is_literal(n)]

    def _compiled(self, mesh: ReplicaMesh) -> Callable[[list[Any]], list[Any]]:
        def run(values: list[Any]) -> list[Any]:
            env: Env = dict(zip(self.reads, values, strict=True)) | dict(self._analysis.consts)
            for segment in self._segments:
                segment(env)
            return [self._value(name, env) for name in self.makes]

        every = PartitionSpec()
        mapped = jax.shard_map(run, mesh=mesh.mesh, in_specs=every, out_specs=every, check_vma=False)
        program = self._analysis.traced.closed.jaxpr
        return jax.jit(mapped, compiler_options=compiler_options(mesh.devices[0].platform, program))

    def _value(self, name: Any, env: Env) -> Any:
        if not isinstance(name, tuple):
            return env[name]
        if name[0] == "finite":
            parts = [_read(v, env) for v in self._analysis.applied[name[1]].gradients]
            return jnp.all(jnp.stack([jnp.all(jnp.isfinite(x)) for x in parts]))
        change = self._analysis.changes[name[1]]
        return _read(change.value, env) - _read(change.minus, env)


@final
class _EquationGroup:
    """Consecutive ordinary equations, which `run` computes together, or one equation that is computed in a special way."""

    def __init__(self, reads: Sequence[Name], makes: Sequence[Name], run: Callable[..., Sequence[Any]]) -> None:
        self.reads, self._makes, self._run = list(reads), list(makes), run

    def __call__(self, env: Env) -> None:
        env.update(zip(self._makes, self._run(*(env[n] for n in self.reads)), strict=True))


def _segments(analysis: StepAnalysis, eqns: Sequence[Any]) -> Iterator[_EquationGroup]:
    """Yields the equations in order: special ones alone, the ordinary ones between two of them as one segment."""
    ordinary: list[Any] = []
    for eqn in eqns:
        special = _special(analysis, eqn)
        if special is None:
            ordinary.append(eqn)
            continue
        if ordinary:
            yield _ordinary_segment(analysis, ordinary)
            ordinary = []
        yield special
    if ordinary:
        yield _ordinary_segment(analysis, ordinary)


def _ordinary_segment(analysis: StepAnalysis, eqns: Sequence[Any]) -> _EquationGroup:
    made = {v for e in eqns for v in e.outvars}
    read = dict.fromkeys(v for e in eqns for v in e.invars if not is_literal(v))
    reads = [v for v in read if v not in made and v not in analysis.consts]
    makes = list(dict.fromkeys(v for e in eqns for v in e.outvars if not isinstance(v, xc.DropVar)))
    return _EquationGroup(reads, makes, sub_function(list(eqns), reads, makes, analysis.consts))


def _special(analysis: StepAnalysis, eqn: Any) -> _EquationGroup | None:
    group = analysis.group_of.get(id(eqn))
    if group is not None:
        shards = len(analysis.groups[group].shards)
        rows = [("rows", group, i) for i in range(shards)]
        if eqn.primitive is lookup_p:
            inverse = ("inverse", group, eqn.invars[-1])
            return _EquationGroup([inverse, *rows], eqn.outvars, lambda at, *parts: [_take_rows(parts, at)])
        assert eqn.primitive is scatter_p
        inverse = ("inverse", group, eqn.invars[1])
        return _EquationGroup([eqn.invars[0], inverse, *rows], eqn.outvars, _scatter_to_rows)
    rule = analysis.rules.get(id(eqn))
    if rule is None:
        return None
    reads = [v for v in eqn.invars if not is_literal(v)]

    def run(*operands: Any) -> list[Any]:
        values = iter(operands)
        return [rule([v.val if is_literal(v) else next(values) for v in eqn.invars])]

    return _EquationGroup(reads, eqn.outvars, run)


def _take_rows(parts: Sequence[Any], at: Any) -> Any:
    return jnp.take(jnp.concatenate(parts) if len(parts) > 1 else parts[0], at, axis=0)


def _scatter_to_rows(gradient: Any, at: Any, *parts: Any) -> list[Any]:
    """Returns, for the rows that were looked up in each shard, the sums of the gradients of equal rows."""
    return scattered(gradient, at, [p.shape[0] for p in parts])


def _read(atom: Any, env: Env) -> Any:
    return jnp.asarray(atom.val, atom.aval.dtype) if is_literal(atom) else env[atom]


def subprograms_of(analysis: StepAnalysis, mesh: ReplicaMesh) -> list[Subprogram]:
    """Returns the subprograms of an analysis, in order."""
    eqns = analysis.live_eqns
    ends = [analysis.place[id(e)] for e in eqns] + [a.call for a in analysis.applied]
    ends += [analysis.level[v] for v in (*analysis.results, *(c.value for c in analysis.changes)) if not is_literal(v)]
    last = max(ends, default=0)
    atoms = [*analysis.results, *(a for c in analysis.changes for a in (c.value, c.minus) if a is not None)]
    atoms += [v for a in analysis.applied for v in a.gradients] + [v for g in analysis.groups for v in g.ids]
    outside = {v for v in atoms if not is_literal(v)}
    # Values of variables that are sent or looked up unchanged: a subprogram passes them through, so that they are read.
    through = [v for c in analysis.changes for v in (c.value,) if not is_literal(v) and v in analysis.position_of]
    through += [v for g in analysis.groups for v in g.ids if not is_literal(v) and v in analysis.position_of]
    subprograms = []
    for k in range(last + 1):
        mine = [e for e in eqns if analysis.place[id(e)] == k]
        later = {v for e in eqns if analysis.place[id(e)] > k for v in e.invars if not is_literal(v)}
        makes: list[Any] = [v for e in mine for v in e.outvars if v in outside or v in later]
        makes += [v for v in dict.fromkeys(through) if analysis.level[v] == k]
        makes += [("finite", i) for i, a in enumerate(analysis.applied) if a.call == k]
        if k == last:
            makes += [("difference", i) for i, c in enumerate(analysis.changes) if c.minus is not None]
        subprograms.append(Subprogram(analysis, mine, makes, mesh))
    return subprograms
