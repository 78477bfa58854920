"""Functions on local files under TensorFlow's names: `tf.io.gfile`, `tf.io.read_file`, `tf.io.write_file`."""

import contextlib
import glob as _glob
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from io import UnsupportedOperation
from pathlib import Path
from types import TracebackType
from typing import Any, final

import numpy as np

from stratagem._base.errors import (
    AlreadyExistsError,
    InvalidArgumentError,
    PermissionDeniedError,
)
from stratagem._base.paths import StrPath, file_errors, local_path
from stratagem._base.types import PathLike, TensorLike
from stratagem._core.step import host_function


def exists(path: StrPath) -> bool:
    """Returns whether there is a file or folder at this path."""
    return os.path.exists(local_path(path))


def isdir(path: StrPath) -> bool:
    """Returns whether there is a folder at this path."""
    return os.path.isdir(local_path(path))


def makedirs(path: StrPath) -> None:
    """Creates a folder and its parents; an existing one is accepted."""
    with file_errors(path):
        os.makedirs(local_path(path), exist_ok=True)


def mkdir(path: StrPath) -> None:
    """Creates one folder; an existing one is accepted. Raises NotFoundError (no parent) or FailedPreconditionError (a file)."""
    with file_errors(path):
        Path(local_path(path)).mkdir(exist_ok=True)


def rmtree(path: StrPath) -> None:
    """Removes a folder and its contents. Raises NotFoundError."""
    with file_errors(path):
        shutil.rmtree(local_path(path))


def remove(path: StrPath) -> None:
    """Removes a file. Raises NotFoundError, or FailedPreconditionError for a folder."""
    with file_errors(path):
        os.remove(local_path(path))


def rename(src: StrPath, dst: StrPath, overwrite: bool = False) -> None:
    """Moves a file or folder. Raises AlreadyExistsError when `dst` exists, unless `overwrite`."""
    _refuse_existing(dst, overwrite)
    with file_errors(src):
        os.replace(local_path(src), local_path(dst))


def copy(src: StrPath, dst: StrPath, overwrite: bool = False) -> None:
    """Copies a file. Raises AlreadyExistsError when `dst` exists, unless `overwrite`."""
    _refuse_existing(dst, overwrite)
    with file_errors(src):
        shutil.copyfile(local_path(src), local_path(dst))


def _refuse_existing(path: StrPath, overwrite: bool) -> None:
    if exists(path) and not overwrite:
        raise AlreadyExistsError(f"{local_path(path)} exists already. Pass overwrite=True to replace it.")


def listdir(path: StrPath) -> list[str]:
    """The names in a folder, without `.` and `..`. Raises NotFoundError."""
    with file_errors(path):
        return os.listdir(local_path(path))


def glob(pattern: StrPath | list[StrPath]) -> list[str]:
    """The paths that match one pattern or several, sorted."""
    patterns = pattern if isinstance(pattern, list | tuple) else [pattern]
    return sorted({path for p in patterns for path in _glob.glob(local_path(p))})


def get_registered_schemes() -> list[str]:
    """The kinds of paths that can be opened: plain ones and `file://`."""
    return ["", "file"]


def walk(
    top: StrPath, topdown: bool = True, onerror: Callable[[OSError], None] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yields (folder, its subfolders, its files) for a folder and all folders below it."""
    return os.walk(local_path(top), topdown, onerror)


def join(path: StrPath, *paths: StrPath) -> str:
    """Joins the parts to one path."""
    return os.path.join(os.fsdecode(path), *map(os.fsdecode, paths))


@dataclass(frozen=True)
class FileStatistics:
    """The result of `stat`."""

    length: int
    mtime_nsec: int
    is_directory: bool


def stat(path: StrPath) -> FileStatistics:
    """The size, modification time and kind of a file. Raises NotFoundError."""
    with file_errors(path):
        found = os.stat(local_path(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, isdir(path))


@final
class GFile:
    """A local file in text mode, unless the mode has a `b`. It is opened at once: a missing file raises NotFoundError here.

    Raises InvalidArgumentError for modes other than r, w, a, each optionally with b or +. Reading a file that is open for
    writing only, or writing one that is open for reading, raises PermissionDeniedError.
    """

    def __init__(self, name: StrPath, mode: str = "r") -> None:
        self.name = local_path(name)
        self.mode = mode
        if mode.replace("b", "", 1) not in ("r", "w", "a", "r+", "w+", "a+"):
            raise InvalidArgumentError(
                f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+' (each also with 'b'): {mode!r}"
            )
        with file_errors(name):
            text = {"encoding": None if "b" in mode else "utf-8", "newline": None if "b" in mode else ""}
            self._file: Any = open(self.name, mode, **text)  # type: ignore[call-overload]  # noqa: SIM115  # see close

    def __enter__(self) -> "GFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return self

    def __next__(self) -> Any:
        # Python's own iteration over text would forbid `tell`.
        line = self.readline()
        if not line:
            raise StopIteration
        return line

    def next(self) -> TensorLike:
        """Reads the next line including its end. Raises StopIteration at the end of the file."""
        return next(self)

    def read(self, n: int = -1) -> TensorLike:
        """Reads everything, or `n` characters (bytes in binary mode)."""
        with self._mode_errors():
            return self._file.read(n)

    def readline(self) -> TensorLike:
        """Reads the next line including its end; empty at the end of the file."""
        with self._mode_errors():
            return self._file.readline()

    def readlines(self) -> list[TensorLike]:
        """Reads all lines."""
        with self._mode_errors():
            return list(self._file.readlines())

    def write(self, file_content: TensorLike) -> None:
        """Writes text (bytes in binary mode)."""
        with self._mode_errors():
            self._file.write(file_content)

    @contextlib.contextmanager
    def _mode_errors(self) -> Iterator[None]:
        try:
            yield
        except UnsupportedOperation as error:
            raise PermissionDeniedError(f"{self.name} was opened with mode {self.mode!r}: {error}") from error

    def seek(self, offset: int | None = None, whence: int = 0, position: int | None = None) -> None:
        """Moves to a position, in bytes. whence: count from the start (0), from here (1) or from the end (2).

        position: the earlier name of `offset`.

        Raises:
            TypeError: none of them, or both.
            InvalidArgumentError: another `whence`.
        """
        if offset is not None and position is not None:
            raise TypeError("seek(): offset and position may not be set simultaneously.")
        distance = position if offset is None else offset
        if distance is None:
            raise TypeError("seek(): offset argument required")
        if whence not in (0, 1, 2):
            raise InvalidArgumentError(f"Invalid whence argument: {whence}. Valid values are 0, 1, or 2.")
        # Python's own text files cannot count from elsewhere than the start.
        origin = 0 if whence == 0 else self.tell() if whence == 1 else self.size()
        self._file.seek(origin + distance)

    def seekable(self) -> bool:
        """True: these are local files."""
        return bool(self._file.seekable())

    def tell(self) -> int:
        """The current position."""
        return int(self._file.tell())

    def size(self) -> int:
        """The size of the file in bytes."""
        self._file.flush()
        return os.path.getsize(self.name)

    def flush(self) -> None:
        """Passes buffered data to the operating system."""
        self._file.flush()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


@host_function
def read_file(filename: PathLike, name: str | None = None) -> np.ndarray:
    """Reads a file's bytes as a scalar string tensor. Raises NotFoundError, and ValueError without a name."""
    _require(filename, "tf.io.read_file", "a file's name")
    with file_errors(filename):
        name_of_file = local_path(filename)
        if not name_of_file:
            raise FileNotFoundError  # for Python the empty path is the present folder
        return np.array(Path(name_of_file).read_bytes(), dtype=object)


def write_file(filename: PathLike, contents: TensorLike, name: str | None = None) -> None:
    """Writes bytes, text or a scalar string tensor to a file; creates missing parent folders.

    Raises ValueError without a name or contents.
    """
    _require(filename, "tf.io.write_file", "a file's name")
    _require(contents, "tf.io.write_file", "the file's contents")
    content = contents.item() if isinstance(contents, np.ndarray) else contents
    path = Path(local_path(filename))
    with file_errors(filename):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)


def _require(value: TensorLike, function: str, what: str) -> None:
    if value is None:
        raise ValueError(f"{function} takes {what}, got None.")
