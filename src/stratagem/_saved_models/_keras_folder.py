"""A folder that `model.save` wrote, with Keras' file of the model, read as the SavedModel that TensorFlow writes there."""

import os
from pathlib import Path
from typing import Final

import keras

from stratagem._base.errors import DataLossError
from stratagem._base.storage import file_system
from stratagem._checkpoints import ArrayKeys, AttachedFiles, attached_in_memory
from stratagem._core.context import entered
from stratagem._saved_models._asset import Asset
from stratagem._saved_models._save import files_of
from stratagem._saved_models._source import SavedModelSource

# A whole model in a folder: the file that Keras writes for a path that ends in `.keras`.
MODEL_FILE: Final = "stratagem_model.keras"


def is_keras_folder(path: str) -> bool:
    """Returns whether a directory has a model's Keras file."""
    return file_system(path).is_file(os.path.join(path, MODEL_FILE))


def read_keras_folder(path: str) -> SavedModelSource:
    """Makes the model of a folder, and traces its functions.

    Raises what `tf.keras.models.load_model` raises, for a class that is not found among others, and what
    `tf.saved_model.save` raises for a model that has no program.
    """
    # The variables of the strategy in scope are made when the source is loaded.
    with entered(strategy=None, replica=None, crossing=False):
        model = keras.saving.load_model(path, compile=False)

        def files(keys: ArrayKeys) -> AttachedFiles:
            return files_of(model, keys)

        arrays, attached = attached_in_memory(model, files)

    def content(name: str) -> bytes:
        found = attached.get(name)
        if not isinstance(found, bytes):
            raise DataLossError(f"The model in {path!r} has no {name!r}.")
        return found

    def asset(name: str) -> Asset:
        found = attached.get(name)
        if not isinstance(found, Path):
            raise DataLossError(f"The model in {path!r} has no file {name!r}.")
        return Asset(found)

    return SavedModelSource(path, arrays, content, asset)
