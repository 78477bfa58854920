"""The parts of a traced function: a program before, equations of unknown sizes that NumPy computes, and the program."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np
from jax.extend import core as xc

from stratagem._core.step import HostValue, called_function, has_unknown_sizes
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import Array
from stratagem._data.functions._compiled import CompiledFunction
from stratagem._data.functions._early_selections import with_early_selections
from stratagem._data.functions._host_arithmetic import Equation, can_compute, compute, used_once
from stratagem._data.functions._host_run import HostRun
from stratagem._data.functions._traced import NeedsPython, TracedFunction
from stratagem._ops import tensor
from stratagem._private import is_literal, needed_equations, new_jaxpr

Variable = Any  # of a jaxpr


@final
@dataclass(frozen=True, eq=False)
class Cut:
    """The parts of a function of one element.

    inputs: the names of the program variables for the element's numbers and the host functions' results.
    before: computes from the element's numbers, random seeds and variables what the equations need; None if they need nothing.
    takes: its results.
    eqns: are computed in NumPy. after: the program; None if all results come from the host. needs: what it is given.
    results: for each result either the variable that the host knows, or its number among those of `after`.
    used_once: what an equation may overwrite.
    """

    variables: tuple[Any, ...]
    inputs: dict[HostValue, Variable]
    before: CompiledFunction | None
    takes: tuple[Variable, ...]
    eqns: tuple[Equation, ...]
    after: CompiledFunction | None
    needs: tuple[Variable, ...]
    results: tuple[Variable | int, ...]
    used_once: frozenset[Variable]

    @property
    def settled(self) -> bool:
        """True if the sizes of all results are known."""
        return not any(not isinstance(v, int) and has_unknown_sizes(v.aval.shape) for v in self.results)

    @property
    def is_program(self) -> bool:
        """True if nothing but the program comes after the host functions."""
        return not self.eqns and not self.takes

    @property
    def draws(self) -> bool:
        """True if it draws random numbers."""
        return any(part is not None and part.trace.draws for part in (self.before, self.after))

    def on_host(self, made: HostRun, before: Sequence[Array]) -> dict[Variable, Array]:
        """Computes the equations. before: the results of the program before them. Returns the values that the host knows."""
        values = {v: np.asarray(made.of(name)) for name, v in self.inputs.items()}
        sizes = {
            str(size): values[v].shape[axis]
            for v in self.inputs.values()
            for axis, size in enumerate(v.aval.shape)
            if not isinstance(size, int)
        }
        values.update(zip(self.takes, before, strict=True))
        compute(self.eqns, values, sizes, self.used_once)
        return values


def cut(
    closed: xc.ClosedJaxpr, variables: Sequence[Any], names: Sequence[HostValue], numbers: int, *, draws: bool
) -> Cut:
    """Cuts a program: (variables, seed, place, the values of `names`) -> results. numbers: how many are the element's.

    Raises:
        NeedsPython: NumPy computes an equation of unknown sizes otherwise than XLA, or needs a program in between.
    """
    try:
        return _cut(closed, variables, names, numbers, draws=draws, slices=True)
    except NeedsPython:
        return _cut(closed, variables, names, numbers, draws=draws, slices=False)


def _cut(
    closed: xc.ClosedJaxpr,
    variables: Sequence[Any],
    names: Sequence[HostValue],
    numbers: int,
    *,
    draws: bool,
    slices: bool,
) -> Cut:
    """The same. slices: whether parts that lie at another place in each element are taken on the host.

    There they are views. In a program of many elements XLA picks their numbers one by one.
    """
    jaxpr = closed.jaxpr
    first = len(jaxpr.invars) - len(names)
    given = jaxpr.invars[first:]
    eqns = with_early_selections(needed_equations(jaxpr.eqns, jaxpr.outvars), jaxpr.outvars)
    host = _host_equations(eqns, set(given[numbers:]), slices=slices)
    known = {*given, *(v for eqn in host for v in eqn.outvars)}
    sizes = {str(size) for v in given for size in v.aval.shape if not isinstance(size, int)}
    if not can_compute(host, sizes):
        raise NeedsPython("it computes with sizes that are different for every element")
    takes = _frontier(host, known)
    results = [v for v in jaxpr.outvars if is_literal(v) or v not in known]
    after = needed_equations(eqns, results, known)
    used = {v for eqn in after for v in eqn.invars if not is_literal(v)}
    needs = tuple(v for v in (*given, *(v for eqn in host for v in eqn.outvars)) if v in used)
    if any(has_unknown_sizes(v.aval.shape) for v in needs):
        raise NeedsPython("it computes with sizes that are different for every element")
    part = _Parts(closed, tuple(variables), first, draws)
    positions = iter(range(len(results)))
    inputs = dict(zip(names, given, strict=True))
    return Cut(
        tuple(variables),
        inputs,
        part.program(needed_equations(eqns, takes), given[:numbers], takes),
        takes,
        tuple(host),
        part.program(after, needs, results),
        needs,
        tuple(v if not is_literal(v) and v in known else next(positions) for v in jaxpr.outvars),
        used_once(host, [*needs, *jaxpr.outvars]),
    )


@final
@dataclass(frozen=True)
class _Parts:
    """Makes programs of parts of a program. first: the number of its inputs that are variables, or seed and place."""

    closed: xc.ClosedJaxpr
    variables: tuple[Any, ...]
    first: int
    draws: bool

    def program(
        self, eqns: Sequence[Equation], inputs: Sequence[Variable], results: Sequence[Any]
    ) -> CompiledFunction | None:
        """Returns equations as a program of one element; None if it has no results."""
        if not results:
            return None
        jaxpr = self.closed.jaxpr
        made = new_jaxpr((), [*jaxpr.constvars, *jaxpr.invars[: self.first], *inputs], list(results), list(eqns))
        constants = tuple(c if isinstance(c, jax.Array) else tensor(np.asarray(c)) for c in self.closed.consts)
        spec = tuple(TensorSpec(v.aval.shape, v.aval.dtype) for v in results)
        return CompiledFunction(TracedFunction(made, constants, self.variables, self.draws, spec))


def _host_equations(eqns: Sequence[Equation], computed: set[Variable], *, slices: bool) -> list[Equation]:
    """The equations of unknown sizes, those that come between two of them, and those that take parts of what they give."""
    own = [any(has_unknown_sizes(v.aval.shape) for v in (*e.invars, *e.outvars)) or _is_sized(e) for e in eqns]
    if slices:
        made = set(computed)
        for i, eqn in enumerate(eqns):
            if own[i] or (eqn.invars[:1] and not is_literal(eqn.invars[0]) and eqn.invars[0] in made):
                own[i] = own[i] or eqn.primitive.name == "dynamic_slice"
                made.update(eqn.outvars)
    return _between(eqns, own, computed)


def _between(eqns: Sequence[Equation], sized: Sequence[bool], computed: set[Variable]) -> list[Equation]:
    """The equations that are `sized`, and those that come between two of them."""
    later, behind = set(computed), []  # what is known after the host functions alone
    for eqn, own in zip(eqns, sized, strict=True):
        depends = own or any(v in later for v in eqn.invars if not is_literal(v))
        behind.append(depends)
        if depends:
            later.update(eqn.outvars)
    ahead: set[Variable] = set()
    found = []
    for eqn, own, depends in reversed(list(zip(eqns, sized, behind, strict=True))):
        if own or (depends and any(v in ahead for v in eqn.outvars)):
            found.append(eqn)
        if own or any(v in ahead for v in eqn.outvars):
            ahead.update(v for v in eqn.invars if not is_literal(v))
    return found[::-1]


def _is_sized(eqn: Equation) -> bool:
    return called_function(eqn) is not None or eqn.primitive.name == "dim_as_value"


def _frontier(eqns: Sequence[Equation], known: Collection[Variable]) -> tuple[Variable, ...]:
    """The operands of equations that are not known."""
    found: dict[Variable, None] = {}
    for eqn in eqns:
        found.update({v: None for v in eqn.invars if not is_literal(v) and v not in known})
    return tuple(found)
