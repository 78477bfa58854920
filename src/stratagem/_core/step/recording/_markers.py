"""The two marker primitives that a gradient tape adds to a traced program, and functions to find them."""

from typing import Any

from jax.extend import core as xc

from stratagem._private import is_literal, sub_jaxprs

# mark(*values, tape, kind): kind is open | watch | pause | resume | close. Only its position in the program has a meaning.
mark_p = xc.Primitive("tape_mark")
mark_p.multiple_results = True
mark_p.def_abstract_eval(lambda *values, **params: [])

# gradient(*targets, *seeds, *sources, *stops, tape, call, targets, seeded, stops, rows): one result for each source, of its
# type. tape: None for everything that the program has computed before. stops: the number of values that count as constants.
# With `rows`, every seed has that many rows, each for a separate gradient, and so has every result.
gradient_p = xc.Primitive("tape_gradient")
gradient_p.multiple_results = True


def _gradient_types(*values: Any, targets: int, seeded: bool, stops: int, rows: int | None, **params: Any) -> list[Any]:
    sources = values[targets * (2 if seeded else 1) : len(values) - stops]
    return [s if rows is None else s.update(shape=(rows, *s.shape)) for s in sources]


gradient_p.def_abstract_eval(_gradient_types)

MARKERS = (mark_p, gradient_p)


def has_markers(eqn: Any) -> bool:
    """Returns whether a program inside the equation contains a marker."""
    return any(e.primitive in MARKERS or has_markers(e) for j in sub_jaxprs(eqn.params) for e in j.eqns)


def gradient_parts(eqn: Any) -> tuple[list[Any], list[Any], list[Any]]:
    """Returns a gradient marker's operands: targets, seeds (the output gradients; empty if not given), sources."""
    n = eqn.params["targets"]
    m = n if eqn.params["seeded"] else 0
    end = len(eqn.invars) - eqn.params["stops"]
    return list(eqn.invars[:n]), list(eqn.invars[n : n + m]), list(eqn.invars[n + m : end])


def stopped_values(eqn: Any) -> set[Any]:
    """Returns the operands of a gradient marker that count as constants."""
    return {v for v in eqn.invars[len(eqn.invars) - eqn.params["stops"] :] if not is_literal(v)}
