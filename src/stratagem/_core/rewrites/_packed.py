"""Floats and small numbers that belong to them, packed into one array: a loop of XLA's for CPUs has one result.

What gives two results is computed by two loops, each from the beginning.
"""

import jax
import jax.numpy as jnp

_WORDS = {1: jnp.uint8, 2: jnp.uint16, 4: jnp.uint32, 8: jnp.uint64}  # by their bytes


def packed(values: jax.Array, numbers: jax.Array) -> tuple[jax.Array, ...]:
    """Returns floats and numbers as one array, of words twice as large; as two if there are no such words.

    numbers: int8, not negative.
    """
    size = values.dtype.itemsize
    if 2 * size not in _WORDS:
        return values, numbers
    with jax.enable_x64(True):
        low = jax.lax.bitcast_convert_type(values, _WORDS[size]).astype(_WORDS[2 * size])
        return (low | numbers.astype(_WORDS[2 * size]) << (8 * size),)


def unpacked_values(pack: tuple[jax.Array, ...], dtype: jnp.dtype) -> jax.Array:
    """Returns the floats, of this type, of a pack."""
    if len(pack) == 2:
        return pack[0]
    with jax.enable_x64(True):
        return jax.lax.bitcast_convert_type(pack[0].astype(_WORDS[pack[0].dtype.itemsize // 2]), dtype)


def unpacked_numbers(pack: tuple[jax.Array, ...]) -> jax.Array:
    """Returns the numbers of a pack, int8."""
    if len(pack) == 2:
        return pack[1]
    with jax.enable_x64(True):
        return (pack[0] >> (4 * pack[0].dtype.itemsize)).astype(jnp.int8)
