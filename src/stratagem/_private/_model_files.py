"""Files of models: the functions of Keras that write and read them, and those parts of its HDF5 format that they need."""

import contextlib
import functools
import os
import sys
import zipfile
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import keras
from keras.src.legacy.saving import legacy_h5_format
from keras.src.models.functional import Functional
from keras.src.saving import saving_api, saving_lib
from keras.src.utils import io_utils

from stratagem._base.types import UserFunction
from stratagem._private._constructors import showing
from stratagem._private._hdf5_files import opened_hdf5

Function = Callable[..., Any]
# Arguments that functions take here beside Keras' own.
_FURTHER = {
    "load_model": ("options",),
    "save_weights": ("save_format", "options"),
    "load_weights": ("by_name", "options"),
}

# Functions, where they are and wherever else Keras has them; methods that hide what their functions take and return.
SAVING_PLACES = (
    *(f"keras.*{name}" for name in ("save_model", "load_model", "save_weights", "load_weights", "model_from_json")),
    "keras.src.models.model.Model.save_weights",
    "keras.src.models.model.Model.load_weights",
    "keras.src.models.model.Model.__new__",
    "keras.src.callbacks.model_checkpoint.ModelCheckpoint.__init__",
    "keras.src.callbacks.model_checkpoint.ModelCheckpoint.on_train_end",
)


def intercept_saving(routes: dict[str, Callable[[UserFunction], UserFunction]]) -> None:
    """Replace Keras' functions of these names, of `keras.models` and those for weights, by routes[name](Keras' own).

    `model.save_weights` also takes TensorFlow's arguments, and `model.load_weights` returns what the function does.
    """
    for name, route in routes.items():
        function = vars(saving_api).get(name) or getattr(keras.models, name)
        routed = showing(functools.wraps(function)(route(function)), function, *_FURTHER.get(name, ()))
        for module in [m for key, m in sys.modules.items() if key.startswith("keras.")]:
            if vars(module).get(name) is function:
                setattr(module, name, routed)
    save_weights, load_weights = keras.Model.save_weights, keras.Model.load_weights

    @functools.wraps(save_weights)
    def new_save_weights(self: Any, filepath: Any, overwrite: bool = True, *args: Any, **kwargs: Any) -> None:
        saving_api.save_weights(self, filepath, overwrite, *args, **kwargs)

    @functools.wraps(load_weights)
    def new_load_weights(self: Any, filepath: Any, skip_mismatch: bool = False, **kwargs: Any) -> Any:
        return saving_api.load_weights(self, filepath, skip_mismatch=skip_mismatch, **kwargs)

    keras.Model.save_weights = showing(new_save_weights, save_weights, *_FURTHER["save_weights"])
    keras.Model.load_weights = showing(new_load_weights, load_weights, *_FURTHER["load_weights"])


def accept_any_path(stand_in: Callable[[str, bool, Any], str], settle: Callable[[Any], None]) -> None:
    """Let `ModelCheckpoint` take any path, and TensorFlow's arguments `options` and `period`.

    stand_in(path, save_weights_only, options): a path that Keras accepts in place of this one while it checks its arguments.
    settle(model): called when training ends.
    """
    cls = keras.callbacks.ModelCheckpoint
    init, save_model = cls.__init__, cls._save_model

    @functools.wraps(init)
    def new_init(self: Any, filepath: Any, *args: Any, options: Any = None, period: int = 1, **kwargs: Any) -> None:
        path = os.fspath(filepath)
        weights_only = args[3] if len(args) > 3 else kwargs.get("save_weights_only", False)
        init(self, stand_in(path, weights_only, options), *args, **kwargs)
        self.filepath, self.period, self.epochs_since_last_save, self.options = path, period, 0, options

    @functools.wraps(save_model)
    def new_save_model(self: Any, epoch: int, batch: int | None, logs: Any) -> None:
        self.epochs_since_last_save += batch is None
        if batch is not None or self.epochs_since_last_save >= self.period:
            self.epochs_since_last_save = 0
            save_model(self, epoch, batch, logs)

    def on_train_end(self: Any, logs: Any = None) -> None:
        settle(self.model)

    cls.__init__ = showing(new_init, init, "options", "period")
    cls._save_model, cls.on_train_end = new_save_model, on_train_end


def note_arguments() -> None:
    """Note the configuration that Keras makes of a constructor's arguments also for models, whose arguments it drops."""
    new = keras.Model.__new__

    @functools.wraps(new)
    def new_new(cls: Any, *args: Any, **kwargs: Any) -> Any:
        made = new(cls, *args, **kwargs)
        if type(made) is cls and not cls.__module__.startswith("keras.") and (args or kwargs):
            probe = super(keras.Model, cls).__new__(cls, *args, **kwargs)
            vars(made)["_config_of_arguments"] = getattr(probe, "_auto_config", None)
        return made

    keras.Model.__new__ = new_new


@contextlib.contextmanager
def with_arguments(layers: Iterable[keras.layers.Layer]) -> Iterator[None]:
    """Let `get_config` of these models return the arguments that were noted, or refuse where they cannot be written."""
    models = [each for each in layers if "_config_of_arguments" in vars(each)]
    before = [vars(each).get("_auto_config") for each in models]
    for each in models:
        vars(each)["_auto_config"] = vars(each)["_config_of_arguments"]
    try:
        yield
    finally:
        for each, config in zip(models, before, strict=True):
            vars(each)["_auto_config"] = config


@contextlib.contextmanager
def without_training(model: keras.Model) -> Iterator[None]:
    """Hide a model's optimizer, and that it is compiled, from whoever saves or loads it in the body."""
    own = vars(model)
    hidden = {name: own[name] for name in ("optimizer", "compiled") if name in own}
    own.update({name: type(value)() if isinstance(value, bool) else None for name, value in hidden.items()})
    try:
        yield
    finally:
        own.update(hidden)


def may_overwrite(path: str) -> bool:
    """Ask the person at the terminal whether a file may be replaced."""
    return bool(io_utils.ask_to_proceed_with_overwrite(path))


def hdf5_problem(path: str) -> str | None:
    """Returns why an HDF5 file is no model; None if nothing is wrong. Raises as `opened_hdf5` does."""
    with opened_hdf5(path) as file:
        found = {name: file.attrs[name] for name in ("model_config", "training_config") if name in file.attrs}
    wrong = [name for name, value in found.items() if not isinstance(value, str | bytes)]
    return f"its {wrong[0]} is no text" if wrong else None


def read_archive_weights(model: keras.Model, path: str) -> None:
    """Read the weights of a model, but no optimizer's, and what its layers have in further files, from an archive."""
    failed: set[int] = set()
    messages: dict[int, Any] = {}
    with zipfile.ZipFile(path) as archive, contextlib.ExitStack() as stack:
        weights = saving_lib.H5IOStore(saving_lib._VARS_FNAME_H5, archive, mode="r")
        stack.callback(weights.close)
        assets = None
        if any(name.startswith(f"{saving_lib._ASSETS_DIRNAME}/") for name in archive.namelist()):
            assets = saving_lib.DiskIOStore(saving_lib._ASSETS_DIRNAME, archive=archive, mode="r")
            stack.callback(assets.close)
        saving_lib._load_state(
            model,
            weights_store=weights,
            assets_store=assets,
            inner_path="",
            visited_saveables=set(),
            failed_saveables=failed,
            error_msgs=messages,
        )
    if failed:
        saving_lib._raise_loading_failure(messages)


def write_hdf5_model(model: keras.Model, path: str, include_optimizer: bool) -> None:
    """Write a whole model to an HDF5 file of any name."""
    legacy_h5_format.save_model_to_hdf5(model, path, include_optimizer=include_optimizer)


def read_hdf5_model(path: Any, custom_objects: Any, compile: bool, safe_mode: bool) -> keras.Model:
    """Read a whole model from an HDF5 file of any name, or from an open one."""
    return legacy_h5_format.load_model_from_hdf5(path, custom_objects, compile, safe_mode=safe_mode)


def write_hdf5_weights(model: keras.Model, path: str) -> None:
    """Write the weights of a model's layers to an HDF5 file of any name."""
    with opened_hdf5(path, "w") as file:
        legacy_h5_format.save_weights_to_hdf5_group(file, model)


def read_hdf5_weights(model: keras.Model, path: str, by_name: bool, skip_mismatch: bool) -> None:
    """Read the weights of layers from an HDF5 file of any name, by their order or by the layers' names."""
    with opened_hdf5(path) as file:
        is_whole = "layer_names" not in file.attrs and "model_weights" in file
        group = saving_lib.safe_get_h5_group(file, "model_weights") if is_whole else file
        if by_name:
            legacy_h5_format.load_weights_from_hdf5_group_by_name(group, model, skip_mismatch)
        else:
            legacy_h5_format.load_weights_from_hdf5_group(group, model, skip_mismatch)


def has_layers_by_position(model: Any) -> bool:
    """Returns whether `model` is a Sequential or a functional model: their layers have an order of their own."""
    return isinstance(model, Functional | keras.Sequential)
