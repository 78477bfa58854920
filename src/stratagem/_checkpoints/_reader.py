"""CheckpointReader: the arrays of a checkpoint by name, without the objects they belong to."""

import os

import numpy as np

from stratagem._base.errors import NotFoundError
from stratagem._base.paths import local_path
from stratagem._checkpoints._checkpoint_files import named_in, read, shapes_and_dtypes
from stratagem._checkpoints._latest_intact import latest_checkpoint

# TensorFlow's suffix for the value of a variable; programs look values up by the whole name.
_ENDING = "/.ATTRIBUTES/VARIABLE_VALUE"


class CheckpointReader:
    """The arrays of one checkpoint. Names end as in TensorFlow, `model/layers/0/kernel/.ATTRIBUTES/VARIABLE_VALUE`; arguments
    may leave out the ending. In an Estimator's checkpoint names are those of its variables, `dense/kernel`.
    """

    def __init__(self, path: str) -> None:
        self._path = path
        self._described = shapes_and_dtypes(path)
        self._endings = dict.fromkeys(named_in(path), "")
        self._arrays: dict[str, np.ndarray] | None = None

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of every array, by name."""
        return {self._shown(key): list(shape) for key, (shape, _) in sorted(self._described.items())}

    def get_variable_to_dtype_map(self) -> dict[str, np.dtype]:
        """The dtype of every array, by name."""
        return {self._shown(key): dtype for key, (_, dtype) in sorted(self._described.items())}

    def has_tensor(self, tensor_str: str) -> bool:
        """Returns whether there is an array of this name."""
        return tensor_str.removesuffix(_ENDING) in self._described

    def get_tensor(self, tensor_str: str) -> np.ndarray:
        """The array of this name. Raises NotFoundError when there is none."""
        if not self.has_tensor(tensor_str):
            names = ", ".join(sorted(self._described)[:10])
            raise NotFoundError(f"Key {tensor_str} not found in checkpoint {self._path!r}, which has: {names} ...")
        if self._arrays is None:
            self._arrays = read(self._path).arrays
        return self._arrays[tensor_str.removesuffix(_ENDING)]

    def _shown(self, key: str) -> str:
        return key + self._endings.get(key, _ENDING)


def load_checkpoint(ckpt_dir_or_file: str | os.PathLike[str]) -> CheckpointReader:
    """A reader for a checkpoint, or for the latest one in a directory. Raises NotFoundError when there is none."""
    path = local_path(ckpt_dir_or_file)
    return CheckpointReader(latest_checkpoint(path) or path)


def load_variable(ckpt_dir_or_file: str | os.PathLike[str], name: str) -> np.ndarray:
    """The array of this name in a checkpoint, or in a directory's latest one. Raises NotFoundError when there is none."""
    return load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))


def list_variables(ckpt_dir_or_file: str | os.PathLike[str]) -> list[tuple[str, list[int]]]:
    """The names and shapes of the arrays in a checkpoint or in a directory's latest one. Raises NotFoundError without one."""
    return list(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())
