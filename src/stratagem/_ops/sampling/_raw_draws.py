"""Standard distributions of a Philox stream: from words to numbers as TensorFlow makes them, on all devices as on its CPU."""

import functools
import math
from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from stratagem._ops.sampling._philox import Block, Words, blocks, with_64_bits, words

# TensorFlow keeps this many words for each number that is drawn again until it fits.
RESERVED_WORDS = 256
_TINY = 1e-7  # Box and Muller's logarithm gets no smaller number
_LIMIT = 2.0  # of truncated normal numbers
_ATTEMPTS_AT_ONCE = 2  # blocks that all groups of truncated normal numbers draw; one group in 100,000 needs more


def fractions(made: Sequence[Words], dtype: np.dtype) -> list[jax.Array]:
    """Returns numbers in [0, 1) whose mantissas are random: one for each word, or in float64 one for two words."""
    if dtype == np.float64:
        pairs = zip(made[::2], made[1::2], strict=True)
        return [_fraction(((a.astype(np.uint64) & np.uint64(0xFFFFF)) << np.uint64(32)) | b, dtype) for a, b in pairs]
    return [_fraction(word, dtype) for word in made]


def _fraction(random: jax.Array, dtype: np.dtype) -> jax.Array:
    """The number of [1, 2) with this mantissa, minus 1."""
    mantissa, kind = jnp.finfo(dtype).nmant, np.dtype(f"uint{8 * dtype.itemsize}")
    one = np.asarray(1, dtype).view(kind)
    kept = random.astype(kind) & kind.type(2**mantissa - 1)
    return lax.bitcast_convert_type(kept | one, dtype) - np.asarray(1, dtype)


def normals(made: Block, dtype: np.dtype) -> list[jax.Array]:
    """Returns the standard normal numbers of blocks, after Box and Muller: four, in float64 two; half precision is rounded.

    The formula: sin(v), cos(v) times sqrt(-2 log u) with uniform u and v / (2 pi), https://doi.org/10.1214/aoms/1177706645.
    """
    kind = np.dtype(np.float64 if dtype == np.float64 else np.float32)
    uniform = fractions(made, kind)
    found = []
    for u, turn in zip(uniform[::2], uniform[1::2], strict=True):
        angle = (turn.astype(np.float64) * np.float64(2 * math.pi)).astype(kind)
        length = jnp.sqrt(kind.type(-2) * jnp.log(jnp.maximum(u, kind.type(_TINY))))
        found += [(jnp.sin(angle) * length).astype(dtype), (jnp.cos(angle) * length).astype(dtype)]
    return found


def _in_turn(parts: Sequence[jax.Array], size: int) -> jax.Array:
    """Returns the first number of every part, then the second of every part, and so on, `size` in all."""
    return jnp.stack(parts, axis=-1).reshape(-1)[:size]


def _groups(size: int, each: int) -> jax.Array:
    return lax.iota(np.uint32, -(-size // each))


@with_64_bits
@functools.partial(jax.jit, static_argnames=("size", "dtype"))
def full_range(stream: Words, size: int, dtype: np.dtype) -> jax.Array:
    """Returns integers of 32 or 64 bits, uniform over the whole range of their type."""
    made = words(stream, size * dtype.itemsize // 4)
    return lax.bitcast_convert_type(made if dtype.itemsize == 4 else made.reshape(size, 2), dtype)


@with_64_bits
@functools.partial(jax.jit, static_argnames=("size", "dtype"))
def below(stream: Words, low: jax.Array, high: jax.Array, size: int, dtype: np.dtype) -> jax.Array:
    """Returns integers of [low, high): `low` plus the remainder of a random word, or of two for 64 bits."""
    kind = np.dtype(f"uint{8 * dtype.itemsize}")
    made = words(stream, size * dtype.itemsize // 4)
    random = made if dtype.itemsize == 4 else lax.bitcast_convert_type(made.reshape(size, 2), kind)
    return (low.astype(kind) + random % (high.astype(kind) - low.astype(kind))).astype(dtype)


@with_64_bits
@functools.partial(jax.jit, static_argnames=("size", "dtype"))
def uniforms(stream: Words, size: int, dtype: np.dtype) -> jax.Array:
    """Returns numbers of [0, 1)."""
    if dtype == np.float64:
        pairs = words(stream, 2 * size).reshape(size, 2)
        return fractions((pairs[:, 0], pairs[:, 1]), dtype)[0]
    return fractions([words(stream, size)], dtype)[0]


@with_64_bits
@functools.partial(jax.jit, static_argnames=("size", "dtype"))
def standard_normals(stream: Words, size: int, dtype: np.dtype) -> jax.Array:
    """Returns standard normal numbers."""
    made = lax.optimization_barrier(blocks(stream, _groups(size, 2 if dtype == np.float64 else 4)))
    return _in_turn(lax.optimization_barrier(normals(made, dtype)), size)


@with_64_bits
@functools.partial(jax.jit, static_argnames=("size", "dtype"))
def truncated_normals(stream: Words, size: int, dtype: np.dtype) -> jax.Array:
    """Returns standard normal numbers of (-2, 2), others being drawn again.

    The numbers of a group, as many as a block makes, are the first ones between the bounds of blocks of its own.
    """
    kind = np.dtype(np.float64 if dtype == np.float64 else np.float32)
    width = 2 if kind == np.float64 else 4
    group = _groups(size, width)
    own = width * RESERVED_WORDS // 4
    start, upper = group * np.uint32(own), group // np.uint32(2**32 // own)
    # A loop, so that XLA stores all candidates before it compares them, and does not make them once for every comparison.
    drawn = jnp.zeros((_ATTEMPTS_AT_ONCE * width, *group.shape), kind)

    def draw(attempt: jax.Array, drawn: jax.Array) -> jax.Array:
        made = jnp.stack(normals(blocks(stream, start + attempt.astype(np.uint32), upper), kind))
        return lax.dynamic_update_slice_in_dim(drawn, made, attempt * width, 0)

    drawn = lax.fori_loop(0, _ATTEMPTS_AT_ONCE, draw, drawn)
    found, filled = _filled([jnp.zeros(group.shape, kind)] * width, jnp.zeros(group.shape, np.int32), list(drawn))
    return _in_turn(_completed(stream, found, filled, start, upper), size).astype(dtype)


def _filled(found: list[jax.Array], filled: jax.Array, drawn: list[jax.Array]) -> tuple[list[jax.Array], jax.Array]:
    """Returns the numbers of groups, and how many there are, after those of more candidates that are between the bounds."""
    for number in drawn:
        fits = jnp.abs(number) < number.dtype.type(_LIMIT)
        found = [jnp.where(fits & (filled == i), number, old) for i, old in enumerate(found)]
        filled = filled + fits.astype(np.int32)
    return found, filled


def _completed(
    stream: Words, found: list[jax.Array], filled: jax.Array, start: jax.Array, upper: jax.Array
) -> list[jax.Array]:
    """Returns the numbers of groups after the few that are not full are filled, one by one."""
    width, kind = len(found), found[0].dtype

    def one_block(state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        attempt, group, count, *numbers = state
        numbers, count = _filled(numbers, count, normals(blocks(stream, start[group] + attempt, upper[group]), kind))
        return attempt + np.uint32(1), group, count, *numbers

    def one_group(state: tuple[jax.Array, ...]) -> tuple[jax.Array, ...]:
        filled, *found = state
        group = jnp.argmin(filled)
        first = (
            jnp.asarray(np.uint32(_ATTEMPTS_AT_ONCE)),
            group,
            filled[group],
            *(numbers[group] for numbers in found),
        )
        _, _, count, *numbers = lax.while_loop(lambda inner: inner[2] < width, one_block, first)
        return filled.at[group].set(count), *(old.at[group].set(new) for old, new in zip(found, numbers, strict=True))

    return list(lax.while_loop(lambda state: jnp.any(state[0] < width), one_group, (filled, *found))[1:])
