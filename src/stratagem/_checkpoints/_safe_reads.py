"""Checksums, and safe reads of untrusted files, which follow no links."""

import contextlib
import errno
import os
import stat
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import final

import google_crc32c
import numpy as np

from stratagem._base.paths import is_remote
from stratagem._base.storage import file_system

_CHUNK = 8 << 20
_DECAYED = {errno.EIO, errno.EBADMSG, errno.EUCLEAN}  # bad sectors, and checksum errors of the file system

# O_NONBLOCK: a pipe put in a file's place must not make the reader wait forever.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class UnreadableFileError(OSError):
    """A symbolic link, pipe, device or directory where a file is expected, or a file that the disk cannot read."""


def read_text(path: str, limit: int) -> str:
    """The text of a regular file of at most `limit` bytes.

    Raises UnreadableFileError for anything but a regular file, ValueError for a longer file or one that is not UTF-8, OSError.
    """
    if is_remote(path):
        with _remote_errors():
            return file_system(path).read(path, limit).decode("utf-8")
    handle = _open(Path(path))
    try:
        size = os.fstat(handle).st_size
        if size > limit:
            raise ValueError(f"it has {size} bytes, and more than {limit} are never written")
        return b"".join(iter(lambda: _read(handle), b"")).decode("utf-8")
    finally:
        os.close(handle)


@final
class OpenedFile:
    """A regular file that is read. size: in bytes, when it was opened. fill: reads bytes from a place on. concurrent: whether
    several threads may read at once.
    """

    def __init__(self, size: int, fill: Callable[[memoryview, int], int], *, concurrent: bool) -> None:
        self.size, self._fill, self.concurrent = size, fill, concurrent

    def read(self, count: int, start: int) -> bytes:
        """The bytes from a place on. Raises ValueError if there are fewer, UnreadableFileError if the disk cannot read them."""
        data = bytearray(count)
        self.read_into(np.frombuffer(data, np.uint8), start)
        return bytes(data)

    def read_into(self, target: np.ndarray, start: int) -> None:
        """Reads bytes from a place on into an array of bytes. Raises the same errors as `read`."""
        at = 0
        while at < target.size:
            with _decay_noticed():
                count = self._fill(target[at:].data, start + at)
            if not count:
                raise ValueError("it was cut while it was read")
            at += count


@contextlib.contextmanager
def opened(path: str) -> Iterator[OpenedFile]:
    """Opens a regular file to read it. Raises the same errors as `read_text`."""
    if is_remote(path):
        with _remote_errors(), file_system(path).open(path) as file:
            size = file.seek(0, os.SEEK_END)

            def fill(target: memoryview, start: int) -> int:
                file.seek(start)
                return int(file.readinto(target))

            yield OpenedFile(size, fill, concurrent=False)
        return
    handle = _open(Path(path))
    try:
        size = os.fstat(handle).st_size
        yield OpenedFile(size, lambda target, start: os.preadv(handle, [target], start), concurrent=True)
    finally:
        os.close(handle)


def size_of(path: str) -> int:
    """The size of a regular file in bytes. Raises the same errors as `read_text`."""
    if is_remote(path):
        status = file_system(path).status(path)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if status.is_directory:
            raise UnreadableFileError("it is not a regular file")
        return status.size
    handle = _open(Path(path))
    try:
        return os.fstat(handle).st_size
    finally:
        os.close(handle)


def checksum_of(path: str, copy: Path | None = None) -> tuple[int, str]:
    """The size in bytes and the CRC-32C of a regular file. Raises the same errors as `read_text`.

    copy: a file to write the bytes to.
    """
    size = crc = 0
    with open(os.devnull if copy is None else copy, "wb") as target:
        for chunk in _remote_chunks(path) if is_remote(path) else _chunks(Path(path)):
            size += len(chunk)
            crc = google_crc32c.extend(crc, chunk)
            if copy is not None:
                target.write(chunk)
    return size, f"{crc:08x}"


def _chunks(path: Path) -> Iterator[bytes]:
    handle = _open(path)
    try:
        while chunk := _read(handle):
            yield chunk
    finally:
        os.close(handle)


def _remote_chunks(path: str) -> Iterator[bytes]:
    with _remote_errors(), file_system(path).open(path) as file:
        while chunk := file.read(_CHUNK):
            yield chunk


@contextlib.contextmanager
def _remote_errors() -> Iterator[None]:
    """Converts the error for a folder in a file's place into this module's."""
    try:
        yield
    except IsADirectoryError as error:
        raise UnreadableFileError("it is not a regular file") from error


def checksum(data: object) -> str:
    """The CRC-32C of bytes, of a text or of an array in C order, as eight hexadecimal digits."""
    return f"{google_crc32c.value(data.encode() if isinstance(data, str) else data):08x}"


def _read(handle: int) -> bytes:
    with _decay_noticed():
        return os.read(handle, _CHUNK)


@contextlib.contextmanager
def _decay_noticed() -> Iterator[None]:
    """Raises UnreadableFileError for what shows that the disk cannot read a file."""
    try:
        yield
    except OSError as error:
        if error.errno in _DECAYED:
            raise UnreadableFileError(f"the disk cannot read it: {error.strerror}") from error
        raise


def _open(path: Path) -> int:
    try:
        handle = os.open(path, _READ)
    except OSError as error:
        if path.is_symlink():
            raise UnreadableFileError("it is a symbolic link") from error
        if path.exists() and not path.is_file():
            raise UnreadableFileError("it is not a regular file") from error
        raise
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise UnreadableFileError("it is not a regular file")
    return handle
