"""connected: a value that tapes take to depend on others, by which its derivative is zero, as TensorFlow has zeros there.

TensorFlow's gradient of a rectifier takes its result, and has zeros for the derivative by that; JAX's rule chooses between two
values by a condition, through which no tape can follow. Compiled, a value that is connected is the value.
"""

from collections.abc import Callable, Sequence
from typing import Any

import jax
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir

# connected(value, *linear, *sources; linear) -> value. Its tangent is linear in that of the value and in those of the sources,
# which have the factor 0: as an operand, not as a zero that JAX leaves out, so that their own gradients are zeros, too.
connected_p = xc.Primitive("connected")


def connected(value: jax.Array, *sources: jax.Array) -> jax.Array:
    """Returns the value, on which derivatives by the sources are zeros for tapes, and not unconnected."""
    result: jax.Array = connected_p.bind(value, *sources, linear=0)
    return result


def _value(value: Any, *_: Any, linear: int) -> Any:
    return value


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, linear: int) -> tuple[Any, Any]:
    result = connected_p.bind(*primals, linear=linear)
    others = [t for t in tangents[1:] if type(t) is not ad.Zero]
    change = ad.instantiate_zeros(tangents[0])
    return result, connected_p.bind(change, *others, *primals[1 + linear :], linear=len(others))


def _transpose(cotangent: Any, value: Any, *others: Any, linear: int) -> list[Any]:
    sources = others[linear:]
    back = connected_p.bind(ad.instantiate_zeros(cotangent), *sources, linear=0)
    zeros = [ad.instantiate_zeros(ad.Zero(x.aval)) if ad.is_undefined_primal(x) else None for x in others[:linear]]
    return [back if ad.is_undefined_primal(value) else None, *zeros, *[None] * len(sources)]


def _batched(args: Sequence[Any], dims: Sequence[Any], *, linear: int) -> tuple[Any, Any]:
    return connected_p.bind(*args, linear=linear), dims[0]


_lowered: Callable[..., Any] = mlir.lower_fun(_value, multiple_results=False)
connected_p.def_impl(_value)
connected_p.def_abstract_eval(_value)
ad.primitive_jvps[connected_p] = _jvp
ad.primitive_transposes[connected_p] = _transpose
batching.primitive_batchers[connected_p] = _batched
mlir.register_lowering(connected_p, _lowered)
