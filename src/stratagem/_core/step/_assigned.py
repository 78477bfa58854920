"""`assigned`: the value that a step gives to a variable; a tape around the step takes it for a read of the variable."""

from collections.abc import Sequence
from typing import Any

import jax.numpy as jnp
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir

from stratagem._core.step._markers import is_literal

# assigned(value, initial) is `value`. As in TensorFlow, no gradient flows through an assignment, and what reads the variable
# after it is a read of the variable: cotangents go to `initial`, the value that the variable had before the step.
assigned_p = xc.Primitive("assigned")


def within_step(eqns: Sequence[Any], env: dict[Any, Any]) -> list[Any]:
    """Returns equations as a tape inside the step differentiates them: assignments end the flow of cotangents.

    Such a tape has each value of a variable as a source of its own. env gets the constants that are read instead.
    """
    detached = []
    for eqn in eqns:
        if eqn.primitive is assigned_p and not is_literal(eqn.invars[1]) and eqn.invars[1] in env:
            initial = xc.Var(eqn.invars[1].aval)
            env[initial] = env[eqn.invars[1]]
            eqn = eqn.replace(invars=[eqn.invars[0], initial])
        detached.append(eqn)
    return detached


def _jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    return assigned_p.bind(*primals), tangents[1]


def _batched(args: Sequence[Any], dims: Sequence[int | None]) -> tuple[Any, int]:
    size = next(x.shape[d] for x, d in zip(args, dims, strict=True) if d is not None)
    value, initial = (
        jnp.broadcast_to(x, (size, *x.shape)) if d is None else jnp.moveaxis(x, d, 0)
        for x, d in zip(args, dims, strict=True)
    )
    return assigned_p.bind(value, initial), 0


assigned_p.def_impl(lambda value, initial: value)
assigned_p.def_abstract_eval(lambda value, initial: value)
ad.primitive_jvps[assigned_p] = _jvp
batching.primitive_batchers[assigned_p] = _batched
mlir.register_lowering(assigned_p, lambda context, value, initial: [value])
