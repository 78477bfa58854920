"""for_every_row: a program for every row at once (`jax.vmap`), also with gradient tapes inside, which then know one row only.

The marks of tapes have no meaning for many rows: a weight that all rows share has a gradient for each. So a program with marks
stays one equation, of a primitive of ours, until `differentiate` has taken them out, and becomes one of many rows there.
"""

from collections.abc import Sequence
from typing import Any

import jax
from jax.extend import core as xc
from jax.interpreters import batching

from stratagem._base.errors import TapeError
from stratagem._core.step.recording._markers import MARKERS, has_markers
from stratagem._private import new_jaxpr

# rows(*shared, *rows, body, shared): one result for each of the body's, with a row for each row of the operands after `shared`.
rows_p = xc.Primitive("tape_rows")
rows_p.multiple_results = True


def _row_types(*operands: Any, body: xc.ClosedJaxpr, shared: int) -> list[Any]:
    count = operands[shared].shape[0]
    return [aval.update(shape=(count, *aval.shape)) for aval in body.out_avals]


rows_p.def_abstract_eval(_row_types)


def for_every_row(program: xc.ClosedJaxpr, rows: Sequence[jax.Array]) -> list[jax.Array]:
    """Returns the results of a program for every row, stacked.

    rows: for each of its operands an array with one dimension more, of the same length.
    """
    jaxpr = program.jaxpr
    if not any(e.primitive in MARKERS or has_markers(e) for e in jaxpr.eqns):
        return list(jax.vmap(xc.jaxpr_as_fun(program))(*rows))
    body = xc.ClosedJaxpr(new_jaxpr([], [*jaxpr.constvars, *jaxpr.invars], jaxpr.outvars, jaxpr.eqns), [])
    return list(rows_p.bind(*program.consts, *rows, body=body, shared=len(program.consts)))


def as_one_call(eqn: Any, axis_env: list[tuple[str, int]]) -> Any:
    """Returns a call of a compiled function in place of such an equation, whose body has no marks any more."""
    body, shared = eqn.params["body"], eqn.params["shared"]
    axes = (None,) * shared + (0,) * (len(eqn.invars) - shared)
    every_row = jax.jit(jax.vmap(xc.jaxpr_as_fun(body), in_axes=axes))
    (call,) = jax.make_jaxpr(every_row, axis_env=axis_env)(*(v.aval for v in eqn.invars)).jaxpr.eqns
    return call.replace(invars=eqn.invars, outvars=eqn.outvars)


def _refused(*operands: Any, **params: Any) -> Any:
    raise TapeError(
        "A gradient tape is used under `jax.vmap` in a compiled function. Use tf.vectorized_map, whose function may open "
        "tapes, or jax.grad."
    )


for _primitive in (*MARKERS, rows_p):
    batching.primitive_batchers[_primitive] = _refused
