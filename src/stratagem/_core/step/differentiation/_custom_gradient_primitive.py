"""The primitive `custom_gradient`: gives values of a program another derivative than that of the equations that compute them.

`custom_gradient(*operands, *results, *values)` returns the results. Its cotangents go to the operands, as the `reverse` says,
and neither to the results nor to the values that the reverse reads. The reverse is a program of its own, with no value of the
trace in it, so that the equation can be differentiated at any time and any number of times.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
from jax.extend import core as xc
from jax.interpreters import ad, batching, mlir

from stratagem._core.eager import conjugates


@dataclass(frozen=True, eq=False)
class Reverse:
    """program: (*values, *cotangents of the results) -> cotangents of the operands. (No pass over equations looks into it.)"""

    program: xc.ClosedJaxpr
    values: int

    def pull(self, values: Sequence[Any], cotangents: Sequence[Any]) -> list[Any]:
        """Returns the cotangents of the operands, as JAX has them; those of the program are TensorFlow's."""
        return conjugates(xc.jaxpr_as_fun(self.program)(*values, *conjugates(cotangents)))

    def batched(self, in_axes: Sequence[int | None], size: int) -> "Reverse":
        """Returns the reverse of `size` calls at once. in_axes: where the values have the calls' dimension."""
        axes = [*in_axes, *[0] * (len(self.program.in_avals) - self.values)]
        pull = jax.vmap(xc.jaxpr_as_fun(self.program), in_axes=tuple(axes), axis_size=size)
        types = [_with_dimension(t, a, size) for t, a in zip(self.program.in_avals, axes, strict=True)]
        return Reverse(jax.make_jaxpr(pull)(*types), self.values)


def _with_dimension(aval: Any, axis: int | None, size: int) -> Any:
    return aval if axis is None else aval.update(shape=(size, *aval.shape))


# custom_gradient(*operands, *results, *values; operands, reverse) -> results
custom_gradient_p = xc.Primitive("custom_gradient")
custom_gradient_p.multiple_results = True
# The tangents of the results: custom_tangent(*tangents of the operands, *tangents of the results, *values). Forward they are
# those of the equations that compute the results, as in TensorFlow. Its transpose is the reverse.
custom_tangent_p = xc.Primitive("custom_tangent")
custom_tangent_p.multiple_results = True


def _results(*args: Any, operands: int, reverse: Reverse) -> list[Any]:
    return list(args[operands : len(args) - reverse.values])


def _jvp(primals: Sequence[Any], tangents: Sequence[Any], *, operands: int, reverse: Reverse) -> tuple[Any, Any]:
    every = len(primals) - reverse.values
    results = custom_gradient_p.bind(*primals, operands=operands, reverse=reverse)
    given = map(ad.instantiate_zeros, tangents[:every])
    return results, custom_tangent_p.bind(*given, *primals[every:], operands=operands, reverse=reverse)


def _tangent_jvp(
    primals: Sequence[Any], tangents: Sequence[Any], *, operands: int, reverse: Reverse
) -> tuple[Any, Any]:
    made = _results(*primals, operands=operands, reverse=reverse)
    return made, list(map(ad.instantiate_zeros, _results(*tangents, operands=operands, reverse=reverse)))


def _transpose(cotangents: Sequence[Any], *args: Any, operands: int, reverse: Reverse) -> list[Any]:
    values = args[len(args) - reverse.values :]
    found = reverse.pull(values, list(map(ad.instantiate_zeros, cotangents)))
    linear = [ad.is_undefined_primal(a) for a in args[:operands]]
    return [g if ok else None for g, ok in zip(found, linear, strict=True)] + [None] * (len(args) - operands)


def _batching(primitive: xc.Primitive) -> Callable[..., Any]:
    def batched(args: Sequence[Any], dims: Sequence[Any], *, operands: int, reverse: Reverse) -> tuple[Any, Any]:
        size = next(a.shape[d] for a, d in zip(args, dims, strict=True) if d is not None)
        every = len(args) - reverse.values
        moved = [_in_front(a, d, size) for a, d in zip(args[:every], dims[:every], strict=True)]
        values = [a if d is None else jnp.moveaxis(a, d, 0) for a, d in zip(args[every:], dims[every:], strict=True)]
        inner = reverse.batched([None if d is None else 0 for d in dims[every:]], size)
        out = primitive.bind(*moved, *values, operands=operands, reverse=inner)
        return out, [0] * len(out)

    return batched


def _in_front(value: Any, dim: int | None, size: int) -> Any:
    return jnp.broadcast_to(value, (size, *value.shape)) if dim is None else jnp.moveaxis(value, dim, 0)


custom_gradient_p.def_impl(_results)
custom_gradient_p.def_abstract_eval(_results)
ad.primitive_jvps[custom_gradient_p] = _jvp
batching.primitive_batchers[custom_gradient_p] = _batching(custom_gradient_p)
mlir.register_lowering(custom_gradient_p, mlir.lower_fun(_results, multiple_results=True))

custom_tangent_p.def_impl(_results)
custom_tangent_p.def_abstract_eval(_results)
ad.primitive_jvps[custom_tangent_p] = _tangent_jvp
ad.primitive_transposes[custom_tangent_p] = _transpose
batching.primitive_batchers[custom_tangent_p] = _batching(custom_tangent_p)
mlir.register_lowering(custom_tangent_p, mlir.lower_fun(_results, multiple_results=True))
