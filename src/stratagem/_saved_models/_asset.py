"""Asset: a file that is saved with an object, such as a vocabulary."""

import os
from typing import final

import numpy as np

from stratagem._base.paths import local_path
from stratagem._base.types import PathLike


@final
class Asset:
    """A file that a SavedModel gets a copy of, as `tf.saved_model.Asset`.

    Raises ValueError if there is no such file.
    """

    def __init__(self, path: PathLike) -> None:
        self._path = local_path(path)
        if not os.path.isfile(self._path):
            raise ValueError(f"tf.saved_model.Asset: there is no file {self._path!r}.")

    @property
    def asset_path(self) -> np.ndarray:
        """The path, a tensor of one string: after loading, that of the copy."""
        return np.array(os.fsencode(self._path), dtype=object)

    def __fspath__(self) -> str:
        return self._path
