"""Asset: a file that is saved with an object, such as a vocabulary."""

import os
from typing import final

import numpy as np

from stratagem._base.exports import exported
from stratagem._base.paths import is_remote
from stratagem._base.storage import LocalCopy, checked_path, file_system
from stratagem._base.types import PathLike


@exported("saved_model.Asset")
@final
class Asset:
    """A file that a SavedModel gets a copy of, as `tf.saved_model.Asset`. A remote one is copied to this machine at once.

    Raises ValueError if there is no such file.
    """

    def __init__(self, path: PathLike) -> None:
        self._path = checked_path(path)
        if not file_system(self._path).is_file(self._path):
            raise ValueError(f"tf.saved_model.Asset: there is no file {self._path!r}.")
        self._holder: object = None
        if is_remote(self._path):
            copy = LocalCopy(self._path)
            self._path, self._holder = copy.path, copy

    @property
    def asset_path(self) -> np.ndarray:
        """The path, a tensor of one string: after loading, that of the copy."""
        return np.array(os.fsencode(self._path), dtype=object)

    def __fspath__(self) -> str:
        return self._path


def asset_of(path: os.PathLike[str], holder: object) -> Asset:
    """The asset of a SavedModel that was loaded. holder: keeps its files, if they are a copy of a remote SavedModel's."""
    asset = Asset(path)
    asset._holder = holder
    return asset
