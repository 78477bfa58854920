"""Local files under TensorFlow's names: `tf.io.gfile`, `tf.io.read_file`, `tf.io.write_file`."""

import contextlib
import glob as _glob
import os
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, final

import numpy as np

from stratagem._errors import FailedPreconditionError, NotFoundError

StrPath = str | bytes | os.PathLike[str]


@contextlib.contextmanager
def _tf_errors(path: StrPath) -> Iterator[None]:
    """Python's file errors as TF's, which user code catches."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{_text(path)}: no such file or directory") from error
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise FailedPreconditionError(f"{_text(path)}: {error.strerror}") from error


def _text(path: Any) -> str:
    """A path given as str, bytes, PathLike or string tensor."""
    if isinstance(path, np.ndarray):
        path = path.item()
    return os.fsdecode(path)


def exists(path: StrPath) -> bool:
    """True for a file or folder."""
    return os.path.exists(_text(path))


def isdir(path: StrPath) -> bool:
    """True for a folder."""
    return os.path.isdir(_text(path))


def makedirs(path: StrPath) -> None:
    """Make a folder and those above it; one that exists is fine."""
    with _tf_errors(path):
        os.makedirs(_text(path), exist_ok=True)


def mkdir(path: StrPath) -> None:
    """Make one folder. Raises NotFoundError without its parent, FailedPreconditionError if it exists."""
    with _tf_errors(path):
        os.mkdir(_text(path))


def rmtree(path: StrPath) -> None:
    """Remove a folder and what is in it. Raises NotFoundError."""
    with _tf_errors(path):
        shutil.rmtree(_text(path))


def remove(path: StrPath) -> None:
    """Remove a file. Raises NotFoundError, or FailedPreconditionError for a folder."""
    with _tf_errors(path):
        os.remove(_text(path))


def rename(src: StrPath, dst: StrPath, overwrite: bool = False) -> None:
    """Move a file or folder. Raises FailedPreconditionError when `dst` exists, unless `overwrite`."""
    _refuse_existing(dst, overwrite)
    with _tf_errors(src):
        os.replace(_text(src), _text(dst))


def copy(src: StrPath, dst: StrPath, overwrite: bool = False) -> None:
    """Copy a file. Raises FailedPreconditionError when `dst` exists, unless `overwrite`."""
    _refuse_existing(dst, overwrite)
    with _tf_errors(src):
        shutil.copyfile(_text(src), _text(dst))


def _refuse_existing(path: StrPath, overwrite: bool) -> None:
    if exists(path) and not overwrite:
        raise FailedPreconditionError(f"{_text(path)} exists already. Pass overwrite=True to replace it.")


def listdir(path: StrPath) -> list[str]:
    """The names in a folder, without `.` and `..`. Raises NotFoundError."""
    with _tf_errors(path):
        return os.listdir(_text(path))


def glob(pattern: StrPath | list[StrPath]) -> list[str]:
    """The paths that match one pattern or several, sorted."""
    patterns = pattern if isinstance(pattern, list | tuple) else [pattern]
    return sorted({path for p in patterns for path in _glob.glob(_text(p))})


def walk(
    top: StrPath, topdown: bool = True, onerror: Callable[[OSError], None] | None = None
) -> Iterator[tuple[str, list[str], list[str]]]:
    """(folder, folders in it, files in it) for a folder and all below it."""
    return os.walk(_text(top), topdown, onerror)


def join(path: StrPath, *paths: StrPath) -> str:
    """The parts as one path."""
    return os.path.join(_text(path), *map(_text, paths))


@dataclass(frozen=True)
class FileStatistics:
    """What `stat` returns."""

    length: int
    mtime_nsec: int
    is_directory: bool


def stat(path: StrPath) -> FileStatistics:
    """Size, time of the last change, and kind. Raises NotFoundError."""
    with _tf_errors(path):
        found = os.stat(_text(path))
    return FileStatistics(found.st_size, found.st_mtime_ns, isdir(path))


@final
class GFile:
    """A local file. Text, unless the mode has a `b`. Opened at once: a missing file raises NotFoundError here."""

    def __init__(self, name: StrPath, mode: str = "r") -> None:
        self.name = _text(name)
        self.mode = mode
        with _tf_errors(name):
            text = {"encoding": None if "b" in mode else "utf-8", "newline": None if "b" in mode else ""}
            self._file: Any = open(self.name, mode, **text)  # type: ignore[call-overload]  # noqa: SIM115  # see close

    def __enter__(self) -> "GFile":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __iter__(self) -> Iterator[Any]:
        return iter(self._file)

    def read(self, n: int = -1) -> Any:
        """Everything, or `n` characters (bytes in binary mode)."""
        return self._file.read(n)

    def readline(self) -> Any:
        """The next line with its end; empty at the end of the file."""
        return self._file.readline()

    def readlines(self) -> list[Any]:
        """All lines."""
        return list(self._file.readlines())

    def write(self, file_content: Any) -> None:
        """Write text (bytes in binary mode)."""
        self._file.write(file_content)

    def seek(self, offset: int, whence: int = 0) -> None:
        """Go to a position."""
        self._file.seek(offset, whence)

    def tell(self) -> int:
        """The position."""
        return int(self._file.tell())

    def size(self) -> int:
        """The file's size in bytes."""
        self._file.flush()
        return os.path.getsize(self.name)

    def flush(self) -> None:
        """Hand what was written to the system."""
        self._file.flush()

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def read_file(filename: Any, name: str | None = None) -> np.ndarray:
    """A file's bytes, as a scalar string tensor. Raises NotFoundError."""
    with _tf_errors(filename):
        return np.array(Path(_text(filename)).read_bytes(), dtype=object)


def write_file(filename: Any, contents: Any, name: str | None = None) -> None:
    """Write bytes, text or a scalar string tensor to a file; folders above it are made."""
    content = contents.item() if isinstance(contents, np.ndarray) else contents
    path = Path(_text(filename))
    with _tf_errors(filename):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
