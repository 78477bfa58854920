"""Files that come from a remote file system, or go to one, for code that works with files of this machine only."""

import contextlib
import errno
import os
import posixpath
import shutil
import tempfile
import weakref
from collections.abc import Iterator
from typing import final

from stratagem._base.paths import is_remote, scheme_of
from stratagem._base.storage._choice import file_system, remote


@contextlib.contextmanager
def copied(path: str) -> Iterator[str]:
    """The path itself on this machine; else, in the body, that of a copy of the file or folder, with the same name.

    Raises FileNotFoundError if there is nothing, and other errors of FileSystem.
    """
    if not is_remote(path):
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="stratagem-copy-") as folder:
        copy = os.path.join(folder, posixpath.basename(path.rstrip("/")) or "root")
        download(path, copy)
        yield copy


@final
class LocalCopy:
    """A copy of a remote file or folder on this machine, with the same name, which is removed with this object.

    Raises FileNotFoundError if there is nothing, and other errors of FileSystem.
    """

    def __init__(self, path: str) -> None:
        folder = tempfile.mkdtemp(prefix="stratagem-copy-")
        weakref.finalize(self, shutil.rmtree, folder, ignore_errors=True)
        self.path = os.path.join(folder, posixpath.basename(path.rstrip("/")) or "root")
        download(path, self.path)


@contextlib.contextmanager
def uploaded(path: str) -> Iterator[str]:
    """The path itself on this machine; else that of a file or folder of this machine, uploaded when the body is done.

    A body that raises leaves what is at `path` as it was.
    """
    if not is_remote(path):
        yield path
        return
    remote(scheme_of(path))  # raises if nothing could be uploaded
    with tempfile.TemporaryDirectory(prefix="stratagem-copy-") as folder:
        copy = os.path.join(folder, posixpath.basename(path.rstrip("/")) or "root")
        yield copy
        if os.path.lexists(copy):
            upload(copy, path)


def download(path: str, copy: str) -> None:
    """Copies a remote file, or a folder with everything in it, to this machine."""
    files = remote(scheme_of(path))
    status = files.status(path)
    if status is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
    if not status.is_directory:
        files.download(path, copy)
        return
    os.makedirs(copy, exist_ok=True)
    for name in files.entries(path):
        if name in ("", ".", "..") or "/" in name or "\0" in name:
            raise ValueError(f"{path!r} has an entry {name!r}, which is no name of a file here")
        download(posixpath.join(path, name), os.path.join(copy, name))


def upload(copy: str, path: str, last: str = "") -> None:
    """Copies a file, or a folder with everything in it, to a remote file system.

    last: the name of a file in the folder that refers to the others: it is uploaded after them, by one request.
    """
    files = remote(scheme_of(path))
    if os.path.isfile(copy):
        files.upload(copy, path)
        return
    names = sorted(os.path.join(folder, name) for folder, _, names in os.walk(copy) for name in names)
    names.sort(key=lambda name: name == os.path.join(copy, last))
    for name in names:
        below = os.path.relpath(name, copy).replace(os.sep, "/")
        files.upload(name, posixpath.join(path, below))


def copy_file(source: str, target: str) -> None:
    """Copies a file, between any two file systems."""
    if is_remote(source) and scheme_of(source) == scheme_of(target):
        remote(scheme_of(source)).copy(source, target)
        return
    if file_system(source).is_directory(source):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), source)
    if is_remote(target):
        with copied(source) as local:
            upload(local, target)
    elif is_remote(source):
        download(source, target)
    else:
        shutil.copyfile(source, target)
