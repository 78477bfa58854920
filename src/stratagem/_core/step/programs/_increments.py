"""Increments: what every call of a program adds to counters, known before it has run."""

from typing import Any

import keras
import numpy as np

from stratagem._core.step.programs._trace import Trace
from stratagem._core.values import on_read
from stratagem._private import is_literal

_SAME = ("convert_element_type", "copy", "stop_gradient")


def increments(traced: Trace) -> dict[int, int] | None:
    """Returns by the ids of variables, scalars of whole numbers, what the program adds to them: 0 if it assigns none.

    A variable is missing if the program assigns it something else. None for a program that prints or calls back into Python:
    who counts its steps without waiting for them would see what it does too late.
    """
    if traced.closed.effects:
        return None
    jaxpr = traced.closed.jaxpr
    made = {out: eqn for eqn in jaxpr.eqns for out in eqn.outvars}
    before = {id(v): atom for v, atom in zip(traced.variables, jaxpr.invars, strict=False)}
    found = {id(v): 0 for v in traced.variables if _is_counter(v)}
    for (variable, _), after in zip(traced.written, jaxpr.outvars[len(traced.results.per_replica) :], strict=True):
        added = found.pop(id(variable), None)
        if added is not None and (sum_ := _added(after, before[id(variable)], made)) is not None:
            found[id(variable)] = sum_
    return found


def _is_counter(variable: keras.Variable) -> bool:
    return variable.shape == () and str(variable.dtype) == "int64" and not on_read(variable)


def _added(after: Any, before: Any, made: dict[Any, Any]) -> int | None:
    """Returns what is added to `before` to make `after`; None if that is not all that happens."""
    total = 0
    while after is not before:
        if is_literal(after) or after not in made:
            return None
        eqn = made[after]
        if eqn.primitive.name in _SAME and eqn.invars[0].aval.dtype == np.int64:
            after = eqn.invars[0]
        elif eqn.primitive.name == "add" and any(map(is_literal, eqn.invars)):
            number, other = sorted(eqn.invars, key=is_literal, reverse=True)
            total, after = total + int(number.val), other
        else:
            return None
    return total
