"""HDF5 that Keras reads: models whose training goes on, weights of Keras 2.12 to 2.14, arrays of optimizers."""

import contextlib
import functools
from collections.abc import Callable, Sequence
from typing import Any, Final

import h5py
import keras
import numpy as np
from keras.src.legacy.saving import legacy_h5_format
from keras.src.saving import saving_lib

from stratagem._private._hdf5_files import opened_hdf5

_EARLIER: Final = "_layer_checkpoint_dependencies"


def keep_hdf5_optimizers() -> None:
    """Give the optimizer of a model that is loaded from HDF5 its state; let a model that is saved there keep its optimizer."""
    load, save = legacy_h5_format.load_model_from_hdf5, legacy_h5_format.save_model_to_hdf5

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

    @functools.wraps(save)
    def new_save(model: Any, *args: Any, **kwargs: Any) -> None:
        """Saves a model, which stays compiled as it was. (Keras 3.15 takes its optimizer away: a later file would lack it.)"""
        compiled = getattr(vars(model).get("_compile_config"), "config", {})
        kept = dict(compiled)
        try:
            save(model, *args, **kwargs)
        finally:
            compiled.clear()
            compiled.update(kept)

    legacy_h5_format.load_model_from_hdf5, legacy_h5_format.save_model_to_hdf5 = new_load, new_save


def read_other_optimizers(set_values: Callable[[keras.optimizers.Optimizer, Sequence[np.ndarray]], str | None]) -> None:
    """Let an optimizer whose variables in a file are others than Keras 3's be set by a function.

    set_values(optimizer, values): sets its variables and returns None, or says why it cannot.
    """
    load = keras.optimizers.Optimizer.load_own_variables

    @functools.wraps(load)
    def new_load(self: Any, store: Any) -> None:
        count = len(store.keys())
        is_other = self.built and count not in (0, len(self.variables))
        values = [np.asarray(store[str(number)]) for number in range(count)] if is_other else []
        if not values or set_values(self, values) is not None:
            load(self, store)

    keras.optimizers.Optimizer.load_own_variables = new_load


def read_weights_of_earlier_archives() -> None:
    """Let weights in files of Keras 2.12 to 2.14 be found where these have them, in whole models and in `.weights.h5`."""
    get = saving_lib.H5IOStore.get

    @functools.wraps(get)
    def new_get(self: Any, path: str) -> Any:
        earlier = path and self.mode == "r" and _EARLIER in self.h5_file
        return get(self, _in_earlier_archive(self.h5_file, path) if earlier else path)

    saving_lib.H5IOStore.get = new_get


def _in_earlier_archive(group: h5py.Group, path: str) -> str:
    """Returns where an earlier archive has what is at `layers/dense_1/…` now.

    There `layers` has another name, and a layer's number counts each layer before it twice: `dense`, `dense_2`, `dense_4`.
    """
    found: list[str] = []
    is_layer = False
    for name in path.split("/"):
        if is_layer and isinstance(group, h5py.Group):
            name = _numbered_twice(group, name)
        is_layer = name == "layers" and isinstance(group, h5py.Group) and _EARLIER in group
        found.append(_EARLIER if is_layer else name)
        group = _within(group, found[-1])
    return "/".join(found)


def _within(group: Any, name: str) -> Any:
    """Returns what a group has of this name in the same file; None for a link that leads elsewhere, which is not followed."""
    is_here = isinstance(group, h5py.Group) and isinstance(group.get(name, getlink=True), h5py.HardLink)
    return group[name] if is_here else None


def _numbered_twice(layers: h5py.Group, name: str) -> str:
    kind, number = _kind_and_number(name)
    numbers = sorted(n for k, n in map(_kind_and_number, layers) if k == kind)
    if number >= len(numbers):
        return name
    return kind if numbers[number] == 0 else f"{kind}_{numbers[number]}"


def _kind_and_number(name: str) -> tuple[str, int]:
    kind, _, number = name.rpartition("_")
    return (kind, int(number)) if kind and number.isdecimal() else (name, 0)


def _optimizer_weights(filepath: Any) -> list[np.ndarray]:
    with contextlib.ExitStack() as stack:
        opened = isinstance(filepath, h5py.File)
        file = filepath if opened else stack.enter_context(opened_hdf5(filepath))
        return [np.asarray(v) for v in legacy_h5_format.load_optimizer_weights_from_hdf5_group(file)]


def hdf5_arrays(file: h5py.File, group: str) -> tuple[np.ndarray, ...] | None:
    """Returns the arrays of an open file's group, in the order that it says, or else of their numbers; None without one.

    Raises ValueError for what is in another file, or made of other arrays.
    """
    if group not in file:
        return None
    found = saving_lib.safe_get_h5_group(file, group)
    names = legacy_h5_format.load_attributes_from_hdf5_group(found, "weight_names") or sorted(found.keys(), key=int)
    return tuple(np.asarray(saving_lib.safe_get_h5_dataset(found, name)) for name in names) or None
