"""ReplicaMesh: the devices of the replicas, and the two ways in which an array is laid out on them."""

import functools
import itertools
import weakref
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np
from jax.sharding import Mesh, NamedSharding, PartitionSpec

from stratagem._base.job import ALONE, Job
from stratagem._core.non_finite import NonFiniteWatch
from stratagem._private import movable, note_moved

AXIS = "replica"
PACK_BYTES = 64 << 20  # larger all-reduces are no faster a byte (docs/scaling.md)
_MOST_AHEAD = 8  # steps of several CPU devices that are under way at a time


@final
@dataclass(frozen=True)
class Communication:
    """The form in which gradients travel between replicas.

    gradient_dtype: "bfloat16", or None for their own dtype. pack_bytes: gradients that share an all-reduce have at most so
    many bytes together.
    """

    gradient_dtype: str | None = None
    pack_bytes: int = PACK_BYTES


@final
class DispatchWatch:
    """The latest result that is being computed on some devices; work is dispatched without waiting for it.

    On several CPU devices of a process, each eighth result is waited for. XLA starts a program for each device in a thread of
    the pool that runs them, and while 32 programs of a device are under way, the start of one more holds its thread. To run so
    far ahead gains nothing, and without it fewer threads are enough (`reserve_threads`).
    """

    def __init__(self) -> None:
        self._latest: Callable[[], jax.Array | None] = lambda: None
        self._noted = 0

    def note(self, result: jax.Array) -> None:
        """Stores a weak reference to a result, the first value of a step that has been dispatched."""
        self._latest = weakref.ref(result)
        self._noted += 1
        if self._noted % _MOST_AHEAD == 0 and _is_on_several_cpus(result):
            result.block_until_ready()

    def busy(self) -> bool:
        """Returns whether the devices still work on the latest result."""
        result: Any = self._latest()  # JAX gives `is_ready` no type
        return result is not None and not result.is_deleted() and not result.is_ready()


def _joined(pieces: Sequence[np.ndarray]) -> np.ndarray:
    """Returns arrays of one shape and dtype as one array of them: without a copy if they follow each other in one array.

    The pieces of a batch do.
    """
    first = pieces[0]
    starts = [piece.__array_interface__["data"][0] for piece in pieces]
    apart = {after - before for before, after in itertools.pairwise(starts)}
    alike = all(piece.base is first.base and piece.strides == first.strides for piece in pieces)
    if first.base is None or not alike or apart != {first.nbytes} or not first.flags.c_contiguous:
        return np.stack(pieces)
    return np.lib.stride_tricks.as_strided(
        first, (len(pieces), *first.shape), (first.nbytes, *first.strides), writeable=False
    )


def _is_on_several_cpus(array: jax.Array) -> bool:
    here: Any = array.sharding.addressable_devices  # JAX gives devices no type
    return len(here) > 1 and next(iter(here)).platform == "cpu"


@dataclass(frozen=True)
class ReplicaMesh:
    """One replica for each device, along one mesh axis called `replica`.

    `devices` are in the order of their global replica ids and may belong to several processes: those of `job`.
    """

    devices: tuple[jax.Device, ...]
    job: Job = field(default=ALONE, compare=False, repr=False)
    communication: Communication = field(default=Communication(), repr=False)
    dispatched: DispatchWatch = field(default_factory=DispatchWatch, compare=False, repr=False)
    non_finite: NonFiniteWatch = field(default_factory=NonFiniteWatch, compare=False, repr=False)

    @functools.cached_property
    def mesh(self) -> Mesh:
        """The JAX mesh with one axis, `replica`."""
        return Mesh(np.array(self.devices), (AXIS,))

    @property
    def num_replicas(self) -> int:
        """The number of replicas over all processes."""
        return len(self.devices)

    @functools.cached_property
    def local_ids(self) -> tuple[int, ...]:
        """The global ids of the replicas that run in this process, in order."""
        here = jax.process_index()
        return tuple(i for i, d in enumerate(self.devices) if d.process_index == here)

    @functools.cached_property
    def local_devices(self) -> tuple[jax.Device, ...]:
        """The devices of the replicas that run in this process, in order."""
        return tuple(self.devices[i] for i in self.local_ids)

    @functools.cached_property
    def everywhere(self) -> NamedSharding:
        """The sharding in which every device holds the whole array."""
        return NamedSharding(self.mesh, PartitionSpec())

    @functools.cached_property
    def one_each(self) -> NamedSharding:
        """The sharding in which dimension 0 has one entry for each replica, on the replica's device."""
        return NamedSharding(self.mesh, PartitionSpec(AXIS))

    def replicate(self, value: jax.Array | np.ndarray, *, own: bool = False) -> jax.Array:
        """Copies `value` to every device; the array keeps its dtype, also if that has 64 bits.

        own: shares no buffer with `value`, so that the result may be donated.
        """
        found = self._assemble([value] * len(self.local_devices), np.shape(value), self.everywhere, own)
        note_moved([value], [found], lambda cotangents: [self.first(cotangents[0])])
        return found

    def stack(self, values: Sequence[jax.Array | np.ndarray], *, own: bool = False) -> jax.Array:
        """Returns one value for each local replica, all of one shape `s`, as one array of shape (replicas, *s).

        own: as in `replicate`.
        """
        shape = (self.num_replicas, *np.shape(values[0]))
        # Moved to its device first: an uncommitted array would be reshaped on the default device.
        pairs = zip(values, self.local_devices, strict=True)
        here = [jax.device_put(v, d) if isinstance(v, jax.Array) else v for v, d in pairs]
        found = self._assemble([v[None] for v in here], shape, self.one_each, own)
        note_moved(values, [found], lambda cotangents: self.unstack(cotangents[0]))
        return found

    def stack_each(self, values: Sequence[Sequence[np.ndarray]]) -> list[jax.Array]:
        """Returns what `stack` returns of each of these, in one transfer for all. For a mesh of this process alone."""
        joined = [exact(_joined(pieces)) for pieces in values]
        stacked: list[jax.Array] = jax.device_put(joined, self.one_each)
        return stacked

    def unstack(self, array: jax.Array) -> tuple[jax.Array, ...]:
        """Returns the local replicas' entries of an array made by `stack`, each on its device but not committed to it."""
        pieces = {s.device: s.data for s in array.addressable_shards}
        found = tuple(movable(pieces[d][0]) for d in self.local_devices)
        note_moved([array], found, lambda cotangents: [self._stacked(cotangents, found[0])])
        return found

    def _stacked(self, values: Sequence[jax.Array | None], like: jax.Array) -> jax.Array:
        return self.stack([jnp.zeros_like(like) if v is None else v for v in values])

    def first(self, array: jax.Array) -> jax.Array:
        """Returns this process' first copy of an array that lies `everywhere`: local and uncommitted, without waiting.

        It shares the array's buffer, and becomes invalid when that is donated.
        """
        found = movable(array.addressable_data(0))
        note_moved([array], [found], lambda cotangents: [self.replicate(cotangents[0])])
        return found

    def own_first(self, array: jax.Array) -> jax.Array:
        """Returns a copy of what `first` returns, with a buffer of its own on the same device."""
        return movable(jnp.copy(array.addressable_data(0)))

    def from_chief(self, value: np.ndarray) -> np.ndarray:
        """Returns worker 0's value on all workers, each of which passes a value of the same shape and dtype."""
        words = np.frombuffer(value.tobytes() + b"\0" * (-value.nbytes % 4), np.uint32)
        size = 1 << max(8, (words.size - 1).bit_length())  # few sizes, so few programs
        mine = np.zeros(size, np.uint32)
        if 0 in self.local_ids:
            mine[: words.size] = words
        nothing = np.zeros_like(mine)
        slots = self.stack([mine if i == 0 else nothing for i in self.local_ids])
        with self.job.waiting():
            total = np.asarray(self.first(_sum_of_slots(self.mesh)(slots)))
        return np.frombuffer(total.tobytes()[: value.nbytes], value.dtype).reshape(value.shape)

    def _assemble(
        self,
        pieces: Sequence[jax.Array | np.ndarray],
        shape: tuple[int, ...],
        sharding: NamedSharding,
        own: bool = False,
    ) -> jax.Array:
        alias = False if own else None
        pairs = zip(pieces, self.local_devices, strict=True)
        placed = [jax.device_put(exact(p), d, may_alias=alias) for p, d in pairs]
        return jax.make_array_from_single_device_arrays(shape, sharding, placed)


@functools.cache
def _sum_of_slots(mesh: Mesh) -> Callable[[jax.Array], jax.Array]:
    def total(slot: jax.Array) -> jax.Array:
        return jax.lax.psum(slot[0], AXIS)

    mapped = jax.shard_map(total, mesh=mesh, in_specs=PartitionSpec(AXIS), out_specs=PartitionSpec(), check_vma=False)
    summed: Callable[[jax.Array], jax.Array] = jax.jit(mapped)
    return summed


def exact(value: jax.Array | np.ndarray | np.generic) -> jax.Array | np.ndarray | np.generic:
    """Returns the same value, safe to put on a device: JAX would convert an implicit 64-bit NumPy array to 32 bits."""
    if isinstance(value, np.ndarray | np.generic) and value.dtype.itemsize == 8:
        return jnp.asarray(value, dtype=value.dtype)
    return value
