"""The states of `tf.random.Generator`: a counter of 128 bits and a key, in TensorFlow's layout, and how draws advance them."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._core.mesh import AXIS
from stratagem._core.values import placement_of
from stratagem._ops._convert import Tensor, tensor
from stratagem._ops.sampling._algorithms import Algorithm, algorithm_number
from stratagem._ops.sampling._philox import Words, with_64_bits, words

# A draw advances the counter by so many blocks for each number, enough for numbers that are drawn again until they fit.
BLOCKS_OF_A_NUMBER = 256
_WORD = 2**64


def state_size(number: int) -> int:
    """Returns how many int64 the state of an algorithm has: two of a counter (ThreeFry: one) and the key."""
    return 2 if number == Algorithm.THREEFRY.value else 3


@exported("random.create_rng_state", "random.experimental.create_rng_state")
def create_rng_state(seed: Any, alg: Any) -> Tensor:
    """Returns the state of a generator with this seed: int64, (3,), for ThreeFry (2,).

    seed: an integer, whose words of 64 bits are the state's, the lowest first; or integers, (n,), of which the first are
    the state's, with zeros before them if they are too few. Raises ValueError for an unknown algorithm or seeds of a
    higher rank.
    """
    size = state_size(algorithm_number(alg))
    if isinstance(seed, int):
        return _int64([seed >> 64 * i for i in range(size)])
    if isinstance(seed, list | tuple) and all(isinstance(number, int) for number in seed):
        return _int64([*[0] * (size - len(seed)), *seed[:size]])
    given = tensor(seed)
    if given.ndim > 1:
        raise ValueError(f"A seed is an integer or a list of integers, but got the shape {tuple(given.shape)}.")
    numbers = jnp.atleast_1d(given)[:size].astype(np.int64)
    return jnp.pad(numbers, (size - numbers.shape[0], 0))


def _int64(numbers: list[int]) -> Tensor:
    """Integers of any size, modulo 2**64."""
    return tensor(np.array([number % _WORD for number in numbers], np.uint64).view(np.int64))


@with_64_bits
@jax.jit
def skipped(state: Tensor, blocks: Tensor) -> Tensor:
    """Returns the state so many blocks later. A negative number goes back, within the counter's lower half."""
    counter = lax.bitcast_convert_type(state[0], np.uint64)
    later = counter + blocks.astype(np.uint64)
    carry = (blocks > 0) & (later < counter)
    return jnp.stack([lax.bitcast_convert_type(later, np.int64), state[1] + carry, state[2]])


@with_64_bits
@functools.partial(jax.jit, static_argnames=("of_replica",))
def _stream(state: Tensor, replica: Tensor, of_replica: bool) -> Words:
    low0, low1, high0, high1, key0, key1 = lax.bitcast_convert_type(state, np.uint32).reshape(6)
    if of_replica:
        zero = jnp.zeros((), np.uint32)
        key0, key1 = words(jnp.stack([key0, key1, replica.astype(np.uint32), zero, zero, zero]), 2)
    return jnp.stack([key0, key1, low0, low1, high0, high1])


def stream_of_state(variable: Any) -> Words:
    """Returns the stream that starts at a generator's state.

    In a replica the key is another one: the first number of 64 bits that the generator's key gives at the counter
    (replica id, 0), as in TensorFlow for generators of the strategy. Cross-replica code uses the key as it is.
    """
    context, placement = current(), placement_of(variable)
    made_in_scope = placement is not None and placement.strategy is not None
    several = context.replica is not None and context.replica.num_replicas_in_sync > 1
    inside = context.replica is not None and context.recorder is not None and (made_in_scope or several)
    replica = lax.axis_index(AXIS) if inside else tensor(0)
    return _stream(tensor(variable), replica, inside)


def advance(variable: Any, blocks: Any) -> Tensor:
    """Adds a number of blocks to the counter of a generator's state, even in a step. Returns the state before."""
    before = tensor(variable)
    variable.assign(skipped(before, tensor(blocks, np.int64)))
    return before
