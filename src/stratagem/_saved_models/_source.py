"""SavedModelSource: what a SavedModel is loaded from, the files of its directory or what would be in them."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import final

import numpy as np

from stratagem._checkpoints import AttachedCheckpoint
from stratagem._saved_models._asset import Asset, asset_of


@final
@dataclass(frozen=True)
class SavedModelSource:
    """The parts of a SavedModel.

    path: its directory. arrays: the values of variables, by key. content: of an attached file, by its name. asset: a file of
    an asset, by its name. Both raise DataLossError for a name that is not there.
    """

    path: str
    arrays: Mapping[str, np.ndarray]
    content: Callable[[str], bytes]
    asset: Callable[[str], Asset]

    @classmethod
    def of_files(cls, path: str) -> "SavedModelSource":
        """Reads a directory, every byte of which is compared with its checksum. Raises the same errors as `load`."""
        checkpoint = AttachedCheckpoint.read(path)
        return cls(
            path,
            checkpoint.arrays,
            lambda name: checkpoint.file(name).read_bytes(),
            lambda name: asset_of(checkpoint.file(name), checkpoint),
        )
