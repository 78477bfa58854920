"""ShardedPlacement: a variable of which every replica keeps one shard, such as a slot of an optimizer (ZeRO, stage 1)."""

import contextlib
import functools
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, final

import jax
import keras
import numpy as np

from stratagem._core.mesh import ReplicaMesh
from stratagem._core.values._on_read import on_read
from stratagem._core.values._placement import Placement, placement_of, storage
from stratagem._core.values._shard_layout import ShardLayout
from stratagem._private import shape_of, stored


@final
@dataclass(frozen=True, eq=False)
class ShardedPlacement(Placement):
    """The location of a variable whose flat value is cut into as many shards as there are replicas.

    It stores an array of shape (replicas, length of a shard). Everybody who reads or assigns it has the whole value; only
    `shard_layout` tells that it is in shards.
    """

    def layout(self, variable: keras.Variable) -> ShardLayout:
        """Returns how the variable's value lies in its shards."""
        return ShardLayout(tuple(shape_of(variable)), self.mesh.num_replicas)

    def read(self, variable: keras.Variable) -> jax.Array:
        """Returns the whole value, a local array. With several workers this is a collective.

        Raises PeerFailedError if the other workers are elsewhere: they went on, or have ended.
        """
        job = self.mesh.job
        job.gather(
            f"read {variable.path}, of which every worker has a part: with shard_optimizer_state=True all workers call what "
            "saves a model or reads its optimizer"
        )
        with storage, job.waiting():
            return self.mesh.first(_join(self.layout(variable), self.mesh)(stored(variable)))

    @contextlib.contextmanager
    def lent(self, variable: keras.Variable) -> Iterator[np.ndarray | None]:
        """Yields the whole value in the host's memory, without memory of a device; None if other workers have parts of it."""
        with storage:
            here = self.mesh.job.workers == 1
            yield self.layout(variable).joined(np.asarray(stored(variable))) if here else None

    def laid_out(self, variable: keras.Variable, value: Any, *, first: bool) -> jax.Array:
        """Returns the shards of a value, each on its replica's device."""
        shards = self.layout(variable).cut(np.asarray(value))
        return self.mesh.stack([shards[i] for i in self.mesh.local_ids], own=True)


@functools.cache
def _join(layout: ShardLayout, mesh: ReplicaMesh) -> Callable[[jax.Array], jax.Array]:
    return jax.jit(layout.joined, out_shardings=mesh.everywhere)


def shard_layout(variable: keras.Variable, mesh: ReplicaMesh) -> ShardLayout | None:
    """Returns how a variable lies in shards over the replicas of a mesh; None if each of them has a value of its own."""
    placement: Any = placement_of(variable)
    here = isinstance(placement, ShardedPlacement) and placement.mesh.devices == mesh.devices
    return placement.layout(variable) if here else None


def by_replica(variable: keras.Variable, mesh: ReplicaMesh) -> bool:
    """Returns whether every replica stores something else: a slot of a sync-on-read variable, or a shard."""
    return on_read(variable) or shard_layout(variable, mesh) is not None


def stored_shape(variable: keras.Variable, mesh: ReplicaMesh) -> tuple[int, ...]:
    """Returns the shape of what a replica stores of a variable."""
    layout = shard_layout(variable, mesh)
    return tuple(shape_of(variable)) if layout is None else (layout.length,)


def needs_all_workers(variable: keras.Variable) -> bool:
    """Returns whether workers can read a variable only together, because each of them has a part of its value."""
    placement = placement_of(variable)
    if placement is None or placement.mesh.job.workers == 1:
        return False
    return on_read(variable) or isinstance(placement, ShardedPlacement)
