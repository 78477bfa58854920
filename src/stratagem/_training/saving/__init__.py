"""Files of models as programs name them: `model.save("folder")`, `save_weights("prefix")`, and what reads them.

In: a model, the path that a program gives.
Out: one file or checkpoint that is whole at every moment, and says what it is; errors that name what is found instead.
Never: changes what Keras reads in files with its own endings: it only adds a checksum to them.
"""

import logging
import os
from typing import Any

from stratagem._checkpoints import CheckpointOptions, set_in_order_of_keras_two, settle
from stratagem._private import accept_any_path, intercept_saving, note_arguments, read_other_optimizers
from stratagem._training.saving._formats import FileFormat as FileFormat
from stratagem._training.saving._formats import format_of_model as format_of_model
from stratagem._training.saving._formats import format_of_weights as format_of_weights
from stratagem._training.saving._models import json_model_reader, model_loader, model_saver
from stratagem._training.saving._weights import weights_loader, weights_saver

_log = logging.getLogger("stratagem")


def attach_saving() -> None:
    """Let Keras' functions and `ModelCheckpoint` take the paths and arguments that TensorFlow's take."""
    intercept_saving(
        {
            "save_model": model_saver,
            "load_model": model_loader,
            "save_weights": weights_saver,
            "load_weights": weights_loader,
            "model_from_json": json_model_reader,
        }
    )
    accept_any_path(_stand_in, settle)
    note_arguments()


def attach_optimizers_of_keras_two() -> None:
    """Let `load_weights` of a file that Keras 2 wrote set the optimizer of a compiled model, too, as TensorFlow does."""
    read_other_optimizers(set_in_order_of_keras_two)


def _stand_in(path: str | os.PathLike[str], save_weights_only: bool, options: Any) -> str:
    """A path that Keras accepts in place of this one. Raises TypeError for options of something else, as in TensorFlow."""
    if options is not None and isinstance(options, CheckpointOptions) is not bool(save_weights_only):
        wanted = "tf.train.CheckpointOptions" if save_weights_only else "tf.saved_model.SaveOptions"
        raise TypeError(
            f"ModelCheckpoint(save_weights_only={bool(save_weights_only)}): `options` must be None or a {wanted}, got "
            f"{options!r:.100}."
        )
    if save_weights_only and options is not None and options.enable_async:
        text = os.fspath(path)
        if format_of_weights(text, None) is not FileFormat.FOLDER:
            _log.warning(
                "ModelCheckpoint(%r, options=...): HDF5 files are not written in the background, and a step waits for them. "
                "A path without an ending is a checkpoint, which is.", text,
            )  # fmt: skip
    return "any.weights.h5" if save_weights_only else "any.keras"
