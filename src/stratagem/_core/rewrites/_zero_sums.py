"""without_zero_sums: sums in gradients of differences from their own mean, and sums of zeros, which are zero.

The gradient of a variance has one of the first kind, for its derivative in the mean: what rounding leaves of it is added to
each element. XLA writes an array as large as the operand, and reads it again, to compute that. Gradients of empty slices have
windows of the second kind, which XLA sums while it compiles: a network with adaptive pools took 88 s instead of 6.
"""

import math
from typing import Any, Final, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc

from stratagem._core.rewrites._inlined import flattened, inlined
from stratagem._private import is_literal, is_of_a_gradient

_SUMS: Final = ("reduce_window_sum", "cumsum", "reduce_sum")
_MOST_STEPS: Final = 12


def without_zero_sums(jaxpr: xc.Jaxpr) -> xc.Jaxpr:
    """Returns the same program with zeros instead of such sums; the same object if it has none.

    Of the first kind are sums of `(x - mean(x)) * c`, where c does not vary along the axes of the sum. They are left alone
    outside of gradients: there rounding may be what a program wants to know. They stay NaN where x has one. The second kind is
    zero wherever it is.

    jaxpr: a program with its gradients.
    """
    flat = flattened(jaxpr)
    program = _Program(flat)
    instead = {id(eqn): new for eqn in flat.eqns if (new := program.instead(eqn)) is not None}
    return flat.replace(eqns=[new for eqn in flat.eqns for new in instead.get(id(eqn), (eqn,))]) if instead else jaxpr


def _zeros(eqn: Any) -> list[Any]:
    result = eqn.outvars[0].aval
    with jax.enable_x64(True):
        made = jax.make_jaxpr(lambda: jnp.zeros(result.shape, result.dtype))()
    return list(inlined(made, [], eqn.outvars))


def _zeros_of(total: Any, eqn: Any) -> list[Any]:
    """Returns the equations that give NaN where a sum is not finite, and zeros everywhere else."""
    made = jax.make_jaxpr(lambda total: total * np.zeros((), total.dtype))(total.aval)
    return list(inlined(made, [total], eqn.outvars))


@final
class _Program:
    """Finds the sums that are zero."""

    def __init__(self, jaxpr: xc.Jaxpr) -> None:
        self._makers: dict[Any, Any] = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars}

    def instead(self, eqn: Any) -> list[Any] | None:
        """Returns the equations that replace such a sum. None for other sums, and for those of all elements."""
        if eqn.primitive.name not in _SUMS or is_literal(eqn.invars[0]) or eqn.outvars[0].aval.shape == ():
            return None
        summed = eqn.invars[0].aval
        if not jnp.issubdtype(summed.dtype, jnp.floating) or 0 in summed.shape:
            return None
        if self._is_nothing(eqn.invars[0]):
            return _zeros(eqn)
        if eqn.primitive.name != "reduce_sum" or not is_of_a_gradient(eqn):
            return None
        total = self._total_of_differences(eqn.invars[0], frozenset(eqn.params["axes"]))
        return None if total is None else _zeros_of(total, eqn)

    def _total_of_differences(self, v: Any, axes: frozenset[int]) -> Any:
        """Returns the sum of x if a value is `x - mean(x)`, times what does not vary along the axes; None for others."""
        shape = v.aval.shape
        for _ in range(_MOST_STEPS):
            maker: Any = None if is_literal(v) else self._makers.get(v)
            if maker is None or v.aval.shape != shape:
                return None
            name = maker.primitive.name
            if name == "neg":
                v = maker.invars[0]
            elif name in ("mul", "div"):
                first, second = maker.invars
                if self._is_even(second, axes):
                    v = first
                elif name == "mul" and self._is_even(first, axes):
                    v = second
                else:
                    return None
            elif name in ("add", "add_any"):
                others = [x for x in maker.invars if not self._is_nothing(x)]
                if len(others) != 1:
                    return None
                v = others[0]
            else:
                return self._total_of(maker, axes) if name == "sub" else None
        return None

    def _is_even(self, atom: Any, axes: frozenset[int]) -> bool:
        """Returns whether a value does not vary along the axes."""
        if is_literal(atom) or all(atom.aval.shape[axis] == 1 for axis in axes if axis < atom.aval.ndim):
            return True
        maker: Any = self._makers.get(atom)
        if maker is None or maker.primitive.name != "broadcast_in_dim":
            return False
        kept, operand = maker.params["broadcast_dimensions"], maker.invars[0].aval
        return all(operand.shape[kept.index(axis)] == 1 for axis in axes if axis in kept)

    def _is_nothing(self, atom: Any) -> bool:
        """Returns whether a value is zeros, as which derivatives begin their sums, and which surround what was sliced."""
        if is_literal(atom):
            return atom.aval.shape == () and not np.any(atom.val)
        maker: Any = self._makers.get(atom)
        if maker is None or maker.primitive.name not in ("broadcast_in_dim", "pad"):
            return False
        padded = maker.primitive.name == "pad"
        empty = padded and 0 in maker.invars[0].aval.shape
        return (empty or self._is_nothing(maker.invars[0])) and (not padded or self._is_nothing(maker.invars[1]))

    def _total_of(self, difference: Any, axes: frozenset[int]) -> Any:
        """Returns the sum of x over the axes if an equation is `x - mean(x)`, and each mean lies at its own elements.

        difference: the equation.
        """
        of, v = difference.invars
        if is_literal(of) or of.aval.shape != difference.outvars[0].aval.shape or v.aval.ndim != of.aval.ndim:
            return None
        count = math.prod(of.aval.shape[axis] for axis in axes)
        # Of each dimension of the value, the axis of the difference along which it lies.
        along: list[int | None] | None = list(range(of.aval.ndim))
        divided = False
        for _ in range(_MOST_STEPS):
            maker: Any = None if is_literal(v) else self._makers.get(v)
            if maker is None or along is None:
                return None
            name = maker.primitive.name
            if name == "reduce_sum":
                kept = [axis for axis in range(of.aval.ndim) if axis not in axes]
                same = maker.invars[0] is of and frozenset(maker.params["axes"]) == axes
                return v if divided and same and _lie_along(v.aval.shape, along, kept) else None
            if name == "div":
                if divided or not _is_literally(maker.invars[1], count) or maker.invars[0].aval.shape != v.aval.shape:
                    return None
                divided = True
            elif name == "broadcast_in_dim":
                along = [along[dimension] for dimension in maker.params["broadcast_dimensions"]]
            elif name in ("reshape", "squeeze"):
                along = _along_before(maker.invars[0].aval.shape, v.aval.shape, along)
            else:
                return None
            v = maker.invars[0]
        return None


def _is_literally(atom: Any, number: float) -> bool:
    return is_literal(atom) and atom.aval.shape == () and float(atom.val) == number


def _along_before(before: tuple[int, ...], after: tuple[int, ...], along: list[int | None]) -> list[int | None] | None:
    """Returns where the dimensions of a value lie before some of one element were added or taken away; None if others were."""
    long = [axis for size, axis in zip(after, along, strict=True) if size != 1]
    if [size for size in before if size != 1] != [size for size in after if size != 1]:
        return None
    rest = iter(long)
    return [None if size == 1 else next(rest) for size in before]


def _lie_along(shape: tuple[int, ...], along: list[int | None], axes: list[int]) -> bool:
    return all(size == 1 or lies == axis for size, lies, axis in zip(shape, along, axes, strict=True))
