"""Pools of Keras' backend."""

import functools
from collections.abc import Callable
from typing import Any

import jax
from keras.src import backend as keras_backend
from keras.src.backend.jax import nn as keras_nn

_VOLUMES = 5  # dimensions of a batch

# pool(array, pool_size, strides, padding, data_format) is the maximum of each window of a batch of volumes.
VolumePool = Callable[[jax.Array, Any, Any, str, str], jax.Array]


def replace_volume_pools(pool: VolumePool) -> None:
    """Let Keras max-pool floats of batches of volumes by this function."""
    max_pool = keras_nn.max_pool

    @functools.wraps(max_pool)
    def new_max_pool(
        inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
    ) -> Any:
        if inputs.ndim != _VOLUMES or not keras_backend.is_float_dtype(inputs.dtype):
            return max_pool(inputs, pool_size, strides, padding, data_format)
        layout = keras_backend.standardize_data_format(data_format)
        return pool(inputs, pool_size, pool_size if strides is None else strides, padding, layout)

    keras_nn.max_pool = new_max_pool
