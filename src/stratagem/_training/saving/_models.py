"""Whole models: in a folder where TensorFlow writes a SavedModel, in HDF5, or in Keras' own file."""

import contextlib
import logging
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import keras

from stratagem._base.errors import NotFoundError, UnimplementedError
from stratagem._base.files import atomic_write, make_directories, remove_temporaries
from stratagem._base.job import Phase, process_job
from stratagem._base.paths import file_errors, is_remote, parent
from stratagem._base.slow_blocks import while_slow
from stratagem._base.storage import checked_path, copied, file_system, uploaded
from stratagem._checkpoints import CheckpointFormat, write_weights
from stratagem._core.context import entered
from stratagem._private import (
    loading_hdf5,
    may_overwrite,
    note_own_hdf5,
    read_hdf5_model,
    sublayers,
    variables_up_to,
    with_arguments,
    without_training,
    write_hdf5_model,
)
from stratagem._saved_models import MODEL_FILE
from stratagem._saved_models import load as load_saved_model
from stratagem._saved_models import save as save_saved_model
from stratagem._training.saving._archives import seal_archive, values_in_archive, verify_archive
from stratagem._training.saving._formats import (
    SAVED_MODEL,
    FileFormat,
    Found,
    damage_named,
    format_of_model,
    found_at,
    named_in_errors,
    saved_model,
)
from stratagem._training.saving._learned import refuse_what_hdf5_loses
from stratagem._training.saving._own_objects import is_ours, own_objects, record, remember
from stratagem._training.saving._sealed_hdf5 import seal_hdf5, verify_hdf5
from stratagem._training.saving._whole_files import written_whole
from stratagem._training.saving.keras_two import KerasTwoFile, keras_two_file, read_model

_log = logging.getLogger("stratagem")

Function = Callable[..., Any]

_HDF5 = (".h5", ".hdf5")
_KERAS_READS = (".keras", *_HDF5)
_SAY_SECONDS, _SAY_AGAIN_SECONDS = 3.0, 10.0


def model_saver(keras_save: Function) -> Function:
    """Returns TensorFlow's `save_model`, which leaves Keras' own formats to `keras_save`."""

    def save_model(model: Any, filepath: Any, overwrite: bool = True, save_format: Any = None, **kwargs: Any) -> None:
        zipped = kwargs.pop("zipped", None)
        # The fourth argument is `zipped` in Keras 3, and `save_format` in TensorFlow.
        if isinstance(save_format, bool) or isinstance(zipped, str):
            zipped, save_format = save_format, zipped
        if zipped is True and _is_path(filepath) and os.fspath(filepath).endswith(".keras"):
            zipped = None  # as the ending says anyway
        if zipped is not None or not _is_path(filepath):
            return keras_save(model, filepath, overwrite=overwrite, zipped=zipped, **kwargs)
        include_optimizer = kwargs.pop("include_optimizer", True)
        _drop_unused(kwargs)
        path = checked_path(filepath)
        format = format_of_model(path, save_format)
        if format is FileFormat.FOLDER:
            target = os.path.join(path, MODEL_FILE)
            if overwrite or not file_system(path).exists(target) or may_overwrite(path):
                _save_folder(model, target, include_optimizer, keras_save)
            return None
        if format is FileFormat.HDF5:
            refuse_what_hdf5_loses(model, path)
        if is_remote(path):
            if overwrite or not file_system(path).exists(path) or may_overwrite(path):
                with uploaded(path) as written:
                    save_model(model, written, include_optimizer=include_optimizer, save_format=save_format, **kwargs)
            return None
        if overwrite or not os.path.exists(path) or may_overwrite(path):
            with written_whole(path) as written:
                if path.endswith(_KERAS_READS):
                    keras_save(model, written, overwrite=True, include_optimizer=include_optimizer, **kwargs)
                else:
                    write_hdf5_model(model, written, include_optimizer)
                (seal_archive if format is FileFormat.KERAS else seal_hdf5)(written)
        return None

    return save_model


def _is_path(filepath: Any) -> bool:
    return isinstance(filepath, str | os.PathLike) and not os.fspath(filepath).startswith("hf://")


def _drop_unused(kwargs: dict[str, Any]) -> None:
    for name in ("options", "save_traces"):
        kwargs.pop(name, None)
    if kwargs.pop("signatures", None) is not None:
        _log.warning(
            "save(signatures=...) was ignored: signatures are part of TensorFlow's SavedModels, and this is none."
        )


def _save_folder(model: Any, target: str, include_optimizer: bool, keras_save: Function) -> None:
    """Writes the model's file into its folder: at every moment the old one, the new one or none is there."""
    folder, job = parent(target), process_job()
    # Keras makes objects with variables while it saves, which all workers would have to do in a scope.
    with job.phase(Phase.CHECKPOINT), entered(strategy=None, replica=None, crossing=False):
        if not is_remote(target):
            with file_errors(folder):
                make_directories(Path(folder))
            if job.workers == 1:  # another worker may be writing here
                remove_temporaries(Path(target))
        try:
            with (
                uploaded(target) if is_remote(target) else atomic_write(Path(target)) as written,
                contextlib.nullcontext() if include_optimizer else without_training(model),
            ):
                with with_arguments(sublayers(model)):
                    keras_save(model, str(written))
                record(model, Path(written))
                seal_archive(written)
        except NotImplementedError as error:  # a class without get_config, which TensorFlow saves
            if isinstance(error, UnimplementedError):
                raise
            _save_without_class(model, target, error)
            return
    remember(target)
    if not is_remote(target):
        note_own_hdf5(target)
    files = file_system(folder)
    if found := [name for name in SAVED_MODEL if files.exists(os.path.join(folder, name))]:
        _log.warning(
            "%s also has a model that TensorFlow wrote (%s): load_model reads %s, other programs the old one.",
            folder, found[0], MODEL_FILE,
        )  # fmt: skip
    _log.info(
        "Saved the model to %s: a file of Keras', not a SavedModel. TensorFlow cannot read it, Keras alone only without layers "
        "of this library (TextVectorization, ...): use `import stratagem as tf` and tf.keras.models.load_model.",
        target,
    )  # fmt: skip


def _save_without_class(model: Any, target: str, error: Exception) -> None:
    """Saves a model whose class cannot be made again: with its call as a program, or where there is none its weights."""
    folder, reason = parent(target), " ".join(str(error).split())[:200]
    try:
        save_saved_model(model, folder)
        _log.warning(
            "Saved model %r to %s as a SavedModel: load_model returns an object that can be called, and is no Keras model. For "
            "that its classes need get_config: %s", model.name, folder, reason,
        )  # fmt: skip
    except (UnimplementedError, ValueError, TypeError) as no_program:
        write_weights(model, folder, CheckpointFormat.OWN)
        _log.warning(
            "Saved only the weights and the optimizer of model %r to %s. To read them, build the model and call load_weights. "
            "For load_model its classes need get_config: %s. (It has no program: %s)",
            model.name, folder, reason, " ".join(str(no_program).split())[:200],
        )  # fmt: skip
    with contextlib.suppress(FileNotFoundError):
        file_system(target).remove(target)


def model_loader(keras_load: Function) -> Function:
    """Returns TensorFlow's `load_model`, which leaves Keras' own formats to `keras_load`."""

    def load_model(
        filepath: Any, custom_objects: Any = None, compile: bool = True, safe_mode: bool = True, **kwargs: Any
    ) -> Any:
        kwargs.pop("options", None)
        if not _is_path(filepath):
            return keras_load(filepath, custom_objects, compile, safe_mode, **kwargs)
        path = checked_path(filepath)

        def say(seconds: float) -> None:
            _log.info("%.0f s: loading a model from %s", seconds, path)

        with while_slow(say, after=_SAY_SECONDS, every=_SAY_AGAIN_SECONDS):
            return loaded(path, custom_objects, compile, safe_mode, **kwargs)

    def loaded(path: str, custom_objects: Any, compile: bool, safe_mode: bool, **kwargs: Any) -> Any:
        found = found_at(path)
        if is_remote(path) and found in (Found.MODEL, Found.OTHER):
            with (
                named_in_errors(path),
                copied(path if found is not Found.MODEL else os.path.join(path, MODEL_FILE)) as copy,
            ):
                if found is Found.MODEL:
                    safe_mode = safe_mode and not is_ours(os.path.join(path, MODEL_FILE))
                    with own_objects(copy, custom_objects, safe_mode=safe_mode) as objects:
                        return loaded(copy, objects, compile, safe_mode, **kwargs)
                return loaded(copy, custom_objects, compile, safe_mode, **kwargs)
        with loading_hdf5(os.path.join(path, MODEL_FILE) if found is Found.MODEL else path):
            return loaded_here(path, found, custom_objects, compile, safe_mode, kwargs)

    def loaded_here(
        path: str, found: Found, custom_objects: Any, compile: bool, safe_mode: bool, kwargs: dict[str, Any]
    ) -> Any:
        match found:
            case Found.MODEL:
                path = os.path.join(path, MODEL_FILE)
                verify_archive(path)
                safe_mode = safe_mode and not is_ours(path)
                with own_objects(path, custom_objects, safe_mode=safe_mode) as objects, _read_archive(path, safe_mode):
                    return keras_load(path, objects, compile, safe_mode, **kwargs)
            case Found.HDF5:
                verify_hdf5(path)
            case Found.OTHER if path.endswith(_HDF5):
                verify_hdf5(path)
            case Found.EXPORT:
                return load_saved_model(path)
            case Found.SAVED_MODEL:
                raise UnimplementedError(f"{saved_model(path)} Nothing was loaded.")
            case Found.WEIGHTS:
                raise ValueError(
                    f"{path!r} holds weights only: of save_weights, a Checkpoint, or a model whose class lacks get_config. "
                    "Build the model as it was, and call model.load_weights(path)."
                )
            case Found.UNFINISHED:
                raise NotFoundError(
                    f"{path!r} holds no complete model: its only save was interrupted. Delete the folder, or save again."
                )
            case Found.OTHER if path.endswith(".keras"):
                verify_archive(path)
            case Found.NOTHING if not path.endswith(_KERAS_READS):
                raise NotFoundError(f"No file or directory found at {path}")
        with named_in_errors(path):
            if found in (Found.HDF5, Found.OTHER) and (two := keras_two_file(path)) is not None:
                with _cured(two):
                    return read_model(two, custom_objects, compile, safe_mode)
            if found is Found.HDF5 and not path.endswith(_HDF5):
                return read_hdf5_model(path, custom_objects, compile, safe_mode)
            if path.endswith(_HDF5):
                return keras_load(path, custom_objects, compile, safe_mode, **kwargs)
        with _read_archive(path, safe_mode):
            return keras_load(path, custom_objects, compile, safe_mode, **kwargs)

    return load_model


def json_model_reader(keras_read: Function) -> Function:
    """Returns `model_from_json` with one kind of error for a text that describes no model."""

    def model_from_json(json_string: Any, custom_objects: Any = None) -> Any:
        with damage_named("The JSON", ValueError):
            model = keras_read(json_string, custom_objects)
        if not isinstance(model, keras.Layer):
            raise ValueError(f"The JSON is damaged, or no model: it describes a {type(model).__name__}.")
        return model

    return model_from_json


@contextlib.contextmanager
def _read_archive(path: str, safe_mode: bool) -> Iterator[None]:
    """In the body a model is read, whose variables are no larger than its archive in safe mode; errors name it."""
    limits = variables_up_to(lambda: values_in_archive(path), path) if safe_mode else contextlib.nullcontext()
    with named_in_errors(path), limits:
        yield


@contextlib.contextmanager
def _cured(file: KerasTwoFile) -> Iterator[None]:
    """Adds to errors of the body what reads the weights of a model, if not the model."""
    try:
        yield
    except Exception as error:
        error.add_note(
            f"Keras {file.version} wrote this model. If nothing else helps, build the model here, and call "
            f"model.load_weights({file.path!r}), which reads the weights of this file."
        )
        raise
