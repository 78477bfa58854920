"""Strings as inputs of Keras' layers and models, which on JAX take numbers alone."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from keras.src import backend
from keras.src.backend.jax import core as keras_core
from keras.src.backend.jax import numpy as keras_numpy
from keras.src.layers import layer as keras_layer

from stratagem._base.types import Value

STRING_PLACES = (
    "keras.src.backend.convert_to_tensor",
    "keras.src.backend.standardize_dtype",
    "keras.src.backend.jax.core.convert_to_tensor",
    "keras.src.backend.jax.numpy.expand_dims",
    "keras.src.backend.jax.numpy.squeeze",
    "keras.src.layers.layer.is_backend_tensor_or_symbolic",
)


def take_strings(
    is_strings: Callable[[Value], bool],
    to_strings: Callable[[Value], Value],
    expand_dims: Callable[..., Value],
    squeeze: Callable[..., Value],
) -> None:
    """Let strings pass through the calls of layers and models, and through their conversion to the rank of an input.

    is_strings: whether a value is a tensor of strings, or an array of them. to_strings: makes a tensor of such a value.
    expand_dims, squeeze: for tensors of strings.
    """
    convert, standardize, is_tensor = (
        keras_core.convert_to_tensor,
        backend.standardize_dtype,
        keras_layer.is_backend_tensor_or_symbolic,
    )

    @functools.wraps(convert)
    def converted(x: Any, dtype: Any = None, *args: Any, **kwargs: Any) -> Any:
        return to_strings(x) if dtype == "string" or is_strings(x) else convert(x, dtype, *args, **kwargs)

    @functools.wraps(standardize)
    def standardized(dtype: Any) -> Any:
        return "string" if isinstance(dtype, np.dtype) and dtype.kind in "OSU" else standardize(dtype)

    @functools.wraps(is_tensor)
    def accepted(x: Any, allow_none: bool = False) -> bool:
        return bool(is_tensor(x, allow_none)) or is_strings(x)

    keras_core.convert_to_tensor = backend.convert_to_tensor = converted
    backend.standardize_dtype = standardized
    keras_layer.is_backend_tensor_or_symbolic = accepted
    keras_numpy.expand_dims = _either(is_strings, expand_dims, keras_numpy.expand_dims)
    keras_numpy.squeeze = _either(is_strings, squeeze, keras_numpy.squeeze)


def _either(is_strings: Callable[[Any], bool], ours: Callable[..., Any], original: Callable[..., Any]) -> Any:
    @functools.wraps(original)
    def chosen(x: Any, *args: Any, **kwargs: Any) -> Any:
        return ours(x, *args, **kwargs) if is_strings(x) else original(x, *args, **kwargs)

    return chosen
