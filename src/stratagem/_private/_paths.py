"""The functions of Keras that take the path of a file or folder."""

import functools
import inspect
import os
import sys
from collections.abc import Callable
from typing import Any

import keras
from keras._tf_keras.keras.preprocessing import image  # where Keras offers its generators of images

from stratagem._base.types import PathLike

# By where it is, the parameter that is a path.
_PARAMETERS: dict[tuple[Any, str], str] = {
    (keras.callbacks.BackupAndRestore, "__init__"): "backup_dir",
    (keras.callbacks.CSVLogger, "__init__"): "filename",
    (keras.callbacks.ModelCheckpoint, "__init__"): "filepath",
    (keras.Model, "export"): "filepath",
    (keras.Model, "load_weights"): "filepath",
    (keras.Model, "save"): "filepath",
    (keras.Model, "save_weights"): "filepath",
    (keras.export.ExportArchive, "write_out"): "filepath",
    (keras.layers.IntegerLookup, "load_assets"): "dir_path",
    (keras.layers.IntegerLookup, "save_assets"): "dir_path",
    (keras.layers.StringLookup, "load_assets"): "dir_path",
    (keras.layers.StringLookup, "save_assets"): "dir_path",
    (keras.layers.TextVectorization, "load_assets"): "dir_path",
    (keras.layers.TextVectorization, "save_assets"): "dir_path",
    (image.DirectoryIterator, "__init__"): "directory",
    (image.DirectoryIterator, "set_processing_attrs"): "save_to_dir",
    (image.ImageDataGenerator, "flow"): "save_to_dir",
    (image.ImageDataGenerator, "flow_from_dataframe"): "directory",
    (image.ImageDataGenerator, "flow_from_directory"): "directory",
    (image.NumpyArrayIterator, "__init__"): "save_to_dir",
    (keras.saving.KerasFileEditor, "__init__"): "filepath",
    (keras.saving.KerasFileEditor, "resave_weights"): "filepath",
    (keras.saving.KerasFileEditor, "save"): "filepath",
    (keras.utils.FeatureSpace, "save"): "filepath",
    (keras.saving, "load_model"): "filepath",
    (keras.saving, "load_weights"): "filepath",
    (keras.saving, "save_model"): "filepath",
    (keras.saving, "save_weights"): "filepath",
    (keras.utils, "audio_dataset_from_directory"): "directory",
    (keras.utils, "get_file"): "cache_dir",
    (keras.utils, "image_dataset_from_directory"): "directory",
    (keras.utils, "load_img"): "path",
    (keras.utils, "plot_model"): "to_file",
    (keras.utils, "save_img"): "path",
    (keras.utils, "text_dataset_from_directory"): "directory",
    (keras.visualization, "plot_image_gallery"): "path",
}

# Each of them, and a function also where other modules of Keras have it.
ROUTED_PLACES = tuple(
    f"{owner.__module__}.{owner.__qualname__}.{name}" if isinstance(owner, type) else f"keras.*{name}"
    for owner, name in _PARAMETERS
)


def intercept_paths(local: Callable[[PathLike], str]) -> None:
    """Give whatever Keras takes as a path to `local` first, and Keras what that returns.

    Not `hf://`, where Keras itself brings the file; Keras' OrbaxCheckpoint, too, goes to other machines by itself.
    """
    for (owner, name), parameter in _PARAMETERS.items():
        function = getattr(owner, name)
        wrapped = _wrapped(function, parameter, local)
        setattr(owner, name, wrapped)
        for module in [m for key, m in sys.modules.items() if key.startswith("keras.")]:
            if vars(module).get(name) is function:
                setattr(module, name, wrapped)


def _wrapped(function: Callable[..., Any], parameter: str, local: Callable[[Any], str]) -> Callable[..., Any]:
    place = list(inspect.signature(function).parameters).index(parameter)

    def converted(value: Any) -> Any:
        if not isinstance(value, str | os.PathLike) or os.fspath(value).startswith("hf://"):
            return value
        path = local(value)
        return value if path == os.fspath(value) else path

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        if parameter in kwargs:
            kwargs[parameter] = converted(kwargs[parameter])
        elif len(args) > place:
            args = (*args[:place], converted(args[place]), *args[place + 1 :])
        return function(*args, **kwargs)

    return call
