"""Sums over all replicas inside a trace; values that are summed together share all-reduces."""

import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._core.context import recording
from stratagem._core.mesh import AXIS

_PACK_BYTES = 64 << 20


def unfolded(values: Any) -> Any:
    """Returns the same values, none of them a constant, for a reduction over replicas.

    JAX would replace the sum of a constant by a product; but on an uneven batch a number of rows is a different constant on
    every replica.
    """
    return jax.tree.map(lambda v: v if isinstance(v, jax.core.Tracer) else jnp.copy(v), values)


def psum(value: Any) -> Any:
    """Returns the sum of a value over all replicas, on every replica."""
    return _compiled_psum(value) if recording().eager else jax.lax.psum(value, AXIS)


@jax.jit
def _compiled_psum(value: Any) -> Any:
    """Sums a value that is known, which `jax.lax.psum` by itself would multiply by the number of replicas."""
    return jax.lax.psum(value, AXIS)


def summed(values: Sequence[Any], platform: str) -> list[Any]:
    """Returns the sums of several values over all replicas.

    On CPUs an all-reduce of a few bytes takes as long as one of 64 kB, so values of one dtype share one. (For GPUs XLA
    combines all-reduces itself.)
    """
    parts = unfolded(list(values))
    packs = _packs(parts) if platform == "cpu" else [[i] for i in range(len(parts))]
    totals: list[Any] = [None] * len(parts)
    for pack in packs:
        if len(pack) == 1:
            totals[pack[0]] = psum(parts[pack[0]])
            continue
        flat = psum(_packed([parts[i] for i in pack]))
        ends = itertools.accumulate(parts[i].size for i in pack)
        for i, end in zip(pack, ends, strict=True):
            totals[i] = flat[end - parts[i].size : end].reshape(parts[i].shape)
    return totals


def _packs(values: Sequence[Any]) -> list[list[int]]:
    """Returns the positions of values that share an all-reduce: of one dtype, up to `_PACK_BYTES` or one larger value."""
    packs: list[list[int]] = []
    open_packs: dict[Any, tuple[list[int], int]] = {}
    for i, value in enumerate(values):
        size = value.size * value.dtype.itemsize
        pack, held = open_packs.get(value.dtype, ([], _PACK_BYTES))
        if held + size > _PACK_BYTES:
            pack, held = [], 0
            packs.append(pack)
        pack.append(i)
        open_packs[value.dtype] = (pack, held + size)
    return packs


def _packed(values: list[Any]) -> Any:
    """Returns all values concatenated.

    This is done in the branch of a condition, into which XLA moves nothing. Otherwise it would compute the values again
    inside the concatenation, element by element, even behind an optimization barrier.
    """

    def concatenated(*parts: Any) -> Any:
        return jnp.concatenate([v.ravel() for v in parts])

    def never_run(*parts: Any) -> Any:
        return jnp.zeros(sum(v.size for v in parts), parts[0].dtype)

    return jax.lax.cond(jax.lax.axis_index(AXIS) >= 0, concatenated, never_run, *values)


def from_first_replica(value: Any) -> Any:
    """Returns replica 0's value, to the last bit, on every replica."""
    if value.dtype == bool:  # booleans have no sum
        return from_first_replica(value.astype(jnp.uint8)).astype(bool)
    mine = jax.lax.axis_index(AXIS) == 0
    # Adding -0.0 changes no number, not even -0.0.
    neutral = jnp.full_like(value, -0.0 if jnp.issubdtype(value.dtype, jnp.floating) else 0)
    return psum(jnp.where(mine, value, neutral))
