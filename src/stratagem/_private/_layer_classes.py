"""Files of models in Keras' format: which classes the names of Keras' layers in them stand for."""

from collections.abc import Mapping

import keras
from keras.src import api_export

LAYER_PLACES = ("keras.src.api_export.REGISTERED_NAMES_TO_OBJS.keras.layers.*",)


def read_layers_as(classes: Mapping[str, type[keras.layers.Layer]]) -> None:
    """Let files that name a layer of Keras' be read with the class that is given for its name."""
    for name, cls in classes.items():
        api_export.REGISTERED_NAMES_TO_OBJS[f"keras.layers.{name}"] = cls
