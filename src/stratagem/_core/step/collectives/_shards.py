"""Shards of values inside a trace: this replica's one, sums of which each replica gets one, and whole values again."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._core.mesh import AXIS, ReplicaMesh
from stratagem._core.step.collectives._sums import ROUNDED, all_to_all_sum, concatenated, packs
from stratagem._core.values import ShardLayout


def own_shard(value: Any, layout: ShardLayout) -> Any:
    """Returns this replica's shard of a value that is equal on all replicas; else the step is refused (`DivergenceError`)."""
    return _called_own_shard(value, layout=layout)


def shared_by_shards(value: Any) -> Any:
    """Returns a value that replicas use for their shards, and has to be equal on all of them, as for `own_shard`."""
    return _called_shared_by_shards(value)


def _shared_by_shards(value: Any) -> Any:
    return value


def _own_shard(value: Any, *, layout: ShardLayout) -> Any:
    return jax.lax.dynamic_index_in_dim(layout.cut_in_program(value), jax.lax.axis_index(AXIS), axis=0, keepdims=False)


# In programs they are calls with names of their own, by which `varying_outputs` finds them.
OF_EQUAL_VALUES = (_own_shard.__name__, _shared_by_shards.__name__)
_called_shared_by_shards = jax.jit(_shared_by_shards)
_called_own_shard = jax.jit(_own_shard, static_argnames="layout")


def is_element(layout: ShardLayout) -> Any:
    """Returns for every place of this replica's shard whether an element is there, and no zero behind the last one."""
    place = jax.lax.axis_index(AXIS) * layout.length + jnp.arange(layout.length)
    return place < layout.size


def scattered_sums(values: Sequence[Any], layouts: Sequence[ShardLayout], mesh: ReplicaMesh) -> list[Any]:
    """Returns this replica's shards of the sums of several values over all replicas, sent as the mesh's `communication` says.

    Each shard is what `summed_gradients` has there.
    """
    sent = mesh.communication

    def sums(pack: Sequence[int]) -> Any:
        rows = concatenated(
            lambda *v: _rows(v, [layouts[i] for i in pack]), [values[i] for i in pack], mesh.devices[0].platform
        )
        if sent.gradient_dtype is not None and values[pack[0]].dtype in ROUNDED:
            return all_to_all_sum(rows).astype(rows.dtype)
        if mesh.job.workers > 1 and mesh.devices[0].platform == "cpu":  # gloo's reduce-scatter takes four times as long
            return jax.lax.all_to_all(rows, AXIS, split_axis=0, concat_axis=0).sum(axis=0, dtype=rows.dtype)
        return jax.lax.psum_scatter(rows, AXIS, scatter_dimension=0)

    found: dict[int, Any] = {}
    for pack in packs(values, mesh):
        found.update(_parted(sums(pack), pack, layouts))
    return [found[i] for i in range(len(values))]


def whole_values(shards: Sequence[Any], layouts: Sequence[ShardLayout], mesh: ReplicaMesh) -> list[Any]:
    """Returns the values of which every replica has these shards, on all replicas; small ones share messages."""
    found: dict[int, Any] = {}
    for pack in packs(shards, mesh):
        flat = concatenated(lambda *v: jnp.concatenate(v), [shards[i] for i in pack], mesh.devices[0].platform)
        rows = jax.lax.all_gather(flat, AXIS)
        found.update((i, layouts[i].joined(row)) for i, row in _parted(rows, pack, layouts).items())
    return [found[i] for i in range(len(shards))]


def _rows(values: Sequence[Any], layouts: Sequence[ShardLayout]) -> Any:
    return jnp.concatenate([o.cut_in_program(v) for v, o in zip(values, layouts, strict=True)], axis=1)


def _parted(packed: Any, pack: Sequence[int], layouts: Sequence[ShardLayout]) -> dict[int, Any]:
    """Returns the parts of a pack along the last axis, by position."""
    found, start = {}, 0
    for i in pack:
        found[i] = packed[..., start : start + layouts[i].length]
        start += layouts[i].length
    return found
