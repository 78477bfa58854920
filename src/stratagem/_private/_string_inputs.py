"""Strings as inputs of Keras' layers and models, which on JAX take numbers alone."""

import functools
from collections.abc import Callable
from typing import Any

import keras
import numpy as np
from keras.src import backend
from keras.src.backend.jax import core as keras_core
from keras.src.backend.jax import numpy as keras_numpy
from keras.src.layers import layer as keras_layer

STRING_PLACES = (
    "keras.src.backend.compute_output_spec",
    "keras.src.backend.convert_to_tensor",
    "keras.src.backend.standardize_dtype",
    "keras.src.backend.jax.core.compute_output_spec",
    "keras.src.backend.jax.core.convert_to_tensor",
    "keras.src.backend.jax.numpy.expand_dims",
    "keras.src.backend.jax.numpy.squeeze",
    "keras.src.layers.layer.is_backend_tensor_or_symbolic",
)

# In place of unknown sizes, as Keras itself does: what differs between the two is unknown.
_SIZES = (83, 89)


def take_strings(
    is_strings: Callable[[Any], bool],
    to_strings: Callable[[Any], Any],
    expand_dims: Callable[..., Any],
    squeeze: Callable[..., Any],
    is_composite: Callable[[Any], bool],
) -> None:
    """Let strings pass through the calls of layers and models, and through their conversion to the rank of an input.

    The shapes that a layer makes of strings are found with strings of zeros.

    is_strings: whether a value is a tensor of strings, or an array of them. to_strings: makes a tensor of such a value.
    expand_dims, squeeze: for tensors of strings. is_composite: whether a value is a ragged or sparse tensor, which passes
    through calls as it is.
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
        return bool(is_tensor(x, allow_none)) or is_strings(x) or is_composite(x)

    keras_core.convert_to_tensor = backend.convert_to_tensor = converted
    backend.standardize_dtype = standardized
    keras_layer.is_backend_tensor_or_symbolic = accepted
    keras_core.compute_output_spec = backend.compute_output_spec = _with_examples(
        is_strings, to_strings, keras_core.compute_output_spec
    )
    keras_numpy.expand_dims = _either(is_strings, expand_dims, keras_numpy.expand_dims)
    keras_numpy.squeeze = _either(is_strings, squeeze, keras_numpy.squeeze)


def _either(is_strings: Callable[[Any], bool], ours: Callable[..., Any], original: Callable[..., Any]) -> Any:
    @functools.wraps(original)
    def chosen(x: Any, *args: Any, **kwargs: Any) -> Any:
        return ours(x, *args, **kwargs) if is_strings(x) else original(x, *args, **kwargs)

    return chosen


def _with_examples(
    is_strings: Callable[[Any], bool], to_strings: Callable[[Any], Any], original: Callable[..., Any]
) -> Callable[..., Any]:
    """Returns Keras' function that finds what a function of symbolic tensors returns, for symbolic strings too."""

    @functools.wraps(original)
    def found(fn: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        leaves = keras.tree.flatten((args, kwargs))
        if not any(_is_symbol(v) and v.dtype == "string" for v in leaves):
            return original(fn, *args, **kwargs)
        first, second = (with_size(size, fn, leaves, (args, kwargs)) for size in _SIZES)
        return keras.tree.map_structure(_merged, first, second)

    def with_size(size: int, fn: Callable[..., Any], leaves: list[Any], structure: Any) -> Any:
        sized = [_sized(size, leaf) for leaf in leaves]
        numbers = [i for i, v in enumerate(sized) if _is_symbol(v) and v.dtype != "string"]
        shapes: list[Any] = []

        def call(tensors: list[Any]) -> Any:
            given = {i: to_strings(np.full(v.shape, b"0", object)) for i, v in enumerate(sized) if _is_symbol(v)}
            given |= dict(zip(numbers, tensors, strict=True))
            args, kwargs = keras.tree.pack_sequence_as(structure, [given.get(i, v) for i, v in enumerate(sized)])
            result = fn(*args, **kwargs)
            shapes[:] = [tuple(v.shape) if is_strings(v) else None for v in keras.tree.flatten(result)]
            return keras.tree.map_structure(lambda v: np.int8(0) if is_strings(v) else v, result)

        spec = original(call, [sized[i] for i in numbers])
        made = zip(keras.tree.flatten(spec), shapes, strict=True)
        return keras.tree.pack_sequence_as(
            spec, [v if shape is None else keras.KerasTensor(shape, dtype="string") for v, shape in made]
        )

    return found


def _is_symbol(value: Any) -> bool:
    return isinstance(value, keras.KerasTensor)


def _sized(size: int, value: Any) -> Any:
    if not _is_symbol(value):
        return value
    return keras.KerasTensor([size if d is None else d for d in value.shape], dtype=value.dtype)


def _merged(first: Any, second: Any) -> Any:
    if not _is_symbol(first):
        return first
    return keras.KerasTensor(
        [a if a == b else None for a, b in zip(first.shape, second.shape, strict=True)], dtype=first.dtype
    )
