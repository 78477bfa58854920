"""The functions of Keras that take the path of a file or folder."""

import contextlib
import enum
import functools
import inspect
import os
import sys
import types
from collections.abc import Callable, Mapping
from typing import Any, final

import keras
from keras._tf_keras.keras.preprocessing import image  # where Keras offers its generators of images
from keras.src.utils import module_utils

from stratagem._base.types import PathLike, UserFunction


@final
class PathUse(enum.Enum):
    """The use of a path: by what can read and write files of other machines, or cannot."""

    ANYWHERE = enum.auto()  # what takes it can read and write them
    IN_A_FOLDER = enum.auto()  # the same, if there is a folder in the path
    READ = enum.auto()  # it reads a file, which may be a copy
    WRITTEN = enum.auto()  # it writes a file, which may be uploaded then
    HERE = enum.auto()  # only this machine's


# By where it is, the parameter that is a path, and how it is used.
_PARAMETERS: dict[tuple[Any, str], tuple[str, PathUse]] = {
    (keras.callbacks.BackupAndRestore, "__init__"): ("backup_dir", PathUse.ANYWHERE),
    (keras.callbacks.CSVLogger, "__init__"): ("filename", PathUse.HERE),
    (keras.callbacks.ModelCheckpoint, "__init__"): ("filepath", PathUse.IN_A_FOLDER),
    (keras.Model, "export"): ("filepath", PathUse.ANYWHERE),
    (keras.Model, "load_weights"): ("filepath", PathUse.ANYWHERE),
    (keras.Model, "save"): ("filepath", PathUse.ANYWHERE),
    (keras.Model, "save_weights"): ("filepath", PathUse.ANYWHERE),
    (keras.export.ExportArchive, "write_out"): ("filepath", PathUse.ANYWHERE),
    (keras.layers.IntegerLookup, "load_assets"): ("dir_path", PathUse.HERE),
    (keras.layers.IntegerLookup, "save_assets"): ("dir_path", PathUse.HERE),
    (keras.layers.StringLookup, "load_assets"): ("dir_path", PathUse.HERE),
    (keras.layers.StringLookup, "save_assets"): ("dir_path", PathUse.HERE),
    (keras.layers.TextVectorization, "load_assets"): ("dir_path", PathUse.HERE),
    (keras.layers.TextVectorization, "save_assets"): ("dir_path", PathUse.HERE),
    (image.DirectoryIterator, "__init__"): ("directory", PathUse.HERE),
    (image.DirectoryIterator, "set_processing_attrs"): ("save_to_dir", PathUse.HERE),
    (image.ImageDataGenerator, "flow"): ("save_to_dir", PathUse.HERE),
    (image.ImageDataGenerator, "flow_from_dataframe"): ("directory", PathUse.HERE),
    (image.ImageDataGenerator, "flow_from_directory"): ("directory", PathUse.HERE),
    (image.NumpyArrayIterator, "__init__"): ("save_to_dir", PathUse.HERE),
    (keras.saving.KerasFileEditor, "__init__"): ("filepath", PathUse.READ),
    (keras.saving.KerasFileEditor, "resave_weights"): ("filepath", PathUse.WRITTEN),
    (keras.saving.KerasFileEditor, "save"): ("filepath", PathUse.WRITTEN),
    (keras.utils.FeatureSpace, "save"): ("filepath", PathUse.WRITTEN),
    (keras.saving, "load_model"): ("filepath", PathUse.ANYWHERE),
    (keras.saving, "load_weights"): ("filepath", PathUse.ANYWHERE),
    (keras.saving, "save_model"): ("filepath", PathUse.ANYWHERE),
    (keras.saving, "save_weights"): ("filepath", PathUse.ANYWHERE),
    (keras.utils, "audio_dataset_from_directory"): ("directory", PathUse.HERE),
    (keras.utils, "get_file"): ("cache_dir", PathUse.HERE),
    (keras.utils, "image_dataset_from_directory"): ("directory", PathUse.HERE),
    (keras.utils, "load_img"): ("path", PathUse.READ),
    (keras.utils, "plot_model"): ("to_file", PathUse.WRITTEN),
    (keras.utils, "save_img"): ("path", PathUse.WRITTEN),
    (keras.utils, "text_dataset_from_directory"): ("directory", PathUse.HERE),
    (keras.visualization, "plot_image_gallery"): ("path", PathUse.WRITTEN),
}

# Each of them, and a function also where other modules of Keras have it.
ROUTED_PLACES = tuple(
    f"{owner.__module__}.{owner.__qualname__}.{name}" if isinstance(owner, type) else f"keras.*{name}"
    for owner, name in _PARAMETERS
)


def intercept_paths(opened: Callable[[PathUse, PathLike], contextlib.AbstractContextManager[str]]) -> None:
    """Give whatever Keras takes as a path to `opened` first, and Keras what that gives, during the call.

    Not `hf://`, where Keras itself brings the file; Keras' OrbaxCheckpoint, too, goes to other machines by itself.
    """
    for (owner, name), (parameter, use) in _PARAMETERS.items():
        function = getattr(owner, name)
        wrapped = _wrapped(function, parameter, functools.partial(opened, use))
        setattr(owner, name, wrapped)
        for module in [m for key, m in sys.modules.items() if key.startswith("keras.")]:
            if vars(module).get(name) is function:
                setattr(module, name, wrapped)


def provide_file_functions(functions: Mapping[str, UserFunction]) -> None:
    """Give Keras functions for files of other machines, which it has from TensorFlow: the names of `tf.io.gfile`."""
    module_utils.gfile.module = types.SimpleNamespace(**functions)
    module_utils.gfile._available = True


def _wrapped(
    function: Callable[..., Any], parameter: str, opened: Callable[[Any], contextlib.AbstractContextManager[str]]
) -> Callable[..., Any]:
    place = list(inspect.signature(function).parameters).index(parameter)

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        given = kwargs.get(parameter) if parameter in kwargs or len(args) <= place else args[place]
        if not isinstance(given, str | os.PathLike) or os.fspath(given).startswith("hf://"):
            return function(*args, **kwargs)
        with opened(given) as path:
            if path != os.fspath(given):
                if parameter in kwargs:
                    kwargs[parameter] = path
                else:
                    args = (*args[:place], path, *args[place + 1 :])
            return function(*args, **kwargs)

    return call
