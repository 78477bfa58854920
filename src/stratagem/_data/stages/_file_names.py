"""File names as elements: the source of plans that read files, and the place where these are divided among workers."""

import fnmatch
import os
import stat
from collections.abc import Iterable
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.paths import is_remote
from stratagem._base.storage import checked_path, glob_remote
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import to_numpy
from stratagem._data.stages._columns import ArrayColumns
from stratagem._data.stages._order import Order, ShuffledOrder, StraightOrder
from stratagem._data.stages._seeds import EpochSeeds
from stratagem._data.stages._stage import FileNameSource, OrderedRowsStage, StageIterator


@final
class FileNames(FileNameSource):
    """The names of files, in order, or with `seeds` in a new random order in every iteration.

    Shuffling belongs to this source, so that workers first divide the files and each then shuffles its own.
    """

    def __init__(self, files: Iterable[str], seeds: EpochSeeds | None = None) -> None:
        self._files = tuple(files)
        self._seeds = seeds

    @property
    def files(self) -> tuple[str, ...]:
        return self._files

    def with_files(self, files: tuple[str, ...]) -> "FileNames":
        return FileNames(files, self._seeds)

    @property
    def spec(self) -> TensorSpec:
        return TensorSpec((), np.dtype(object))

    @property
    def cardinality(self) -> int:
        return len(self._files)

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return True

    @property
    def cheap(self) -> bool:
        return True

    def walk(self) -> StageIterator:
        return self._rows().walk()

    def example(self) -> Any:
        return self._rows().example()

    def _rows(self) -> OrderedRowsStage:
        names = np.empty(len(self._files), object)
        names[:] = [os.fsencode(name) for name in self._files]
        order: Order = StraightOrder(len(names))
        if self._seeds is not None and len(names):
            order = ShuffledOrder(order, len(names), self._seeds)
        return OrderedRowsStage(ArrayColumns(names), order)


def names_in(value: Any, argument: str = "filenames") -> tuple[str, ...]:
    """File names given as text, bytes, a path, or a list or tensor of them. argument: its name, for the error.

    Raises:
        TypeError: something else was given.
    """
    array = to_numpy(_without_paths(value))
    if array.dtype.kind != "O" and array.size:
        raise TypeError(
            f"The `{argument}` argument must contain `tf.string` elements. Got {array.dtype.name}: {value!r:.200}."
        )
    return tuple(map(checked_path, array.ravel()))


def _without_paths(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return [_without_paths(v) for v in value]
    return checked_path(value) if isinstance(value, os.PathLike) else value


def matching(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The files and folders that match, see `found_files`.

    Raises:
        InvalidArgumentError: nothing matches any of them.
    """
    found = found_files(patterns)
    if not found:
        raise InvalidArgumentError(f"No files matched pattern: {', '.join(patterns)}")
    return found


def found_files(patterns: tuple[str, ...]) -> tuple[str, ...]:
    """The files and folders that match, sorted; those that match two patterns appear twice, as in TensorFlow.

    `*` and `?` match within one part of a path, hidden names too; `[abc]` is a set.
    """
    return tuple(sorted(name for pattern in patterns for name in _matching(pattern)))


def _matching(pattern: str) -> list[str]:
    if is_remote(pattern):
        return glob_remote(pattern)
    if not any(sign in pattern for sign in "*?["):
        return [pattern] if os.path.lexists(pattern) else []
    folder, part = os.path.split(pattern)
    return [name for parent in _folders(folder) for name in _entries(parent, part)]


def _folders(pattern: str) -> list[str]:
    """The folders that match; the empty string represents the working directory, whose name is not part of the result."""
    if pattern == "" or os.path.dirname(pattern) == pattern:
        return [pattern]
    return [name for name in _matching(pattern) if _is_folder(name)]


def _entries(folder: str, part: str) -> list[str]:
    try:
        names = os.listdir(folder or os.curdir)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [os.path.join(folder, name) for name in fnmatch.filter(names, part)]


def _is_folder(name: str) -> bool:
    try:
        return stat.S_ISDIR(os.stat(name).st_mode)
    except OSError:
        return False
