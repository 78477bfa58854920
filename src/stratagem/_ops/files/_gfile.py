"""Functions on files under TensorFlow's names: `tf.io.gfile`, `tf.io.read_file`, `tf.io.write_file`."""

import contextlib
import glob as _glob
import io
import os
import posixpath
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
    UnimplementedError,
)
from stratagem._base.exports import exported
from stratagem._base.paths import StrPath, file_errors, is_remote, scheme_of
from stratagem._base.storage import OutputFile, checked_path, copy_file, file_system, glob_remote, schemes
from stratagem._base.types import PathLike
from stratagem._core.step import host_function


@exported("io.gfile.exists")
def exists(path: StrPath) -> bool:
    """Returns whether there is a file or folder at this path."""
    where = checked_path(path)
    return file_system(where).exists(where)


@exported("io.gfile.isdir")
def isdir(path: StrPath) -> bool:
    """Returns whether there is a folder at this path."""
    where = checked_path(path)
    return file_system(where).is_directory(where)


@exported("io.gfile.makedirs")
def makedirs(path: StrPath) -> None:
    """Creates a folder and its parents; an existing one is accepted."""
    with file_errors(path):
        where = checked_path(path)
        file_system(where).make_directories(where)


@exported("io.gfile.mkdir")
def mkdir(path: StrPath) -> None:
    """Creates one folder; an existing one is accepted. Raises NotFoundError (no parent) or FailedPreconditionError (a file)."""
    with file_errors(path):
        where = checked_path(path)
        if is_remote(where):
            file_system(where).make_directories(where)
        else:
            Path(where).mkdir(exist_ok=True)


@exported("io.gfile.rmtree")
def rmtree(path: StrPath) -> None:
    """Removes a folder and its contents. Raises NotFoundError."""
    with file_errors(path):
        where = checked_path(path)
        file_system(where).remove_tree(where)


@exported("io.gfile.remove")
def remove(path: StrPath) -> None:
    """Removes a file. Raises NotFoundError, or FailedPreconditionError for a folder."""
    with file_errors(path):
        where = checked_path(path)
        file_system(where).remove(where)


@exported("io.gfile.rename")
def rename(src: StrPath, dst: StrPath, overwrite: bool = False) -> None:
    """Moves a file or folder, on one file system. Object stores copy it, and then remove it.

    Raises AlreadyExistsError when `dst` exists, unless `overwrite`, and UnimplementedError between two file systems.
    """
    source, target = checked_path(src), checked_path(dst)
    if is_remote(source) != is_remote(target) or scheme_of(source) != scheme_of(target):
        raise UnimplementedError(
            f"Renaming {source} to {target} is not implemented: they are on two file systems. Copy it, and remove the first."
        )
    _refuse_existing(dst, overwrite)
    with file_errors(src):
        file_system(source).move(source, target)


@exported("io.gfile.copy")
def copy(src: StrPath, dst: StrPath, overwrite: bool = False) -> None:
    """Copies a file, also between file systems. Raises AlreadyExistsError when `dst` exists, unless `overwrite`."""
    source, target = checked_path(src), checked_path(dst)
    _refuse_existing(dst, overwrite)
    with file_errors(src):
        copy_file(source, target)


def _refuse_existing(path: StrPath, overwrite: bool) -> None:
    if exists(path) and not overwrite:
        raise AlreadyExistsError(f"{checked_path(path)} exists already. Pass overwrite=True to replace it.")


@exported("io.gfile.listdir")
def listdir(path: StrPath) -> list[str]:
    """The names in a folder, without `.` and `..`. Raises NotFoundError."""
    with file_errors(path):
        where = checked_path(path)
        return [*file_system(where).entries(where)]


@exported("io.gfile.glob")
def glob(pattern: StrPath | list[StrPath]) -> list[str]:
    """The paths that match one pattern or several, sorted."""
    patterns = pattern if isinstance(pattern, list | tuple) else [pattern]
    return sorted(
        {path for p in map(checked_path, patterns) for path in (glob_remote(p) if is_remote(p) else _glob.glob(p))}
    )


@exported("io.gfile.get_registered_schemes")
def get_registered_schemes() -> list[str]:
    """The kinds of paths that can be opened: plain ones and `file://`, and those that fsspec and installed packages have."""
    return ["", "file", *schemes()]


@exported("io.gfile.walk")
def walk(
    top: StrPath, topdown: bool = True, onerror: Callable[[OSError], None] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """Yields (folder, its subfolders, its files) for a folder and all folders below it."""
    where = checked_path(top)
    return _walk_remote(where, topdown, onerror) if is_remote(where) else os.walk(where, topdown, onerror)


def _walk_remote(
    top: str, topdown: bool, onerror: Callable[[OSError], None] | None
) -> Iterator[tuple[str, list[str], list[str]]]:
    try:
        entries = file_system(top).entries(top)
    except OSError as error:
        if onerror is not None:
            onerror(error)
        return
    found = top, [n for n, folder in entries.items() if folder], [n for n, folder in entries.items() if not folder]
    if topdown:
        yield found
    for name in found[1]:  # the caller may have removed some, as with os.walk
        yield from _walk_remote(posixpath.join(top, name), topdown, onerror)
    if not topdown:
        yield found


@exported("io.gfile.join")
def join(path: StrPath, *paths: StrPath) -> str:
    """Joins the parts to one path."""
    return os.path.join(os.fsdecode(path), *map(os.fsdecode, paths))


@dataclass(frozen=True)
class FileStatistics:
    """The result of `stat`."""

    length: int
    mtime_nsec: int
    is_directory: bool


@exported("io.gfile.stat")
def stat(path: StrPath) -> FileStatistics:
    """The size, modification time and kind of a file. Raises NotFoundError."""
    where = checked_path(path)
    with file_errors(path):
        found = file_system(where).status(where)
        if found is None:
            raise FileNotFoundError
    return FileStatistics(found.size, found.mtime_ns, found.is_directory)


@exported("io.gfile.GFile", v1=["gfile.FastGFile", "gfile.GFile", "gfile.Open"])
@final
class GFile:
    """A file in text mode, unless the mode has a `b`. It is opened at once: a missing file raises NotFoundError here.

    A remote file is read in pieces. One that is written is a file of this machine until `flush` or `close` uploads all of it.

    Raises InvalidArgumentError for modes other than r, w, a, each optionally with b or +. Reading a file that is open for
    writing only, or writing one that is open for reading, raises PermissionDeniedError.
    """

    def __init__(self, name: StrPath, mode: str = "r") -> None:
        self.name = checked_path(name)
        self.mode = mode
        if mode.replace("b", "", 1) not in ("r", "w", "a", "r+", "w+", "a+"):
            raise InvalidArgumentError(
                f"mode is not 'r' or 'w' or 'a' or 'r+' or 'w+' or 'a+' (each also with 'b'): {mode!r}"
            )
        with file_errors(name):
            text = {"encoding": None if "b" in mode else "utf-8", "newline": None if "b" in mode else ""}
            self._output: OutputFile | None = None
            if is_remote(self.name):
                self._file: Any = self._opened()
            else:
                self._file = open(self.name, mode, **text)  # type: ignore[call-overload]  # noqa: SIM115  # see close

    def _opened(self) -> Any:
        """The remote file, buffered, and as text if it is to be."""
        kind = self.mode.replace("b", "")
        if kind == "r":
            buffered: Any = file_system(self.name).open(self.name)
        else:
            self._output = file_system(self.name).create(self.name, kind)
            buffered = (io.BufferedRandom if "+" in kind else io.BufferedWriter)(self._output)
        return buffered if "b" in self.mode else io.TextIOWrapper(buffered, encoding="utf-8", newline="")

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

    def next(self) -> Any:
        """Reads the next line including its end. Raises StopIteration at the end of the file."""
        return next(self)

    def read(self, n: int = -1) -> Any:
        """Reads everything, or `n` characters (bytes in binary mode)."""
        with self._mode_errors():
            return self._file.read(n)

    def readline(self) -> Any:
        """Reads the next line including its end; empty at the end of the file."""
        with self._mode_errors():
            return self._file.readline()

    def readlines(self) -> list[Any]:
        """Reads all lines."""
        with self._mode_errors():
            return list(self._file.readlines())

    def write(self, file_content: Any) -> None:
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
        """True, for files of any file system."""
        return bool(self._file.seekable())

    def tell(self) -> int:
        """The current position."""
        return int(self._file.tell())

    def size(self) -> int:
        """The size of the file in bytes."""
        self._file.flush()
        if self._output is not None:
            return os.fstat(self._output.fileno()).st_size
        found = file_system(self.name).status(self.name)
        return 0 if found is None else found.size

    def flush(self) -> None:
        """Passes buffered data to the operating system; uploads a remote file."""
        self._file.flush()
        if self._output is not None:
            self._output.publish()

    def close(self) -> None:
        """Closes the file."""
        self._file.close()


@exported("io.read_file", v1=["read_file", "io.read_file"])
@host_function
def read_file(filename: PathLike, name: str | None = None) -> np.ndarray:
    """Reads a file's bytes as a scalar string tensor. Raises NotFoundError, and ValueError without a name."""
    _require(filename, "tf.io.read_file", "a file's name")
    with file_errors(filename):
        name_of_file = checked_path(filename)
        if not name_of_file:
            raise FileNotFoundError  # for Python the empty path is the present folder
        return np.array(file_system(name_of_file).read(name_of_file), dtype=object)


@exported("io.write_file", v1=["write_file", "io.write_file"])
def write_file(filename: PathLike, contents: Any, name: str | None = None) -> None:
    """Writes bytes, text or a scalar string tensor to a file; creates missing parent folders.

    Raises ValueError without a name or contents.
    """
    _require(filename, "tf.io.write_file", "a file's name")
    _require(contents, "tf.io.write_file", "the file's contents")
    content = contents.item() if isinstance(contents, np.ndarray) else contents
    data = content.encode() if isinstance(content, str) else content
    where = checked_path(filename)
    with file_errors(filename):
        if is_remote(where):
            file_system(where).write(where, data)
            return
        path = Path(where)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _require(value: Any, function: str, what: str) -> None:
    if value is None:
        raise ValueError(f"{function} takes {what}, got None.")
