"""Pools of Keras' backend."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import jax
from keras.src import backend as keras_backend
from keras.src.backend.jax import nn as keras_nn

_VOLUMES = 5  # dimensions of a batch

# pool(array, pool_size, strides, padding, data_format) is the maximum of each window of a batch of volumes.
VolumePool = Callable[[jax.Array, Any, Any, str, str], jax.Array]
# check(shape, pool_size, padding, data_format) raises an error if windows do not fit.
PoolCheck = Callable[[Sequence[int], Any, str, str], None]


def replace_pools(pool_of_volumes: VolumePool, check: PoolCheck) -> None:
    """Let Keras check the windows of its pools, and max-pool floats of batches of volumes by a function."""
    max_pool, average_pool = keras_nn.max_pool, keras_nn.average_pool

    @functools.wraps(max_pool)
    def new_max_pool(
        inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
    ) -> Any:
        layout = keras_backend.standardize_data_format(data_format)
        check(inputs.shape, pool_size, padding, layout)
        if inputs.ndim != _VOLUMES or not keras_backend.is_float_dtype(inputs.dtype):
            return max_pool(inputs, pool_size, strides, padding, data_format)
        return pool_of_volumes(inputs, pool_size, pool_size if strides is None else strides, padding, layout)

    @functools.wraps(average_pool)
    def new_average_pool(
        inputs: Any, pool_size: Any, strides: Any = None, padding: str = "valid", data_format: str | None = None
    ) -> Any:
        check(inputs.shape, pool_size, padding, keras_backend.standardize_data_format(data_format))
        return average_pool(inputs, pool_size, strides, padding, data_format)

    keras_nn.max_pool, keras_nn.average_pool = new_max_pool, new_average_pool
