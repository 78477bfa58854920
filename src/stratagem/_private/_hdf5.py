"""Files that Keras reads: HDF5 models whose training goes on."""

import contextlib
import functools
from typing import Any

import h5py
import keras
import numpy as np
from keras.src.legacy.saving import legacy_h5_format


def restore_hdf5_optimizers() -> None:
    """Give the optimizer of a model that is loaded from HDF5 the state that the file has."""
    load = legacy_h5_format.load_model_from_hdf5

    @functools.wraps(load)
    def new_load(filepath: Any, *args: Any, **kwargs: Any) -> Any:
        """The optimizer has its state. (Keras 3.15 builds it for what the model has beside its layers: for nothing.)"""
        model = load(filepath, *args, **kwargs)
        optimizer = getattr(model, "optimizer", None)
        if isinstance(optimizer, keras.optimizers.Optimizer) and optimizer.built and not optimizer._trainable_variables:
            model.optimizer = type(optimizer).from_config(optimizer.get_config())
            model.optimizer.build(model.trainable_variables)
            model.optimizer.set_weights(_optimizer_weights(filepath))
        return model

    legacy_h5_format.load_model_from_hdf5 = new_load


def _optimizer_weights(filepath: Any) -> list[np.ndarray]:
    with contextlib.ExitStack() as stack:
        opened = isinstance(filepath, h5py.File)
        file = filepath if opened else stack.enter_context(h5py.File(filepath, mode="r"))
        return [np.asarray(v) for v in legacy_h5_format.load_optimizer_weights_from_hdf5_group(file)]
