"""`tf.recompute_grad`: computes the values inside a function again when its gradient is computed, instead of keeping them."""

import contextlib
import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.context import current, entered
from stratagem._core.eager import open_recorder
from stratagem._core.step.differentiation._custom_gradient import custom_gradient
from stratagem._core.step.differentiation._gradient_tape import GradientTape, UnconnectedGradients
from stratagem._core.step.recording._assign_scope import AssignScope, BranchRecorder
from stratagem._private import (
    KerasVariable,
    VariableRead,
    computes_at_once,
    in_stateless_scope,
    store,
    stored,
    watching_reads,
)


@exported("recompute_grad")
def recompute_grad(f: UserFunction) -> UserFunction:
    """Decorates a function so that tapes keep only its arguments and compute it again for a gradient, as `tf.recompute_grad`.

    Variables that the function assigns (a layer's moving averages, the state of a random generator) are assigned once, and
    have the same values when it is computed again.
    """

    @custom_gradient
    def recomputed(*args: Any, **kwargs: Any) -> Any:
        recorder = open_recorder()
        with watching_reads() as reads, contextlib.nullcontext() if recorder is None else recorder.paused():
            result = f(*args, **kwargs)

        def grad(*upstream: Any, variables: Sequence[Any] | None = None) -> Any:
            inputs, cotangents = _separate((args, upstream))
            sources = jax.tree.leaves(inputs, is_leaf=lambda leaf: leaf is None)
            count = len(sources)
            sources += variables or ()
            watched = [x for x in sources if _differentiable(x)]
            with _repeating(reads):
                with GradientTape(watch_accessed_variables=False) as tape:
                    tape.watch(watched)
                    again = f(*inputs, **kwargs)
                leaves = jax.tree.leaves(again, is_leaf=lambda leaf: leaf is None)
                pairs = [(y, c) for y, c in zip(leaves, cotangents, strict=True) if _differentiable(y)]
                given = tape.gradient(
                    [y for y, _ in pairs],
                    watched,
                    [c for _, c in pairs],
                    unconnected_gradients=UnconnectedGradients.ZERO,
                )
            parts = iter(given)
            found = [next(parts) if _differentiable(x) else None for x in sources]
            return found[:count] if variables is None else (found[:count], found[count:])

        return result, grad

    return functools.update_wrapper(recomputed, f, updated=())


def _differentiable(leaf: Any) -> bool:
    return isinstance(leaf, KerasVariable | jax.Array) and bool(jnp.issubdtype(leaf.dtype, jnp.inexact))


def _separate(values: Any) -> Any:
    """Returns the values; in a program, such that the compiler does not find what it has computed from them before."""
    if open_recorder() is not None or computes_at_once():
        return values
    leaves, structure = jax.tree.flatten(values)
    arrays = [i for i, leaf in enumerate(leaves) if isinstance(leaf, jax.Array)]
    for i, value in zip(arrays, jax.lax.optimization_barrier([leaves[i] for i in arrays]), strict=True):
        leaves[i] = value
    return jax.tree.unflatten(structure, leaves)


@contextlib.contextmanager
def _repeating(reads: Mapping[int, VariableRead]) -> Iterator[None]:
    """In the body, variables that are not trained have the values that were read, and assignments are not made."""
    others = [read for read in reads.values() if not read.variable.trainable]
    if not in_stateless_scope():
        with _restored(others):
            yield
        return
    recorder: Any = current().recorder
    scope = AssignScope()
    with entered(recorder=None if recorder is None else BranchRecorder(recorder, scope)), scope:
        scope.set([read.variable for read in others], [read.value for read in others])
        yield


@contextlib.contextmanager
def _restored(reads: Sequence[VariableRead]) -> Iterator[None]:
    now = [stored(read.variable) for read in reads]
    for read in reads:
        if not read.stored.is_deleted():  # a compiled step has its buffer
            store(read.variable, jnp.copy(read.stored))
    try:
        yield
    finally:
        for read, array in zip(reads, now, strict=True):
            store(read.variable, array)
