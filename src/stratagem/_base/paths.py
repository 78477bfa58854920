"""Converts the paths that programs give to paths of this machine, and file system errors to TensorFlow's."""

import contextlib
import os
import re
from collections.abc import Iterator

import numpy as np

from stratagem._base.errors import FailedPreconditionError, NotFoundError, PermissionDeniedError, UnimplementedError
from stratagem._base.types import PathLike

StrPath = str | bytes | os.PathLike[str]

# The scheme as TensorFlow parses it. PathLike objects need another pattern: `Path("gs://bucket")` becomes `gs:/bucket`.
_SCHEME = re.compile(r"([a-zA-Z][0-9a-zA-Z.]*)://")
_SCHEME_OF_PATHLIB = re.compile(r"([a-zA-Z][0-9a-zA-Z.]+):/")


def local_path(path: PathLike) -> str:
    """The local path that `path` names: text, bytes, a PathLike or a string tensor. `file:///a/b` is `/a/b`.

    Raises:
        UnimplementedError: it has another scheme, such as `gs://` or `ram://`, which would become a folder here.
        TypeError: it is not a path.
    """
    given = path.item() if isinstance(path, np.ndarray) else path
    text = os.fsdecode(given)
    found = (_SCHEME_OF_PATHLIB if isinstance(given, os.PathLike) else _SCHEME).match(text)
    if found is None:
        return text
    rest = text[found.end() :]
    if found[1] == "file":
        return f"/{rest}" if isinstance(given, os.PathLike) else rest[rest.find("/") :]  # a host may come first
    raise UnimplementedError(
        f"{text}: File system scheme {found[1]!r} is not implemented: only files of this machine are read and written (nothing "
        "has been). Mount the storage as a folder and name that, or copy: files that are read before the program starts, those "
        "that it wrote after it has ended."
    )


@contextlib.contextmanager
def file_errors(path: PathLike) -> Iterator[None]:
    """Converts the operating system's file errors in the body into TensorFlow's errors, which user code catches.

    Raises:
        NotFoundError: the file does not exist.
        FailedPreconditionError: a folder is where a file should be, or the other way round.
        PermissionDeniedError: access is not allowed.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{local_path(path)}: no such file or directory") from error
    except (FileExistsError, IsADirectoryError, NotADirectoryError) as error:
        raise FailedPreconditionError(f"{local_path(path)}: {error.strerror}") from error
    except PermissionError as error:
        raise PermissionDeniedError(f"{local_path(path)}: {error.strerror}") from error
