"""Early selections: parts of tensors are taken before numbers are computed from them, where that gives the same result."""

import collections
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
from jax.extend import core as xc

from stratagem._core.step import PixelSums, called_function, is_selection
from stratagem._data.elements._nest import Array
from stratagem._data.functions._host_arithmetic import Equation, can_compute, compute, used_once
from stratagem._private import is_literal

# Each number of their result depends on one number of an operand. Others are scalars.
_POINTWISE = ("convert_element_type", "add", "sub", "mul", "div", "max", "min", "neg", "abs")


def with_early_selections(eqns: Sequence[Equation], results: Sequence[Any]) -> list[Equation]:
    """Returns equations of the same results, of which those that take a part of a tensor come as early as they can.

    A crop of an image that was converted to floating point is the conversion of a crop, for example; and of an image that is
    resized and cropped, only the crop is computed, from as many converted pixels as it takes.
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
    for sums in [eqn for eqn in made if isinstance(called_function(eqn), PixelSums)]:
        _narrow(made, sums, results)
    return made


def _narrow(eqns: list[Equation], sums: Equation, results: Sequence[Any]) -> None:
    """Puts equations that make a part of an image, and convert what it takes, in the place of those that make all of it."""
    uses = _uses(eqns, results)
    part = next(
        (eqn for eqn in eqns if eqn.primitive.name == "dynamic_slice" and eqn.invars[0] is sums.outvars[0]), None
    )
    if part is not None and uses[sums.outvars[0]] == 1 and _is_window(part):
        eqns.remove(sums)
        size = tuple(part.params["slice_sizes"][:2])
        made = sums.replace(
            invars=[*sums.invars, *part.invars[1:3]],
            outvars=part.outvars,
            params={
                **sums.params,
                "function": sums.params["function"].of_part(size),
                "shape": part.outvars[0].aval.shape,
            },
        )
        eqns[eqns.index(part)] = sums = made
    chain = list(_conversions(eqns, sums, uses))[::-1]
    if chain:
        operand = _tensor_of(chain[0])
        conversion = _PixelConversion(tuple(chain), operand, used_once(chain, chain[-1].outvars))
        function = sums.params["function"].of_converted(conversion)
        eqns[eqns.index(sums)] = sums.replace(
            invars=[operand, *sums.invars[1:]], params={**sums.params, "function": function}
        )
        for eqn in chain:
            eqns.remove(eqn)


def _is_window(part: Equation) -> bool:
    """Returns whether an equation takes a part of an image with all of its channels."""
    sizes, whole = part.params["slice_sizes"], part.invars[0].aval.shape
    return len(sizes) == len(whole) == 3 and sizes[2] == whole[2]


def _conversions(eqns: Sequence[Equation], sums: Equation, uses: "collections.Counter[Any]") -> Iterator[Equation]:
    """Yields the equations that convert every pixel alone before it is summed, the last one first."""
    made = {v: eqn for eqn in eqns for v in eqn.outvars}
    value = sums.invars[0]
    while not is_literal(value) and value in made and uses[value] == 1:
        eqn = made[value]
        pixels = _tensor_of(eqn)
        if pixels is None or not all(is_literal(v) or v is pixels for v in eqn.invars):
            return
        if not can_compute([eqn], set(map(str, pixels.aval.shape))):
            return
        yield eqn
        value = pixels


@final
@dataclass(frozen=True, eq=False)
class _PixelConversion:
    """Equations as a function that converts every number of a tensor alone.

    operand: the tensor. used_once: what an equation may overwrite.
    """

    eqns: tuple[Equation, ...]
    operand: Any
    used_once: frozenset[Any]

    def __call__(self, array: Array) -> Array:
        values = {self.operand: array}
        compute(self.eqns, values, {}, self.used_once)
        return values[self.eqns[-1].outvars[0]]


def _uses(eqns: Sequence[Equation], results: Sequence[Any]) -> "collections.Counter[Any]":
    uses = collections.Counter(v for eqn in eqns for v in eqn.invars if not is_literal(v))
    uses.update(v for v in results if not is_literal(v))
    return uses


def _pair(eqns: Sequence[Equation], results: Sequence[Any]) -> tuple[int, int] | None:
    """The positions of a pointwise equation and of the selection that alone uses its result."""
    uses = _uses(eqns, results)
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
