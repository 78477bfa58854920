"""64-bit numbers as words of 32 bits: JAX's callbacks and the results of its checks would cut them."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import lax


def has_words(dtype: np.dtype) -> bool:
    """Returns whether numbers of this type have words."""
    return dtype in (np.float64, np.int64, np.uint64, np.complex128)


def words_spec(value: Any) -> jax.ShapeDtypeStruct:
    """Returns the type of the words of a tensor, or of what has its shape and dtype: its own for one of 32 bits or less."""
    if not has_words(value.dtype):
        return jax.ShapeDtypeStruct(value.shape, value.dtype)
    return jax.ShapeDtypeStruct((*value.shape, value.dtype.itemsize // 4), np.uint32)


def to_words(tensor: Any) -> jax.Array:
    """Returns a tensor's words in a further dimension; a tensor of 32 bits or less as it is."""
    if not has_words(tensor.dtype):
        return tensor
    with jax.enable_x64(True):
        if tensor.dtype == np.complex128:
            parts = [lax.bitcast_convert_type(part, np.uint32) for part in (tensor.real, tensor.imag)]
            return jnp.concatenate(parts, axis=-1)
        return lax.bitcast_convert_type(tensor, np.uint32)


def of_words(words: Any, dtype: np.dtype) -> jax.Array:
    """Returns the tensor of this dtype that has these words."""
    if not has_words(dtype):
        return words
    with jax.enable_x64(True):
        if dtype == np.complex128:
            parts = (words[..., :2], words[..., 2:])
            return lax.complex(*(lax.bitcast_convert_type(part, np.float64) for part in parts))
        return lax.bitcast_convert_type(words, dtype)


def to_host_words(array: np.ndarray) -> np.ndarray:
    """Returns `to_words` of NumPy's array."""
    return np.asarray(array, order="C")[..., None].view(np.uint32) if has_words(array.dtype) else array


def of_host_words(words: Any, dtype: np.dtype) -> np.ndarray:
    """Returns `of_words` as NumPy's array."""
    array = np.asarray(words)
    return np.asarray(array, order="C").view(dtype)[..., 0] if has_words(dtype) else array
