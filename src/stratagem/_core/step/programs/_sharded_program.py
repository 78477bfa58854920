"""Runs a program of whole values on shards of them: what every replica computes of an optimizer's update.

Operations that work element by element are computed on the shards. A reduction of all elements is one of the shards' results,
of which all that are known at one time share a message. What neither rule covers is computed on every replica, of whole values
that are gathered for it, so that the results are right for any program.
"""

import itertools
from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import jax.numpy as jnp
from jax.extend import core as xc

from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.rewrites import inline_calls
from stratagem._core.step.collectives._shards import is_element, own_shard, shared_by_shards, whole_values
from stratagem._core.step.programs._inline_collectives import called_jaxpr, communicates
from stratagem._core.values import ELEMENTWISE, ShardLayout
from stratagem._private import is_literal, new_jaxpr

_CALLS = ("jit", "pjit", "closed_call", "core_call", "custom_jvp_call", "custom_vjp_call", "checkpoint", "remat2")
_SAME_ELEMENTS = ("reshape", "squeeze", "expand_dims", "broadcast_in_dim")  # in the same order, if these are as many
# Those that were not found to have the same last bits at any position, for which `ELEMENTWISE` is, are as good here.
_ELEMENTWISE = {
    *ELEMENTWISE,
    *("pow", "rem", "cbrt", "exp2", "atan2", "nextafter", "reduce_precision", "real", "imag", "conj", "complex"),
    *("tan", "asin", "acos", "atan", "sinh", "cosh", "asinh", "acosh", "atanh", "lgamma", "digamma"),
}
# What a reduction has of no elements.
_NEUTRAL: dict[str, Callable[[Any], Any]] = {
    "reduce_sum": lambda dtype: 0,
    "reduce_prod": lambda dtype: 1,
    "reduce_and": lambda dtype: True,
    "reduce_or": lambda dtype: False,
    "reduce_max": lambda dtype: -jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).min,
    "reduce_min": lambda dtype: jnp.inf if jnp.issubdtype(dtype, jnp.floating) else jnp.iinfo(dtype).max,
}


@final
@dataclass(frozen=True)
class OwnShard:
    """A value of which this replica has one shard."""

    value: Any
    layout: ShardLayout


@dataclass(frozen=True)
class _Choice:
    """The choice between the results of branches, all of which are computed.

    index: which one, an int32 or a bool; None for the results of a call, of which there is one case.
    """

    index: Any
    cases: tuple[Sequence[Any], ...]
    outvars: Sequence[Any]

    @property
    def invars(self) -> list[Any]:
        """The operands, which have to be known before."""
        return [*([] if self.index is None else [self.index]), *itertools.chain(*self.cases)]


def _equal(value: Any) -> Any:
    return shared_by_shards(value) if isinstance(value, jax.core.Tracer) else value


@final
class ShardedRun:
    """One run of a program inside a trace."""

    def __init__(self, mesh: ReplicaMesh) -> None:
        self._mesh = mesh
        self._known: dict[Any, Any] = {}
        self._uniform: dict[Any, Any] = {}  # of values whose elements are all the same, that element
        self._reductions: list[tuple[Any, Any]] = []  # equations, and the results of this replica's shards
        self.gathered: dict[str, int] = {}  # operations that needed whole values, and how many bytes

    def __call__(self, closed: xc.ClosedJaxpr, inputs: Sequence[Any]) -> list[Any]:
        """Returns the results: each an `OwnShard`, or a value that all replicas have. inputs: likewise."""
        given = zip([*closed.jaxpr.constvars, *closed.jaxpr.invars], [*closed.consts, *inputs], strict=True)
        self._known.update((v, x if isinstance(x, OwnShard) else _equal(x)) for v, x in given)
        work: deque[Any] = deque(closed.jaxpr.eqns)
        while work:
            later: list[Any] = []
            while work:
                eqn = work.popleft()
                if all(is_literal(v) or v in self._known for v in eqn.invars):
                    work.extendleft(reversed(self._step(eqn)))
                else:
                    later.append(eqn)
            self._reduce_all()
            work.extend(later)
        return [self._value(v) for v in closed.jaxpr.outvars]

    def _value(self, atom: Any) -> Any:
        return jnp.asarray(atom.val, atom.aval.dtype) if is_literal(atom) else self._known[atom]

    def _step(self, eqn: Any) -> Sequence[Any]:
        """Computes an equation whose operands are known, or returns those that stand for it."""
        if isinstance(eqn, _Choice):
            self._choose(eqn)
            return ()
        name = eqn.primitive.name
        operands = [self._value(v) for v in eqn.invars]
        shards = [v for v in operands if isinstance(v, OwnShard)]
        if not shards:
            self._run_whole(eqn, operands)
        elif name in _CALLS and len((body := called_jaxpr(eqn)).jaxpr.invars) == len(operands):
            return self._inlined(body, eqn.invars, eqn.outvars)
        elif name == "cond" and not eqn.effects:
            return self._branches(eqn)
        elif name in _ELEMENTWISE:
            self._run_elements(eqn, operands, ShardLayout(tuple(eqn.outvars[0].aval.shape), self._mesh.num_replicas))
        elif name in _SAME_ELEMENTS and eqn.outvars[0].aval.shape and eqn.outvars[0].aval.size == shards[0].layout.size:
            shape = tuple(eqn.outvars[0].aval.shape)
            self._known[eqn.outvars[0]] = OwnShard(shards[0].value, ShardLayout(shape, shards[0].layout.count))
        elif name in _NEUTRAL and eqn.outvars[0].aval.size == 1:
            self._reductions.append((eqn, self._reduced(eqn, shards[0])))
        else:
            self._note_gathered(name, shards)
            self._run_whole(eqn, [self.whole(v) for v in operands])
        return ()

    def whole(self, value: Any) -> Any:
        """Returns the value that all replicas have."""
        return whole_values([value.value], [value.layout], self._mesh)[0] if isinstance(value, OwnShard) else value

    def _note_gathered(self, name: str, shards: Sequence[OwnShard]) -> None:
        size = sum(v.layout.size * v.value.dtype.itemsize for v in shards)
        self.gathered[name] = self.gathered.get(name, 0) + size

    def _run_whole(self, eqn: Any, operands: Sequence[Any]) -> None:
        names = [xc.Var(v.aval) for v in eqn.invars]
        one = new_jaxpr([], names, eqn.outvars, [eqn.replace(invars=names)])
        outs = xc.jaxpr_as_fun(xc.ClosedJaxpr(one, []))(*operands)
        if communicates(eqn):  # or asks for the replica's id
            outs = map(_equal, outs)
        self._known.update(zip(eqn.outvars, outs, strict=True))
        if eqn.primitive.name == "broadcast_in_dim" and not eqn.invars[0].aval.shape:
            self._uniform[eqn.outvars[0]] = operands[0]

    def _run_elements(self, eqn: Any, operands: Sequence[Any], layout: ShardLayout) -> None:
        pairs = zip(eqn.invars, operands, strict=True)
        outs = eqn.primitive.bind(*(self._elements(v, x, layout) for v, x in pairs), **eqn.params)
        (out,) = outs if eqn.primitive.multiple_results else (outs,)
        self._known[eqn.outvars[0]] = OwnShard(out, layout)

    def _elements(self, atom: Any, value: Any, layout: ShardLayout) -> Any:
        """Returns this replica's elements of an operand, which may be broadcast; a number as it is."""
        if isinstance(value, OwnShard) and value.layout.size == layout.size:
            return value.value
        value = self.whole(value)
        if not jnp.shape(value):
            return value
        uniform = None if is_literal(atom) else self._uniform.get(atom)
        if uniform is None and jnp.size(value) == 1:
            uniform = jnp.reshape(value, ())
        if uniform is not None:
            return jnp.full((layout.length,), uniform)
        return own_shard(jnp.broadcast_to(value, layout.shape), layout)

    def _reduced(self, eqn: Any, shard: OwnShard) -> Any:
        value = shard.value
        if shard.layout.filled:
            neutral = jnp.asarray(_NEUTRAL[eqn.primitive.name](value.dtype), value.dtype)
            value = jnp.where(is_element(shard.layout), value, neutral)
        return eqn.primitive.bind(value, **(eqn.params | {"axes": (0,)}))

    def _reduce_all(self) -> None:
        """Reduces over the replicas what was reduced in their shards: one message for each dtype."""
        by_dtype: dict[Any, list[tuple[Any, Any]]] = {}
        for eqn, value in self._reductions:
            by_dtype.setdefault(value.dtype, []).append((eqn, value))
        self._reductions = []
        for pairs in by_dtype.values():
            columns = jax.lax.all_gather(jnp.stack([value for _, value in pairs]), AXIS).T
            for (eqn, _), column in zip(pairs, columns, strict=True):
                found = eqn.primitive.bind(column, **(eqn.params | {"axes": (0,)}))
                self._known[eqn.outvars[0]] = jnp.reshape(found, eqn.outvars[0].aval.shape)

    def _inlined(self, body: xc.ClosedJaxpr, operands: Sequence[Any], outvars: Sequence[Any]) -> list[Any]:
        """Returns the equations of a called program, whose results get the names of the call's."""
        eqns, outs = self._renamed(body, operands)
        return [*eqns, _Choice(None, (outs,), outvars)]

    def _branches(self, eqn: Any) -> list[Any]:
        made = [self._renamed(branch, eqn.invars[1:]) for branch in eqn.params["branches"]]
        return [e for eqns, _ in made for e in eqns] + [
            _Choice(eqn.invars[0], tuple(outs for _, outs in made), eqn.outvars)
        ]

    def _renamed(self, body: xc.ClosedJaxpr, operands: Sequence[Any]) -> tuple[list[Any], list[Any]]:
        """Returns the equations of a program that read these operands, and the names of its results."""
        for var, value in zip(body.jaxpr.constvars, body.consts, strict=True):
            self._known[var] = _equal(value)
        return inline_calls(body.jaxpr, dict(zip(body.jaxpr.invars, operands, strict=True)), lambda eqn: None)

    def _choose(self, choice: _Choice) -> None:
        for out, *cases in zip(choice.outvars, *choice.cases, strict=True):
            values = [self._value(v) for v in cases]
            layout = next((v.layout for v in values if isinstance(v, OwnShard)), None)
            if layout is not None:
                values = [self._elements(v, x, layout) for v, x in zip(cases, values, strict=True)]
            chosen = values[0] if choice.index is None else jax.lax.select_n(self._value(choice.index), *values)
            self._known[out] = chosen if layout is None else OwnShard(chosen, layout)
