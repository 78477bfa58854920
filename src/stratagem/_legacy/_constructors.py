"""Arguments of Keras 2's constructors: those that Keras 3 refuses, and defaults that it no longer has."""

from dataclasses import dataclass
from typing import Any, final

import keras

from stratagem._base.errors import UnimplementedError
from stratagem._private import convert_arguments, take_input_shapes, unnamed_input

_Arguments = tuple[tuple[Any, ...], dict[str, Any]]
_PLACE_OF_NAME = 9  # among the arguments of an InputLayer


@final
@dataclass(frozen=True)
class _BatchInputShape:
    """The shape of a layer's input, with the size of a batch first."""

    sizes: tuple[int | None, ...]


def _of_layer(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Arguments:
    """`batch_input_shape` is the shape with the size of a batch; `dynamic=False` says what is so anyway."""
    shape = kwargs.pop("batch_input_shape", None)
    if shape is not None:
        kwargs["input_shape"] = _BatchInputShape(tuple(shape))
    if not kwargs.get("dynamic", True):
        del kwargs["dynamic"]
    return args, kwargs


def _of_input(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Arguments:
    """An input without a name gets TensorFlow's; one that Sequential makes of its first layer's shape the batch's size, too."""
    if kwargs.get("name") is None and len(args) < _PLACE_OF_NAME:
        kwargs["name"] = unnamed_input()
    shape = kwargs.get("shape")
    if isinstance(shape, _BatchInputShape):
        kwargs = {name: value for name, value in kwargs.items() if name != "shape"} | {"batch_shape": shape.sizes}
    return args, kwargs


def _of_normalization(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Arguments:
    """`fused` chose between kernels of TensorFlow's; None is no virtual batch and no adjustment."""
    kwargs.pop("fused", None)
    absent = [name for name in ("virtual_batch_size", "adjustment") if name in kwargs and kwargs[name] is None]
    return args, {name: value for name, value in kwargs.items() if name not in absent}


def _of_mode(name: str, advice: str) -> Any:
    """A conversion for a class that had a mode, which is refused here; what says that it is off is left out."""

    def converted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Arguments:
        if kwargs.get(name):
            raise UnimplementedError(f"{name}={kwargs[name]!r} is not implemented: {advice}.")
        return args, {each: value for each, value in kwargs.items() if each != name}

    return converted


def _of_regularizer(name: str) -> Any:
    """A conversion for regularizers with one factor, whose first name was `l`."""

    def converted(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Arguments:
        return args, {name if each == "l" else each: value for each, value in kwargs.items()}

    return converted


def _same(args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Arguments:
    return args, kwargs


def attach_constructors() -> None:
    """Let Keras' classes take the arguments of Keras 2, and have its defaults."""
    none: dict[str, Any] = {}
    take_input_shapes()
    convert_arguments(keras.layers.Layer, _of_layer, none)
    convert_arguments(keras.layers.InputLayer, _of_input, none)
    convert_arguments(keras.layers.BatchNormalization, _of_normalization, none, ("fused",))
    for attention in (keras.layers.Attention, keras.layers.AdditiveAttention):
        convert_arguments(attention, _of_mode("causal", "call the layer with use_causal_mask=True"), none)
    transposed = (
        "give the layer tf.transpose(x, [1, 0, 2]), and transpose the sequences that it returns in the same way"
    )
    convert_arguments(keras.layers.RNN, _of_mode("time_major", transposed), none)
    convert_arguments(keras.regularizers.L1, _of_regularizer("l1"), none, ("l",))
    convert_arguments(keras.regularizers.L2, _of_regularizer("l2"), none, ("l",))
    for dims in (1, 2, 3):
        pooling = getattr(keras.layers, f"AveragePooling{dims}D")
        convert_arguments(pooling, _same, {"pool_size": 2 if dims == 1 else (2,) * dims})
