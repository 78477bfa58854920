"""The format of a path: which one `save` and `save_weights` write there, and which one is there."""

import contextlib
import enum
import json
import os
import sys
import traceback
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import final

import jax

from stratagem._base.errors import DataLossError, OpError
from stratagem._base.files import is_temporary
from stratagem._base.paths import is_remote
from stratagem._base.storage import file_system
from stratagem._checkpoints import has_weights
from stratagem._private import is_hdf5, refusal_behind
from stratagem._saved_models import MODEL_FILE, contains_saved_model, is_keras_folder

_HDF5 = (".h5", ".hdf5")
_WEIGHTS_OF_KERAS = (".weights.h5", ".weights.json")
_STUMBLES = (
    *(json.JSONDecodeError, UnicodeError, LookupError, AttributeError, RecursionError, AssertionError, OverflowError),
    *(MemoryError, EOFError, zipfile.BadZipFile, zlib.error),
)
_LIBRARIES = {*sys.stdlib_module_names, "keras", "h5py", "numpy", "jax", "jaxlib", "optree", "stratagem"}
SAVED_MODEL = ("saved_model.pb", "saved_model.pbtxt")


@final
class FileFormat(enum.Enum):
    """A format of models or weights."""

    KERAS = "keras"  # Keras 3's own: `.keras` for models, `.weights.h5` for weights
    HDF5 = "h5"
    FOLDER = "tf"  # ours, where TensorFlow writes a SavedModel or a checkpoint


def format_of_model(path: str, save_format: str | None) -> FileFormat:
    """The format in which a model is saved to `path`. Raises ValueError for an unknown one, and for one that Keras refuses."""
    wanted = _named(save_format, keras=FileFormat.KERAS)
    if path.endswith(".keras"):
        # TensorFlow writes HDF5 to `x.keras` for "tf" and "h5"; nobody can want that.
        return FileFormat.KERAS
    if wanted is FileFormat.KERAS:
        raise ValueError(f"Invalid `filepath` argument: expected a `.keras` extension. Received: filepath={path}")
    if path.endswith(_HDF5):
        return FileFormat.HDF5
    return wanted or FileFormat.FOLDER


def format_of_weights(path: str, save_format: str | None) -> FileFormat:
    """The format in which weights are saved to `path`. Raises ValueError for an unknown one, or one that the name denies."""
    if path.endswith(_WEIGHTS_OF_KERAS):
        return FileFormat.KERAS
    wanted = _named(save_format, keras=FileFormat.HDF5)
    named = path.endswith((*_HDF5, ".keras"))
    if wanted is FileFormat.FOLDER and named:
        raise ValueError(
            f'save_weights got save_format="tf"/"tensorflow", but the filepath ({path}) looks like an HDF5 file. Omit the '
            '".h5"/".keras" when saving in TensorFlow format.'
        )
    return wanted or (FileFormat.HDF5 if named else FileFormat.FOLDER)


def _named(save_format: str | None, *, keras: FileFormat) -> FileFormat | None:
    if save_format is None:
        return None
    match save_format.lower().strip():
        case "tf" | "tensorflow":
            return FileFormat.FOLDER
        case "h5" | "hdf5":
            return FileFormat.HDF5
        case "keras" | "keras_v3":
            return keras
    raise ValueError(
        f"Unknown `save_format` argument. Expected one of 'keras', 'tf', or 'h5'. Received: save_format={save_format}"
    )


@final
class Found(enum.Enum):
    """The kinds of things that a path may lead to."""

    MODEL = enum.auto()  # a folder of ours with a whole model
    WEIGHTS = enum.auto()  # a checkpoint, in TensorFlow's format or ours
    HDF5 = enum.auto()
    UNFINISHED = enum.auto()  # a folder of ours whose first save was interrupted
    EXPORT = enum.auto()  # a SavedModel of ours, which has no Keras model
    SAVED_MODEL = enum.auto()  # TensorFlow's
    NOTHING = enum.auto()
    OTHER = enum.auto()


def found_at(path: str, *, weights: bool = False) -> Found:
    """Returns what is at a path. If there is both a model and a checkpoint, the latter is found where weights are asked for."""
    if weights and has_weights(path):
        return Found.WEIGHTS
    files = file_system(path)
    if is_keras_folder(path):
        return Found.MODEL
    if contains_saved_model(path):
        return Found.EXPORT
    if has_weights(path):
        return Found.WEIGHTS
    if any(files.is_file(os.path.join(path, name)) for name in SAVED_MODEL):
        return Found.SAVED_MODEL
    if is_remote(path):  # where an interrupted save leaves nothing, and whose files are told apart once they are here
        return Found.OTHER if files.exists(path) else Found.NOTHING
    if os.path.isdir(path) and any(is_temporary(each.name, MODEL_FILE) for each in Path(path).iterdir()):
        return Found.UNFINISHED
    if is_hdf5(path):
        return Found.HDF5
    return Found.OTHER if os.path.exists(path) else Found.NOTHING


@contextlib.contextmanager
def damage_named(source: str, kind: type[Exception] = DataLossError) -> Iterator[None]:
    """Raises an error of this kind for errors with which libraries stumble over a configuration that is none.

    Those of the user's own code, whose classes the configuration may name, stay what they are.
    """
    try:
        yield
    except (*_STUMBLES, RuntimeError) as error:
        modules = [str(frame.f_globals.get("__name__", "")) for frame, _ in traceback.walk_tb(error.__traceback__)]
        of_user = any(module.partition(".")[0] not in _LIBRARIES for module in modules)
        is_known = isinstance(error, _STUMBLES) or type(error) in (RuntimeError, jax.errors.JaxRuntimeError)
        if not is_known or isinstance(error, OpError) or (of_user and not isinstance(error, RecursionError)):
            raise
        raise kind(f"{source} is damaged, or no model: {type(error).__name__}: {str(error)[:200]}") from error


@contextlib.contextmanager
def named_in_errors(path: str) -> Iterator[None]:
    """Adds the file to errors of the body that do not name it, as Keras' do not: as a note, so that they stay what they are.

    Raises RefusedInSafeModeError itself, where Keras has wrapped it in an error of its own, and as `damage_named`.
    """
    try:
        with damage_named(repr(path)):
            yield
    except Exception as error:
        refusal = refusal_behind(error)
        if refusal is not None and refusal is not error:
            refusal.add_note(f"This was found in the file {path!r}.")
            raise refusal from None
        if path not in str(error):
            error.add_note(f"This was found in the file {path!r}.")
        raise


def saved_model(path: str) -> str:
    """A sentence about the SavedModel that TensorFlow wrote into this folder."""
    return (
        f"{path!r} is a SavedModel that TensorFlow wrote, and this library does not read its format. Convert it where "
        "TensorFlow is installed: tf.keras.models.load_model(path), then model.save to a path that ends in '.h5', which "
        "load_model reads here, or save_weights to one, and build the model here."
    )
