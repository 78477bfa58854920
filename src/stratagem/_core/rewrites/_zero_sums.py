"""without_zero_sums: sums that are zero, of differences from their own mean and of zeros.

The gradient of a variance has one of the first kind, for its derivative in the mean: what rounding leaves of it is added to
each element. XLA writes an array as large as the operand, and reads it again, to compute that. Gradients of empty slices have
windows of the second kind, which XLA sums while it compiles: a network with adaptive pools took 88 s instead of 6.
"""

import math
from collections.abc import Iterator
from typing import Any, Final, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend import core as xc

from stratagem._core.rewrites._inlined import flattened, inlined
from stratagem._private import is_literal

_SAME: Final = ("reshape", "broadcast_in_dim", "squeeze", "copy")
_SUMS: Final = ("reduce_window_sum", "cumsum", "reduce_sum")
_MOST_STEPS: Final = 12


def without_zero_sums(jaxpr: xc.Jaxpr) -> xc.Jaxpr:
    """Returns the same program with zeros in place of sums of `(x - mean(x)) * c` and of zeros; the same object if it has none.

    c: anything that does not vary along the axes that are summed over. jaxpr: a program with its gradients.
    """
    flat = flattened(jaxpr)
    program = _Program(flat)
    eqns = [new for eqn in flat.eqns for new in (_zeros(eqn) if program.is_zero_sum(eqn) else (eqn,))]
    return flat.replace(eqns=eqns) if program.zero_sums else jaxpr


def _zeros(eqn: Any) -> Iterator[Any]:
    result = eqn.outvars[0].aval
    return inlined(jax.make_jaxpr(lambda: jnp.zeros(result.shape, result.dtype))(), [], eqn.outvars)


@final
class _Program:
    """Finds sums of differences from their own mean."""

    def __init__(self, jaxpr: xc.Jaxpr) -> None:
        self._makers: dict[Any, Any] = {v: eqn for eqn in jaxpr.eqns for v in eqn.outvars}
        self.zero_sums = 0

    def is_zero_sum(self, eqn: Any) -> bool:
        """Returns whether an equation is such a sum, and counts it."""
        if eqn.primitive.name in _SUMS and self._is_nothing(eqn.invars[0]):
            self.zero_sums += 1
            return True
        if eqn.primitive.name != "reduce_sum" or is_literal(eqn.invars[0]) or 0 in eqn.invars[0].aval.shape:
            return False
        if eqn.outvars[0].aval.shape == ():
            return False  # one of all elements, which no normalization has
        found = jnp.issubdtype(eqn.invars[0].aval.dtype, jnp.floating) and self._is_of_differences(
            eqn.invars[0], frozenset(eqn.params["axes"])
        )
        self.zero_sums += found
        return found

    def _is_of_differences(self, v: Any, axes: frozenset[int]) -> bool:
        """Returns whether a value is such a difference, times what does not vary along the axes."""
        for _ in range(_MOST_STEPS):
            maker: Any = self._makers.get(v)
            name = "" if maker is None else maker.primitive.name
            if name == "neg":
                v = maker.invars[0]
            elif name in ("mul", "div"):
                first, second = maker.invars
                if self._is_even(second, axes):
                    v = first
                elif name == "mul" and self._is_even(first, axes):
                    v = second
                else:
                    return False
            elif name in ("add", "add_any"):
                others = [x for x in maker.invars if not self._is_nothing(x)]
                if len(others) != 1:
                    return False
                v = others[0]
            else:
                return name == "sub" and self._is_mean(maker.invars[1], maker.invars[0], axes)
            if is_literal(v):
                return False
        return False

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
            return atom.aval.shape == () and float(np.real(atom.val)) == 0 == float(np.imag(atom.val))
        maker: Any = self._makers.get(atom)
        if maker is None or maker.primitive.name not in ("broadcast_in_dim", "pad"):
            return False
        padded = maker.primitive.name == "pad"
        empty = padded and 0 in maker.invars[0].aval.shape
        return (empty or self._is_nothing(maker.invars[0])) and (not padded or self._is_nothing(maker.invars[1]))

    def _is_mean(self, v: Any, of: Any, axes: frozenset[int]) -> bool:
        """Returns whether a value is the mean of another one over the axes, for all of its elements."""
        count = math.prod(of.aval.shape[axis] for axis in axes)
        divided = False
        for _ in range(_MOST_STEPS):
            maker: Any = None if is_literal(v) else self._makers.get(v)
            if maker is None:
                return False
            name = maker.primitive.name
            if name == "reduce_sum":
                return divided and maker.invars[0] is of and frozenset(maker.params["axes"]) == axes
            if name == "div" and not divided and is_literal(maker.invars[1]):
                if float(maker.invars[1].val) != count:
                    return False
                divided = True
            elif name not in _SAME:
                return False
            v = maker.invars[0]
        return False
