"""Keras' `set_weights` for layers and models that have learned from data."""

from collections.abc import Sequence
from typing import Any

import keras
import numpy as np

from stratagem._preprocessing._adapting import AdaptedLayer
from stratagem._preprocessing._learned_weights import LearnedWeight
from stratagem._private import sublayers


def set_weights(layer: keras.Layer, weights: Sequence[Any]) -> None:
    """Gives the weights of a layer or a model these values, in the order of `weights`; calls from then on use them.

    Raises ValueError, before anything has changed, for another number of values and for shapes that do not fit.
    """
    own = layer.weights
    if len(own) != len(weights):
        raise ValueError(
            f"You called `set_weights(weights)` on layer '{layer.name}' with a weight list of length {len(weights)}, but "
            f"the layer was expecting {len(own)} weights."
        )
    for weight, value in zip(own, weights, strict=True):
        if isinstance(weight, LearnedWeight):
            weight.check(value)
        elif tuple(weight.shape) != np.shape(value):
            raise ValueError(
                f"Layer {layer.name} weight shape {weight.shape} is not compatible with provided weight shape "
                f"{np.shape(value)}."
            )
    for weight, value in zip(own, weights, strict=True):
        weight.assign(value)
    for part in sublayers(layer):
        if isinstance(part, AdaptedLayer):
            part.finalize_state()
