"""Attention in Keras' backend."""

import functools
from typing import Any

import jax.numpy as jnp
from keras.src.backend.jax import nn as keras_nn


def attend_to_values_of_any_depth() -> None:
    """Let attention take values of another depth than keys have, which Keras offers and JAX refuses.

    The shallower ones get zeros behind their numbers: products with them, and what they weigh, are 0.
    """
    attend = keras_nn.dot_product_attention

    @functools.wraps(attend)
    def new_attend(
        query: Any, key: Any, value: Any, bias: Any = None, mask: Any = None, scale: Any = None, **kwargs: Any
    ) -> Any:
        depth, of_values = key.shape[-1], value.shape[-1]
        if depth == of_values:
            return attend(query, key, value, bias, mask, scale, **kwargs)
        scale = depth**-0.5 if scale is None else scale
        query, key, value = (_of_depth(each, max(depth, of_values)) for each in (query, key, value))
        return attend(query, key, value, bias, mask, scale, **kwargs)[..., :of_values]

    keras_nn.dot_product_attention = new_attend


def _of_depth(tensor: Any, depth: int) -> Any:
    """Returns the tensor with zeros behind the numbers of its last dimension."""
    array = keras_nn.convert_to_tensor(tensor)
    return jnp.pad(array, [(0, 0)] * (array.ndim - 1) + [(0, depth - array.shape[-1])])
