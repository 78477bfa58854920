"""KerasTwoFile: what a file of a whole model of Keras 2 says, and the state of its optimizer."""

import contextlib
import json
import os
import zipfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final, final

import h5py
import numpy as np

from stratagem._base.errors import DataLossError
from stratagem._private import hdf5_arrays, is_hdf5, opened_hdf5

Config = dict[str, Any]

# What a part of an archive raises that is not as its checksum says.
_DAMAGE: Final = (zipfile.BadZipFile, zlib.error, EOFError)
_WEIGHTS: Final = "model.weights.h5"


@final
@dataclass(frozen=True)
class KerasTwoFile:
    """A whole model in a file that Keras 2 wrote.

    model: its configuration. training: what it was compiled with, or None. is_archive: `.keras`, else HDF5.
    """

    path: str
    version: str
    is_archive: bool
    model: Config
    training: Config | None

    def optimizer(self) -> tuple[np.ndarray, ...] | None:
        """Reads the values of its optimizer's variables, in the order in which Keras 2 has made them; None if there are none.

        Raises DataLossError if they are damaged.
        """
        with _damage_named(self.path), contextlib.ExitStack() as stack:
            if not self.is_archive:
                return hdf5_arrays(stack.enter_context(opened_hdf5(self.path)), "optimizer_weights")
            archive = stack.enter_context(zipfile.ZipFile(self.path))
            part = stack.enter_context(archive.open(_WEIGHTS))
            return hdf5_arrays(stack.enter_context(opened_hdf5(part)), "optimizer/vars")


def keras_two_file(path: str) -> KerasTwoFile | None:
    """Returns what a file of Keras 2 says; None for other files, and where there is none.

    Raises DataLossError for a file of Keras 2 that is damaged.
    """
    if not os.path.isfile(path):
        return None
    with _damage_named(path):
        if zipfile.is_zipfile(path):
            with zipfile.ZipFile(path) as archive:
                return _from_archive(path, archive)
        if is_hdf5(path):
            with opened_hdf5(path) as file:
                return _from_hdf5(path, file)
    return None


@contextlib.contextmanager
def _damage_named(path: str) -> Iterator[None]:
    try:
        yield
    except (*_DAMAGE, ValueError, TypeError, KeyError, AttributeError, RecursionError) as error:
        raise DataLossError(f"{path!r} is damaged, or no model: {type(error).__name__}: {error}") from error


def _is_two(version: Any) -> bool:
    return isinstance(version, str) and version.startswith("2.")


def _from_archive(path: str, archive: zipfile.ZipFile) -> KerasTwoFile | None:
    names = archive.namelist()
    if "metadata.json" not in names or "config.json" not in names:
        return None
    version = json.loads(archive.read("metadata.json")).get("keras_version")
    if not _is_two(version):
        return None
    config = json.loads(archive.read("config.json"))
    training = _compiled(config.pop("compile_config", None))
    return KerasTwoFile(path, version, True, config, training)


def _from_hdf5(path: str, file: h5py.File) -> KerasTwoFile | None:
    version, config = _text(file, "keras_version"), _text(file, "model_config")
    if not _is_two(version) or config is None or version is None:
        return None
    training = _text(file, "training_config")
    compiled = None if training is None else _compiled(json.loads(training))
    return KerasTwoFile(path, version, False, json.loads(config), compiled)


def _compiled(training: Config | None) -> Config | None:
    """Returns what a model was compiled with, of either format, but for what TensorFlow compiled."""
    if training is None:
        return None
    found = {"optimizer": training.get("optimizer", training.get("optimizer_config"))}
    names = ("loss", "loss_weights", "metrics", "weighted_metrics", "run_eagerly", "steps_per_execution")
    return found | {name: training[name] for name in names if training.get(name) is not None}


def _text(file: h5py.File, name: str) -> str | None:
    found = file.attrs.get(name)
    return found.decode() if isinstance(found, bytes) else found
