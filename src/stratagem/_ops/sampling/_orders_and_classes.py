"""Orders and classes drawn from a Philox stream: shuffles, permuted indices, categorical numbers."""

import functools
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, operands, static_int, tensor
from stratagem._ops._dtypes import as_dtype, int32, int64
from stratagem._ops._symbolic import name_results
from stratagem._ops.sampling._philox import Words, with_64_bits, words
from stratagem._ops.sampling._raw_draws import uniforms

_LEAST_BITS = 16  # of the numbers that `random_index_shuffle` encrypts
_DEFAULT_WORD = 498247692  # the third number of the key in `index_shuffle`, whose seeds have two


def shuffled(stream: Words, value: Tensor) -> Tensor:
    """Returns the rows of a tensor in the order that TensorFlow draws; a scalar or a single row as it is."""
    if value.ndim == 0 or value.shape[0] <= 1:
        return value
    return value[_order(stream, value.shape[0])]


@with_64_bits
@functools.partial(jax.jit, static_argnames=("size",))
def _order(stream: Words, size: int) -> Tensor:
    """Returns the numbers of rows after Fisher's and Yates' swaps: each row with one of those from it on."""
    left = np.arange(size, 1, -1, dtype=np.uint32)
    steps = (words(stream, size - 1) % left).astype(np.int32)

    def swap(i: Tensor, order: Tensor) -> Tensor:
        other = i + steps[i]
        here, there = order[i], order[other]
        return order.at[other].set(here).at[i].set(there)

    return lax.fori_loop(np.int32(0), np.int32(size - 1), swap, jnp.arange(size, dtype=np.int32))


def draw_classes(stream: Words, logits: Any, num_samples: Any, dtype: DTypeLike) -> Tensor:
    """Draws class numbers with these unnormalized log-probabilities: (batch, classes) to (batch, num_samples).

    dtype: int32, or int64, which None is. Raises InvalidArgumentError for logits that are no matrix with at least one
    class, ValueError for another dtype.
    """
    kind, scores = as_dtype(int64 if dtype is None else dtype), tensor(logits)
    if kind not in (int32, int64):
        raise ValueError(f"Class numbers are int32 or int64, not {kind!r}: use tf.cast on the result.")
    if scores.ndim != 2 or not scores.shape[1]:
        raise InvalidArgumentError(f"logits are a matrix (batch, classes), got the shape {tuple(scores.shape)}.")
    count = static_int(num_samples, "a tensor is the number of samples")
    if count < 0:
        raise InvalidArgumentError(f"num_samples cannot be negative, got {count}.")
    return _classes(stream, scores, count, kind.dtype)


@with_64_bits
@functools.partial(jax.jit, static_argnames=("count", "dtype"))
def _classes(stream: Words, scores: Tensor, count: int, dtype: np.dtype) -> Tensor:
    """Inverts the cumulative distribution of each row, in float64; classes whose score is not finite have no chance."""
    exact = scores.astype(np.float64)
    finite = jnp.isfinite(exact)
    largest = jnp.max(jnp.where(finite, exact, -jnp.inf), axis=1, keepdims=True)
    shares = jnp.where(finite, jnp.exp(exact - jnp.where(jnp.isfinite(largest), largest, 0.0)), 0.0)
    bounds = jnp.cumsum(shares, axis=1)
    wanted = (
        uniforms(stream, scores.shape[0] * count, np.dtype(np.float64)).reshape(scores.shape[0], count) * bounds[:, -1:]
    )
    return jnp.sum(bounds[:, None, :] <= wanted[:, :, None], axis=-1, dtype=np.int64).astype(dtype)


@exported("random.experimental.index_shuffle")
def index_shuffle(index: Any, seed: Any, max_index: Any) -> Tensor:
    """Returns the place of `index` in a random order of 0, ..., max_index, TensorFlow's, without making the order.

    index: integers, a scalar or (n,). seed: two integers, or (n, 2). max_index: like `index`.
    Raises InvalidArgumentError for a seed of another shape.
    """
    given = tensor(seed)
    return random_index_shuffle(
        index, jnp.pad(given, [(0, 0)] * (given.ndim - 1) + [(1, 0)], constant_values=_DEFAULT_WORD), max_index
    )


@exported("random_index_shuffle")
def random_index_shuffle(index: Any, seed: Any, max_index: Any, rounds: int = 4, name: str | None = None) -> Tensor:
    """Returns the place of `index` in a random order of 0, ..., max_index, TensorFlow's, without making the order.

    index: integers, a scalar or (n,). seed: three integers, or (n, 3). max_index: like `index`.
    rounds: how often numbers are encrypted: even and at least 4.
    Raises InvalidArgumentError for other rounds and for a seed of another shape.
    """
    if rounds < 4 or rounds % 2:
        raise InvalidArgumentError(f"`rounds` is even and at least 4, got {rounds}.")
    number, largest = operands("random_index_shuffle", index, max_index)
    key = tensor(seed)
    if key.ndim not in (1, 2) or key.shape[-1] != 3:
        raise InvalidArgumentError(
            f"The seed is three integers, or a row of three for each index, got {tuple(key.shape)}."
        )
    return _encrypted_index(number, key, largest, rounds)


@with_64_bits
@functools.partial(jax.jit, static_argnames=("rounds",))
def _encrypted_index(index: Tensor, key: Tensor, largest: Tensor, rounds: int) -> Tensor:
    """Encrypts the index until it is in the range ("cycle walking", https://www.cs.ucdavis.edu/~rogaway/papers/subset.pdf).

    The cipher is Simon (https://eprint.iacr.org/2013/404) with words of half of the bits that the largest index needs.
    """
    top = largest.astype(np.uint64)
    bits = np.uint64(64) - lax.clz(jnp.maximum(top, np.uint64(1)) - np.uint64(1))
    width = jnp.maximum(bits + bits % np.uint64(2), np.uint64(_LEAST_BITS)) // np.uint64(2)
    mask = (np.uint64(1) << width) - np.uint64(1)
    keys = _round_keys([key[..., i].astype(np.uint32).astype(np.uint64) & mask for i in range(3)], rounds, width, mask)

    def encrypted(number: Tensor) -> Tensor:
        left, right = (number >> width) & mask, number & mask
        for first, second in zip(keys[::2], keys[1::2], strict=True):
            left = left ^ _mixed(right, width, mask) ^ first
            right = right ^ _mixed(left, width, mask) ^ second
        return (left << width) | right

    shape = jnp.broadcast_shapes(index.shape, largest.shape, key.shape[:-1])
    first = jnp.broadcast_to(encrypted(index.astype(np.uint64)), shape)
    found = lax.while_loop(
        lambda number: jnp.any(number > top), lambda number: jnp.where(number > top, encrypted(number), number), first
    )
    return jnp.where(top == 0, np.uint64(0), found).astype(index.dtype)


def _turned(word: Tensor, by: int, width: Tensor, mask: Tensor) -> Tensor:
    """Returns a word of `width` bits, turned to the left."""
    turn = np.uint64(by)
    return ((word << turn) | (word >> (width - turn))) & mask


def _mixed(word: Tensor, width: Tensor, mask: Tensor) -> Tensor:
    return _turned(word, 1, width, mask) & _turned(word, 8, width, mask) ^ _turned(word, 2, width, mask)


def _round_keys(keys: list[Tensor], rounds: int, width: Tensor, mask: Tensor) -> list[Tensor]:
    constant, sequence = np.uint64(0xFFFFFFFC), 0x7369F885192C0EF5
    for i in range(rounds - 3):
        last = keys[-1]
        turned = [((last >> np.uint64(r)) | (last << (width - np.uint64(r)))) & mask for r in (3, 4)]
        keys.append((constant ^ np.uint64(sequence >> i & 1) ^ keys[-3]) & mask ^ turned[0] ^ turned[1])
    return keys


name_results(globals())
