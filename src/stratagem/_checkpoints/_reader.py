"""CheckpointReader: the arrays of a checkpoint by name, without the objects they belong to."""

import abc
import os
from typing import Any, final

import numpy as np

from stratagem._base.errors import NotFoundError
from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._checkpoints._background import wait_for_saves
from stratagem._checkpoints._checkpoint_files import named_in, shapes_and_dtypes
from stratagem._checkpoints._checkpoint_files import read as read_own
from stratagem._checkpoints._formats import is_tensorflow
from stratagem._checkpoints._latest_intact import latest_checkpoint
from stratagem._checkpoints.tensorflow import Bundle
from stratagem._ops import string

# TensorFlow's suffix for the value of a variable; programs look values up by the whole name.
_ENDING = "/.ATTRIBUTES/VARIABLE_VALUE"


class CheckpointReader(abc.ABC):
    """The arrays of one checkpoint. In one of objects, names end in `/.ATTRIBUTES/VARIABLE_VALUE`; in an Estimator's they are
    those of its variables, `dense/kernel`.
    """

    def get_variable_to_shape_map(self) -> dict[str, list[int]]:
        """The shape of every array, by name."""
        return {name: list(shape) for name, (shape, _) in sorted(self._described().items())}

    def get_variable_to_dtype_map(self) -> dict[str, Any]:
        """The dtype of every array, by name: NumPy's, or `tf.string`."""
        return {name: dtype for name, (_, dtype) in sorted(self._described().items())}

    def debug_string(self) -> bytes:
        """A text with a line for every array: its name, dtype and shape."""
        lines = (
            f"{name} ({_named(dtype)}) {list(shape)}" for name, (shape, dtype) in sorted(self._described().items())
        )
        return "\n".join(lines).encode()

    @abc.abstractmethod
    def has_tensor(self, tensor_str: str) -> bool:
        """Returns whether there is an array of this name."""

    @abc.abstractmethod
    def get_tensor(self, tensor_str: str) -> Any:
        """The array of this name. Raises NotFoundError when there is none."""

    @abc.abstractmethod
    def _described(self) -> dict[str, tuple[tuple[int, ...], Any]]:
        """The shape and the dtype of every array, by name."""


@final
class OwnReader(CheckpointReader):
    """The arrays of a checkpoint of this library. Arguments may leave out the ending of names."""

    def __init__(self, path: str) -> None:
        self._path = path
        self._facts = shapes_and_dtypes(path)
        self._endings = dict.fromkeys(named_in(path), "")
        self._arrays: dict[str, Any] | None = None

    def has_tensor(self, tensor_str: str) -> bool:
        return tensor_str.removesuffix(_ENDING) in self._facts

    def get_tensor(self, tensor_str: str) -> Any:
        if not self.has_tensor(tensor_str):
            raise _missing(tensor_str, self._path, list(self._facts))
        if self._arrays is None:
            self._arrays = dict(read_own(self._path).arrays)
        return self._arrays[tensor_str.removesuffix(_ENDING)]

    def _described(self) -> dict[str, tuple[tuple[int, ...], Any]]:
        return {key + self._endings.get(key, _ENDING): fact for key, fact in self._facts.items()}


@final
class TensorFlowReader(CheckpointReader):
    """The arrays of a checkpoint in TensorFlow's format, each read when it is asked for. Strings are bytes objects."""

    def __init__(self, path: str) -> None:
        self._bundle = Bundle(path)

    def has_tensor(self, tensor_str: str) -> bool:
        return tensor_str in self._bundle.facts

    def get_tensor(self, tensor_str: str) -> Any:
        if not self.has_tensor(tensor_str):
            raise _missing(tensor_str, self._bundle.prefix, list(self._bundle.facts))
        return self._bundle.read(tensor_str)[()]

    def _described(self) -> dict[str, tuple[tuple[int, ...], Any]]:
        return {name: (fact.shape, string if fact.is_text else fact.dtype) for name, fact in self._bundle.facts.items()}


@exported("train.load_checkpoint")
def load_checkpoint(ckpt_dir_or_file: str | os.PathLike[str]) -> CheckpointReader:
    """A reader for a checkpoint, or for the latest one in a directory. Raises NotFoundError when there is none."""
    path = checked_path(ckpt_dir_or_file)
    return new_checkpoint_reader(latest_checkpoint(path) or path)


@exported(v1=["train.NewCheckpointReader"])
def new_checkpoint_reader(filepattern: str | os.PathLike[str]) -> CheckpointReader:
    """A reader for one checkpoint. Raises NotFoundError when there is none."""
    wait_for_saves()
    path = checked_path(filepattern)
    return TensorFlowReader(path) if is_tensorflow(path) else OwnReader(path)


@exported("train.load_variable")
def load_variable(ckpt_dir_or_file: str | os.PathLike[str], name: str) -> np.ndarray:
    """The array of this name in a checkpoint, or in a directory's latest one. Raises NotFoundError when there is none."""
    array: np.ndarray = load_checkpoint(ckpt_dir_or_file).get_tensor(name.removesuffix(":0"))
    return array


@exported("train.list_variables")
def list_variables(ckpt_dir_or_file: str | os.PathLike[str]) -> list[tuple[str, list[int]]]:
    """The names and shapes of the arrays in a checkpoint or in a directory's latest one. Raises NotFoundError without one."""
    return list(load_checkpoint(ckpt_dir_or_file).get_variable_to_shape_map().items())


def _missing(name: str, path: str, names: list[str]) -> NotFoundError:
    shown = ", ".join(sorted(names)[:10])
    return NotFoundError(f"Key {name} not found in checkpoint {path!r}, which has: {shown} ...")


def _named(dtype: Any) -> str:
    return str(dtype.name)
