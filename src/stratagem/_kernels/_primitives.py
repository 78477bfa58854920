"""Primitives that the library computes on CPUs, and XLA's operations everywhere else: what all of them tell JAX."""

import functools
from collections.abc import Callable
from typing import Any

import jax
from jax.extend import core as xc
from jax.interpreters import mlir


def define(primitive: xc.Primitive, shape_of: Any, by_xla: Callable[..., Any], on_cpus: Any = None) -> None:
    """Tells JAX of a primitive. Its derivatives and batches are the caller's.

    shape_of: the result's abstract value, for abstract operands and the parameters; a list if it has several results.
    by_xla: the result or the results, for operands and the parameters.
    on_cpus: the rule that lowers it there, if it is a different one.
    """
    primitive.def_abstract_eval(shape_of)
    primitive.def_impl(lambda *operands, **params: _compiled(primitive, tuple(sorted(params.items())))(*operands))
    mlir.register_lowering(primitive, mlir.lower_fun(by_xla, multiple_results=primitive.multiple_results))
    if on_cpus is not None:
        mlir.register_lowering(primitive, on_cpus, platform="cpu")


@functools.lru_cache(maxsize=256)
def _compiled(primitive: xc.Primitive, params: tuple[tuple[str, Any], ...]) -> Any:
    return jax.jit(lambda *operands: primitive.bind(*operands, **dict(params)))
