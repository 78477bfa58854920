"""Early selections: parts of tensors are taken before numbers are computed from them, where that gives the same result."""

import collections
from collections.abc import Sequence
from typing import Any

import jax
from jax.extend import core as xc

from stratagem._core.step import is_literal, is_selection
from stratagem._data.functions._host_arithmetic import Equation

# Each number of their result depends on one number of an operand. Others are scalars.
_POINTWISE = ("convert_element_type", "add", "sub", "mul", "div", "max", "min", "neg", "abs")


def with_early_selections(eqns: Sequence[Equation], results: Sequence[Any]) -> list[Equation]:
    """Returns equations of the same results, of which those that take a part of a tensor come as early as they can.

    A crop of an image that was converted to floating point is the conversion of a crop, for example.
    """
    made = list(eqns)
    while (found := _pair(made, results)) is not None:
        first, second = found
        pointwise, selection = made[first], made[second]
        operand = _tensor_of(pointwise)
        assert operand is not None
        part = selection.outvars[0]
        early = xc.Var(jax.core.ShapedArray(part.aval.shape, operand.aval.dtype))
        params = dict(selection.params)
        if "dtype" in params:
            params["dtype"] = operand.aval.dtype
        made[second : second + 1] = [
            selection.replace(invars=[operand, *selection.invars[1:]], outvars=[early], params=params),
            pointwise.replace(invars=[early if v is operand else v for v in pointwise.invars], outvars=[part]),
        ]
        del made[first]
    return made


def _pair(eqns: Sequence[Equation], results: Sequence[Any]) -> tuple[int, int] | None:
    """The positions of a pointwise equation and of the selection that alone uses its result."""
    uses = collections.Counter(v for eqn in eqns for v in eqn.invars if not is_literal(v))
    uses.update(v for v in results if not is_literal(v))
    places = {v: i for i, eqn in enumerate(eqns) for v in eqn.outvars}
    for second, eqn in enumerate(eqns):
        taken = eqn.invars[0] if is_selection(eqn) else None
        first = None if taken is None or is_literal(taken) else places.get(taken)
        if first is not None and uses[taken] == 1 and _tensor_of(eqns[first]) is not None:
            return first, second
    return None


def _tensor_of(eqn: Equation) -> Any:
    """The operand of a pointwise equation that is no scalar; None for any other equation."""
    if eqn.primitive.name not in _POINTWISE:
        return None
    tensors = [v for v in eqn.invars if v.aval.shape]
    return tensors[0] if len(tensors) == 1 and not is_literal(tensors[0]) else None
