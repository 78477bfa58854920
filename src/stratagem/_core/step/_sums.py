"""Sums over all replicas inside a trace: values that are summed together travel in few all-reduces."""

import itertools
from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._core.mesh import AXIS

_PACK_BYTES = 64 << 20


def unfolded(values: Any) -> Any:
    """The same values, none of them a constant, for a reduction over replicas.

    JAX would reduce a constant by multiplying; but on an uneven batch a number of rows is another constant on every replica.
    """
    return jax.tree.map(lambda v: v if isinstance(v, jax.core.Tracer) else jnp.copy(v), values)


def summed(values: Sequence[Any], platform: str) -> list[Any]:
    """The sums of several values over all replicas.

    On CPUs an all-reduce of a few bytes costs as much as one of 64 kB, so values of one type travel together. (For GPUs XLA
    combines all-reduces itself.)
    """
    given = unfolded(list(values))
    packs = _packs(given) if platform == "cpu" else [[i] for i in range(len(given))]
    totals: list[Any] = [None] * len(given)
    for pack in packs:
        if len(pack) == 1:
            totals[pack[0]] = jax.lax.psum(given[pack[0]], AXIS)
            continue
        flat = jax.lax.psum(_packed([given[i] for i in pack]), AXIS)
        ends = itertools.accumulate(given[i].size for i in pack)
        for i, end in zip(pack, ends, strict=True):
            totals[i] = flat[end - given[i].size : end].reshape(given[i].shape)
    return totals


def _packs(values: Sequence[Any]) -> list[list[int]]:
    """The positions of values that travel together: of one dtype, up to `_PACK_BYTES` or one larger value."""
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
    """All values one after another.

    In the branch of a condition: XLA would compute the values anew inside of the concatenation, element by element, also
    behind an optimization barrier; it moves nothing into a branch.
    """

    def concatenated(*given: Any) -> Any:
        return jnp.concatenate([v.ravel() for v in given])

    def never(*given: Any) -> Any:
        return jnp.zeros(sum(v.size for v in given), given[0].dtype)

    return jax.lax.cond(jax.lax.axis_index(AXIS) >= 0, concatenated, never, *values)


def from_first_replica(value: Any) -> Any:
    """Replica 0's value, to the last bit, on every replica."""
    if value.dtype == bool:  # truths have no sum
        return from_first_replica(value.astype(jnp.uint8)).astype(bool)
    mine = jax.lax.axis_index(AXIS) == 0
    # To add -0.0 changes no number, not even -0.0.
    nothing = jnp.full_like(value, -0.0 if jnp.issubdtype(value.dtype, jnp.floating) else 0)
    return jax.lax.psum(jnp.where(mine, value, nothing), AXIS)
