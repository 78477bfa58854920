"""Sums over all replicas inside a trace; values that are summed together share all-reduces, or are sent in fewer bits."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._core.context import recording
from stratagem._core.mesh import AXIS, PACK_BYTES, ReplicaMesh
from stratagem._kernels import computed_once

ROUNDED = (jnp.dtype("float32"), jnp.dtype("float64"))  # of the others bfloat16 would lose range or save nothing


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


def summed(values: Sequence[Any], platform: str, pack_bytes: int = PACK_BYTES) -> list[Any]:
    """Returns the sums of several values over all replicas.

    On CPUs an all-reduce of a few bytes takes as long as one of 64 kB, so values of one dtype share one, up to
    `pack_bytes`. (For GPUs XLA combines all-reduces itself.)
    """
    parts = unfolded(list(values))
    together = _packs(parts, pack_bytes) if platform == "cpu" else [[i] for i in range(len(parts))]
    totals: dict[int, Any] = {}
    for pack in together:
        if len(pack) == 1:
            totals[pack[0]] = psum(parts[pack[0]])
            continue
        totals.update(_unpacked(psum(packed([parts[i] for i in pack], platform=platform)), pack, parts))
    return [totals[i] for i in range(len(parts))]


def summed_gradients(values: Sequence[Any], mesh: ReplicaMesh) -> list[Any]:
    """Returns the sums of an optimizer's gradients over all replicas, sent as the mesh's `communication` says."""
    sent, platform = mesh.communication, mesh.devices[0].platform
    if sent.gradient_dtype is None:
        return summed(values, platform, sent.pack_bytes)
    rounded = [i for i, v in enumerate(values) if v.dtype in ROUNDED]
    others = [i for i, v in enumerate(values) if v.dtype not in ROUNDED]
    totals = dict(zip(others, summed([values[i] for i in others], platform, sent.pack_bytes), strict=True))
    for pack in _packs(values, sent.pack_bytes, rounded):
        flat = packed([values[i] for i in pack], platform=platform)
        totals.update(_unpacked(_rounded_sum(flat, mesh.num_replicas), pack, values))
    return [totals[i] for i in range(len(values))]


def _rounded_sum(value: Any, replicas: int) -> Any:
    """Returns the sum of flat values over all replicas; what is sent is bfloat16, what is added float32.

    Each replica's value is rounded once, and so is the sum. Every replica adds up one part (`all_to_all`) and sends it to
    all (`all_gather`), half the bytes of a ring's all-reduce. XLA would add in bfloat16, after every hop, or send float32
    on CPUs; so the bits travel as integers.
    """
    padded = jnp.pad(value, (0, -value.size % replicas)).reshape(replicas, -1)
    every = jax.lax.all_gather(_bits(all_to_all_sum(padded)), AXIS, tiled=True)
    return _floats(every)[: value.size].astype(value.dtype)


def all_to_all_sum(rows: Any) -> Any:
    """Returns this replica's row of the sum of matrices with one row for each replica: rounded once before and after it."""
    mine = jax.lax.all_to_all(_bits(rows), AXIS, split_axis=0, concat_axis=0)
    return _floats(mine).astype(jnp.float32).sum(axis=0).astype(jnp.bfloat16)


def _bits(value: Any) -> Any:
    return jax.lax.bitcast_convert_type(value.astype(jnp.bfloat16), jnp.uint16)


def _floats(bits: Any) -> Any:
    return jax.lax.bitcast_convert_type(bits, jnp.bfloat16)


def _unpacked(flat: Any, pack: Sequence[int], values: Sequence[Any]) -> dict[int, Any]:
    """Returns the values of a pack, by position, in their shapes."""
    return dict(zip(pack, unpacked(flat, [values[i].shape for i in pack]), strict=True))


def unpacked(flat: Any, shapes: Sequence[Sequence[int]]) -> list[Any]:
    """Returns the values that `packed` has put together, of these shapes."""
    sizes = [math.prod(shape) for shape in shapes]
    ends = itertools.accumulate(sizes)
    return [flat[end - n : end].reshape(shape) for n, end, shape in zip(sizes, ends, shapes, strict=True)]


def packs(values: Sequence[Any], mesh: ReplicaMesh) -> list[list[int]]:
    """Returns the positions of values that share a message between the replicas of a mesh."""
    if mesh.devices[0].platform != "cpu":
        return [[i] for i in range(len(values))]
    return _packs(values, mesh.communication.pack_bytes)


def _packs(values: Sequence[Any], pack_bytes: int, positions: Sequence[int] | None = None) -> list[list[int]]:
    """Returns the positions of values that share an all-reduce: of one dtype, up to `pack_bytes` or one larger value."""
    packs: list[list[int]] = []
    open_packs: dict[Any, tuple[list[int], int]] = {}
    for i in range(len(values)) if positions is None else positions:
        value = values[i]
        size = value.size * value.dtype.itemsize
        pack, held = open_packs.get(value.dtype, ([], pack_bytes))
        if held + size > pack_bytes:
            pack, held = [], 0
            packs.append(pack)
        pack.append(i)
        open_packs[value.dtype] = (pack, held + size)
    return packs


def _packed(values: list[Any], *, platform: str) -> Any:
    """Returns all values as one flat array."""
    return concatenated(lambda *v: jax.lax.concatenate([jax.lax.reshape(x, (x.size,)) for x in v], 0), values, platform)


# In programs it is a call with a name of its own, which `with_joined_messages` finds.
PACKED = _packed.__name__
packed = jax.jit(_packed, static_argnames="platform")


def concatenated(together: Callable[..., Any], values: Sequence[Any], platform: str) -> Any:
    """Returns `together(*values)`, on CPUs apart from what computes the values.

    There XLA would move that into the concatenation, and compute it element by element.
    """
    return computed_once(together, *values) if platform == "cpu" else together(*values)


def from_first_replica(value: Any) -> Any:
    """Returns replica 0's value, to the last bit, on every replica."""
    if value.dtype == bool:  # booleans have no sum
        return from_first_replica(value.astype(jnp.uint8)).astype(bool)
    return _called_first_replicas_value(value)


def _first_replicas_value(value: Any) -> Any:
    """Returns replica 0's number, as a sum over all replicas, to which the others add nothing."""
    mine = jax.lax.axis_index(AXIS) == 0
    # Adding -0.0 changes no number, not even -0.0.
    neutral = jnp.full_like(value, -0.0 if jnp.issubdtype(value.dtype, jnp.floating) else 0)
    return jax.lax.psum(jnp.where(mine, value, neutral), AXIS)


# In programs it is a call with a name of its own, which `without_needless_messages` finds.
FIRST_REPLICAS_VALUE = _first_replicas_value.__name__
_called_first_replicas_value = jax.jit(_first_replicas_value)
