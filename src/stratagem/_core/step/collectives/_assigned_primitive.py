"""The primitive `assigned`: the value that a step gives to a variable, which a tape around the step takes for a read of it."""

from collections.abc import Sequence
from typing import Any

from jax.extend import core as xc
from jax.interpreters import ad, mlir

# assigned(value, initial) is `value`. As in TensorFlow, no gradient flows through an assignment, and what reads the variable
# after it is a read of the variable: cotangents go to `initial`, the value that the variable had before the step.
assigned_p = xc.Primitive("assigned")


def within_step(eqns: Sequence[Any], env: dict[Any, Any]) -> list[Any]:
    """Returns equations as a tape inside the step differentiates them: assignments end the flow of cotangents.

    Such a tape has each value of a variable as a source of its own. env gets the constants that are read instead.
    """
    detached = []
    for eqn in eqns:
        if eqn.primitive is assigned_p:
            value, before = eqn.invars
            initial = xc.Var(before.aval)
            env[initial] = env[before]
            eqn = eqn.replace(invars=[value, initial])
        detached.append(eqn)
    return detached


def _jvp(primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    return assigned_p.bind(*primals), tangents[1]


assigned_p.def_impl(lambda value, initial: value)
assigned_p.def_abstract_eval(lambda value, initial: value)
ad.primitive_jvps[assigned_p] = _jvp
mlir.register_lowering(assigned_p, lambda context, value, initial: [value])
