"""Philox 4x32-10: random words as a function of a key and a counter, the same ones as in TensorFlow.

The algorithm is that of Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3" (2011). A stream is
six words, two of a key and four of a counter; word i of it is word i % 4 of block i // 4.
"""

import functools
from collections.abc import Callable
from typing import ParamSpec, TypeAlias, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

P = ParamSpec("P")
T = TypeVar("T")
Words: TypeAlias = jax.Array  # of uint32
Block: TypeAlias = tuple[Words, Words, Words, Words]

_ROUNDS = 10
_FACTORS = (np.uint64(0xD2511F53), np.uint64(0xCD9E8D57))
_KEY_STEPS = (np.uint32(0x9E3779B9), np.uint32(0xBB67AE85))  # parts of the golden ratio and of the root of 3
# TensorFlow's key for the first of two times that it encrypts the two numbers of a stateless seed.
_SCRAMBLING_KEY = np.array([0x3EC8F720, 0x02461E29], np.uint32)


def with_64_bits(compute: Callable[P, T]) -> Callable[P, T]:
    """Lets a function compute with 64-bit numbers, whatever JAX's mode is."""

    @functools.wraps(compute)
    def wide(*args: P.args, **kwargs: P.kwargs) -> T:
        with jax.enable_x64(True):
            return compute(*args, **kwargs)

    return wide


def _product(words: Words, factor: np.uint64) -> tuple[Words, Words]:
    """Returns the upper and lower 32 bits of a product."""
    whole = words.astype(np.uint64) * factor
    return (whole >> np.uint64(32)).astype(np.uint32), whole.astype(np.uint32)


def _encrypted(key: Words, counter: Block) -> Block:
    """Returns the random block for each counter. key: (2,)."""

    def one_round(_: int, state: tuple[Words, ...]) -> tuple[Words, ...]:
        k0, k1, c0, c1, c2, c3 = state
        high0, low0 = _product(c0, _FACTORS[0])
        high2, low2 = _product(c2, _FACTORS[1])
        return k0 + _KEY_STEPS[0], k1 + _KEY_STEPS[1], high2 ^ c1 ^ k0, low2, high0 ^ c3 ^ k1, low0

    # Of more rounds at once XLA's CPU compiler repeats work for each word of the result; elsewhere loops cost launches.
    unroll = 5 if jax.default_backend() == "cpu" else _ROUNDS
    state = lax.fori_loop(0, _ROUNDS, one_round, (key[0], key[1], *counter), unroll=unroll)
    return state[2], state[3], state[4], state[5]


def advanced(counter: Block, low: Words, high: Words) -> Block:
    """Returns counters of 128 bits, plus a number of 64 bits given as two words."""
    one, zero = np.uint32(1), np.uint32(0)
    c0 = counter[0] + low
    carry = jnp.where(c0 < low, one, zero)
    c1 = counter[1] + high
    over = jnp.where(c1 < high, one, zero)
    c1 = c1 + carry
    over = over | jnp.where(c1 < carry, one, zero)
    c2 = counter[2] + over
    return c0, c1, c2, counter[3] + jnp.where(c2 < over, one, zero)


def blocks(stream: Words, low: Words, high: Words | None = None) -> Block:
    """Returns the blocks of a stream with these numbers, of which `high` are the upper 32 bits."""
    counter = (stream[2], stream[3], stream[4], stream[5])
    return _encrypted(stream[:2], advanced(counter, low, jnp.zeros_like(low) if high is None else high))


def words(stream: Words, count: int) -> Words:
    """Returns the first `count` words of a stream."""
    made = blocks(stream, lax.iota(np.uint32, -(-count // 4)))
    return jnp.stack(lax.optimization_barrier(made), axis=-1).reshape(-1)[:count]


def halves(numbers: jax.Array) -> tuple[Words, Words]:
    """Returns the lower and the upper 32 bits of integers of at most 64 bits, which are extended by their sign."""
    if numbers.dtype.itemsize == 8:
        parts = lax.bitcast_convert_type(numbers, np.uint32)
        return parts[..., 0], parts[..., 1]
    wide = numbers.astype(np.uint32)  # negative numbers are congruent modulo 2**32
    return wide, jnp.where(numbers < 0, np.uint32(0xFFFFFFFF), np.uint32(0))


@with_64_bits
@jax.jit
def stream_of(first: jax.Array, second: jax.Array) -> Words:
    """Returns the stream for the two numbers of a stateless seed.

    They are encrypted once: half of the random block is the key, the other half the upper 64 bits of the counter.
    """
    mixed = _encrypted(jnp.asarray(_SCRAMBLING_KEY), (*halves(first), *halves(second)))
    zero = jnp.zeros((), np.uint32)
    return jnp.stack([mixed[0], mixed[1], zero, zero, mixed[2], mixed[3]])
