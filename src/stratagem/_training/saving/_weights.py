"""Weights of models: checkpoints where TensorFlow writes them, HDF5, or Keras' own files."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Self, final

import keras

from stratagem._base.errors import InvalidArgumentError, NotFoundError
from stratagem._base.files import make_directories
from stratagem._base.job import Phase, process_job
from stratagem._base.paths import file_errors, is_remote, local_path
from stratagem._base.storage import checked_path, copied, file_system, uploaded
from stratagem._checkpoints import LoadStatus, has_weights, latest_checkpoint, read_weights, write_weights
from stratagem._core.context import entered
from stratagem._private import (
    loading_hdf5,
    may_overwrite,
    read_hdf5_weights,
    sublayers,
    without_training,
    write_hdf5_weights,
)
from stratagem._saved_models import MODEL_FILE
from stratagem._training.saving._archives import verify_archive
from stratagem._training.saving._formats import FileFormat, Found, format_of_weights, found_at, named_in_errors
from stratagem._training.saving._learned import refuse_what_hdf5_loses
from stratagem._training.saving._refused_weights import unchanged_if_refused
from stratagem._training.saving._sealed_hdf5 import seal_hdf5, verify_hdf5
from stratagem._training.saving._whole_files import written_together, written_whole

Function = Callable[..., Any]

# The name of weights that are saved to a folder's own path, `save_weights("folder/")`.
_NAMELESS = "weights"
_HDF5 = (".h5", ".hdf5")
# The checkpoint in the folder of a SavedModel.
_SAVED_VARIABLES = os.path.join("variables", "variables")


def weights_saver(keras_save: Function) -> Function:
    """Returns TensorFlow's `save_weights`, which leaves Keras' own formats to `keras_save`."""

    def save_weights(
        model: Any, filepath: Any, overwrite: bool = True, save_format: Any = None, options: Any = None, **kwargs: Any
    ) -> None:
        _note_built(model)
        # The third argument after the model is `max_shard_size` in Keras 3, and `save_format` in TensorFlow.
        shard = kwargs.pop("max_shard_size", save_format if isinstance(save_format, int | float) else None)
        path = checked_path(filepath)
        format = FileFormat.KERAS if shard is not None else format_of_weights(path, save_format)
        if format is FileFormat.HDF5:
            refuse_what_hdf5_loses(model, path)
        if is_remote(path) and format is not FileFormat.FOLDER:
            if shard is not None or path.endswith(".weights.json"):
                local_path(path)  # which refuses it: these are several files that name each other
            if overwrite or not file_system(path).exists(path) or may_overwrite(path):
                with uploaded(path) as written:
                    save_weights(model, written, True, save_format, **kwargs)
            return
        if format is FileFormat.KERAS:
            if overwrite or not os.path.exists(path) or may_overwrite(path):
                if not path.endswith((".weights.h5", ".weights.json")):
                    keras_save(model, filepath, True, shard, **kwargs)  # which says how a path must end
                with written_whole(path) if shard is None else written_together(path) as written:
                    keras_save(model, written, True, shard, **kwargs)
                    seal_hdf5(written if shard is None else Path(written).with_suffix(".json"))
            return
        _demand_weights(model)
        target = prefix(path) if format is FileFormat.FOLDER else path
        exists = has_weights(target) if format is FileFormat.FOLDER else os.path.isfile(target)
        if exists and not overwrite and not may_overwrite(path):
            return
        with process_job().phase(Phase.CHECKPOINT), entered(strategy=None, replica=None, crossing=False):
            if format is FileFormat.FOLDER:
                write_weights(model, target, options=options)
                return
            with file_errors(path):
                make_directories(Path(path).parent)
            with written_whole(path) as written:
                write_hdf5_weights(model, written)
                seal_hdf5(written)

    return save_weights


def prefix(path: str) -> str:
    """The path of the checkpoint that is saved to `path`: a path that ends in "/" names one in this folder."""
    return os.path.join(path, _NAMELESS) if path.endswith("/") else path


def _note_built(model: Any) -> None:
    """Takes a model whose layers are built, and that has no `build` of its own, for built.

    Its `train_step` may call its layers alone. TensorFlow saves and loads the weights of such a model, Keras 3 refuses.
    """
    if model.built or not isinstance(model, keras.Model):
        return
    classes = type(model).mro()
    own = any("build" in vars(each) for each in classes[: classes.index(keras.Model)])
    layers = [layer for layer in sublayers(model) if layer is not model]
    if not own and layers and all(layer.built for layer in layers):
        model.built = True


def _demand_weights(model: Any) -> None:
    if not model.built:
        raise ValueError(
            f"Unable to save the weights of model {model.name!r}: they have not been created yet. Weights are created when the "
            "model is first called on inputs, or `build()` is called with an `input_shape`."
        )


@final
class _WholeStatus(LoadStatus):
    """The status of weights that were read from a whole model: Keras has raised an error for whatever did not match."""

    def assert_consumed(self) -> Self:
        return self

    def assert_existing_objects_matched(self) -> Self:
        return self

    def assert_nontrivial_match(self) -> Self:
        return self

    def expect_partial(self) -> Self:
        return self


def weights_loader(keras_load: Function) -> Function:
    """Returns TensorFlow's `load_weights`, which leaves Keras' own formats to `keras_load`.

    It returns a status for checkpoints and folders of models, None for files.
    """

    def load_weights(
        model: Any, filepath: Any, skip_mismatch: bool = False, by_name: Any = None, options: Any = None, **kwargs: Any
    ) -> LoadStatus | None:
        _note_built(model)
        if not isinstance(filepath, str | os.PathLike):
            _load_with_keras(keras_load, model, filepath, skip_mismatch, by_name, kwargs)
            return None
        path = prefix(checked_path(filepath))
        found = found_at(path, weights=True)
        if is_remote(path) and _is_one_file(path, found):
            file = path if found is not Found.MODEL else os.path.join(path, MODEL_FILE)
            with named_in_errors(file), copied(file) as copy:
                status = load_weights(model, copy, skip_mismatch, by_name, options, **kwargs)
            return status if found is not Found.MODEL else _WholeStatus()
        with loading_hdf5(os.path.join(path, MODEL_FILE) if found is Found.MODEL else path):
            return load_local(model, path, found, filepath, skip_mismatch, by_name, kwargs)

    def load_local(
        model: Any, path: str, found: Found, filepath: Any, skip_mismatch: bool, by_name: Any, kwargs: dict[str, Any]
    ) -> LoadStatus | None:
        match found:
            case Found.WEIGHTS:
                _demand_topology(path, skip_mismatch, by_name)
                return read_weights(model, path)
            case Found.MODEL:
                _demand_topology(path, skip_mismatch, by_name)
                verify_archive(os.path.join(path, MODEL_FILE))
                # It may have another optimizer than the one that was saved.
                with (
                    unchanged_if_refused(model),
                    without_training(model),
                    named_in_errors(os.path.join(path, MODEL_FILE)),
                ):
                    keras_load(model, os.path.join(path, MODEL_FILE))
                return _WholeStatus()
            case Found.HDF5 if not path.endswith(_HDF5):
                verify_hdf5(path)
                with unchanged_if_refused(model), named_in_errors(path):
                    read_hdf5_weights(model, path, bool(by_name), skip_mismatch)
                return None
            case Found.SAVED_MODEL:
                _demand_topology(path, skip_mismatch, by_name)
                return read_weights(model, os.path.join(path, _SAVED_VARIABLES)).expect_partial()
            case Found.HDF5 | Found.OTHER if path.endswith((*_HDF5, ".weights.json")):
                verify_hdf5(path)
            case Found.NOTHING if not path.endswith((".keras", *_HDF5, ".weights.json")):
                raise NotFoundError(
                    f"No weights at {path!r}: nothing is there. Check the path that save_weights was given."
                )
            case Found.OTHER if (latest := _latest_in(path)) is not None:
                raise InvalidArgumentError(
                    f"{path!r} is a folder of checkpoints, not one of them. Load {latest!r}, which is what "
                    f"tf.train.latest_checkpoint({path!r}) returns."
                )
            case Found.OTHER if path.endswith(".keras"):
                verify_archive(path)
        with unchanged_if_refused(model), named_in_errors(path):
            _load_with_keras(keras_load, model, filepath, skip_mismatch, by_name, kwargs)
        return None

    return load_weights


def _is_one_file(path: str, found: Found) -> bool:
    """Returns whether what is at a remote path is read from one file."""
    return found is Found.MODEL or (found is Found.OTHER and file_system(path).is_file(path))


def _load_with_keras(
    keras_load: Function, model: Any, filepath: Any, skip_mismatch: bool, by_name: Any, kwargs: dict[str, Any]
) -> None:
    named = {"by_name": by_name} if by_name else {}
    keras_load(model, filepath, skip_mismatch=skip_mismatch, **named, **kwargs)


def _latest_in(path: str) -> str | None:
    return latest_checkpoint(path) if file_system(path).is_file(os.path.join(path, "checkpoint")) else None


def _demand_topology(path: str, skip_mismatch: bool, by_name: Any) -> None:
    """Raises TensorFlow's errors for ways of matching that only HDF5 has."""
    if by_name:
        raise NotImplementedError(
            f"{path!r}: weights may only be loaded based on topology from checkpoints. load_weights(by_name=True) reads files "
            "that were saved with the ending '.h5'."
        )
    if skip_mismatch:
        raise ValueError(
            f"{path!r}: load_weights(skip_mismatch=True) reads files that were saved with the ending '.h5', not checkpoints."
        )
