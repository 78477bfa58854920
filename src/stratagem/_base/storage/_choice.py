"""The choice of a file system: that of a path."""

import functools

from stratagem._base.paths import any_path, is_remote, scheme_of
from stratagem._base.storage._file_system import FileSystem
from stratagem._base.storage._local import LocalFileSystem
from stratagem._base.storage._remote import RemoteFileSystem
from stratagem._base.types import PathLike

_LOCAL = LocalFileSystem()


def file_system(path: str) -> FileSystem:
    """The file system of a path that `any_path` has returned.

    Raises UnimplementedError for a scheme whose package, or fsspec, is not installed.
    """
    return remote(scheme_of(path)) if is_remote(path) else _LOCAL


def checked_path(path: PathLike) -> str:
    """The path that `path` names, as `any_path` does, once its file system is known to be there.

    Raises the errors of `any_path`, and UnimplementedError for a scheme whose package, or fsspec, is not installed.
    """
    text = any_path(path)
    file_system(text)
    return text


@functools.cache
def remote(scheme: str) -> RemoteFileSystem:
    """The file system of a scheme. Raises UnimplementedError as `file_system`."""
    return RemoteFileSystem(scheme)
