"""A whole model of Keras 2: made from its configuration, with its weights, and compiled as it was."""

import logging
from typing import Any

import keras

from stratagem._checkpoints import set_in_order_of_keras_two
from stratagem._private import own_class_names, read_archive_weights, read_hdf5_weights
from stratagem._training.saving.keras_two._configurations import converted_file
from stratagem._training.saving.keras_two._file import KerasTwoFile

_log = logging.getLogger("stratagem")


def read_model(file: KerasTwoFile, custom_objects: Any, compile: bool, safe_mode: bool) -> keras.Model:
    """Returns the model of a file.

    Raises UnimplementedError for what Keras 3 has not, DataLossError for what is no configuration, ValueError for code in
    safe mode, TypeError for unknown classes.
    """
    own = own_class_names(custom_objects)
    model = keras.saving.deserialize_keras_object(converted_file(file.model, own, file.path), custom_objects, safe_mode)
    if file.is_archive:
        read_archive_weights(model, file.path)
    else:
        read_hdf5_weights(model, file.path, by_name=False, skip_mismatch=False)
    if compile and file.training is not None:
        with keras.saving.custom_object_scope(custom_objects or {}):
            model.compile_from_config(converted_file(file.training, own, file.path))
        _set_optimizer(model, file)
    return model


def _set_optimizer(model: keras.Model, file: KerasTwoFile) -> None:
    optimizer = model.optimizer
    if not isinstance(optimizer, keras.optimizers.Optimizer):
        return
    if isinstance(optimizer, keras.optimizers.LossScaleOptimizer):
        optimizer = optimizer.inner_optimizer
    values = file.optimizer()
    problem = "the file has no values" if values is None else set_in_order_of_keras_two(optimizer, values)
    if problem is not None:
        _log.warning(
            "%r: the model is as it was, but its optimizer (%s) starts anew: %s. Keras %s wrote the file.",
            file.path, type(optimizer).__name__, problem, file.version,
        )  # fmt: skip
