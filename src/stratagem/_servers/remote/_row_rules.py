"""Rules for the equations that can be computed on the rows of a table's gradient instead of the whole gradient.

Such a gradient is zero outside of the rows that were looked up. An elementwise equation that maps zero to zero may be
computed on those rows alone; so may a sum over all elements.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._private import is_literal

Var = Any
Eqn = Any

_UNARY = {"neg", "abs", "sign", "sqrt", "square", "convert_element_type", "tanh", "reduce_precision"}


@dataclass(frozen=True)
class RowGradientType:
    """A gradient of one shard, as rows. group: the index of the look-ups, of one table in one call, that the rows belong to."""

    group: int
    shard: int


Rule = Callable[[list[Any]], Any]


def sparse_rule(
    eqn: Eqn, sparse: Mapping[Var, RowGradientType], defined: Mapping[Var, Eqn]
) -> tuple[Rule, RowGradientType | None] | None:
    """Returns how to compute an equation from rows, or None if it needs the whole gradient.

    The result is a function of the operands, and the kind of rows that it returns (None if these are no rows any more).
    sparse: the values that are rows. defined: the equation that defines each value.
    """
    kinds = [None if is_literal(v) else sparse.get(v) for v in eqn.invars]
    distinct = {k for k in kinds if k is not None}
    if len(distinct) != 1:
        return None
    kind, name = distinct.pop(), eqn.primitive.name
    if len(eqn.invars) == 1:
        if name in _UNARY or (name == "integer_pow" and eqn.params["y"] > 0):
            return (lambda xs: eqn.primitive.bind(*xs, **eqn.params)), kind
        if name == "reduce_sum" and tuple(sorted(eqn.params["axes"])) == tuple(range(eqn.invars[0].aval.ndim)):
            return (lambda xs: jnp.sum(xs[0], dtype=eqn.outvars[0].aval.dtype)), None
        return None
    return _binary(eqn, kinds, kind, name, defined) if len(eqn.invars) == 2 else None


def _binary(
    eqn: Eqn, kinds: list[RowGradientType | None], kind: RowGradientType, name: str, defined: Mapping[Var, Eqn]
) -> tuple[Rule, RowGradientType | None] | None:
    if None not in kinds:
        return ((lambda xs: eqn.primitive.bind(*xs)), kind) if name in ("add", "add_any", "sub", "mul") else None
    mine = 0 if kinds[0] is not None else 1
    constant, read = _scalar(eqn.invars[1 - mine], defined)
    if name in ("add", "add_any") and constant == 0:
        return (lambda xs: xs[mine]), kind
    scales = name == "mul" or (name == "div" and mine == 0)
    bounds = constant is not None and ((name == "max" and constant <= 0) or (name == "min" and constant >= 0))
    if read is None or not (scales or bounds):
        return None

    def rule(xs: list[Any]) -> Any:
        other = jnp.broadcast_to(jnp.asarray(read(xs[1 - mine]), xs[mine].dtype), xs[mine].shape)
        return eqn.primitive.bind(*((xs[mine], other) if mine == 0 else (other, xs[mine])))

    return rule, kind


def _scalar(atom: Any, defined: Mapping[Var, Eqn]) -> tuple[Any, Callable[[Any], Any] | None]:
    """Analyses a value with equal elements: returns the number if it is a constant, and a function that gets it from the value.

    Returns (None, None) if the elements may differ.
    """
    if is_literal(atom):
        return np.asarray(atom.val).item(), lambda x: x
    if atom.aval.ndim == 0:
        return None, lambda x: x
    eqn = defined.get(atom)
    if eqn is not None and eqn.primitive.name == "broadcast_in_dim" and eqn.invars[0].aval.ndim == 0:
        source = eqn.invars[0]
        constant = np.asarray(source.val).item() if is_literal(source) else None
        return constant, lambda x: x[(0,) * x.ndim] if isinstance(x, jax.Array) and x.ndim else x
    return None, None
