"""Checksums, and safe reads of untrusted files, which follow no links."""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import final

import google_crc32c
import numpy as np

_CHUNK = 8 << 20
_DECAYED = {errno.EIO, errno.EBADMSG, errno.EUCLEAN}  # bad sectors, and checksum errors of the file system

# O_NONBLOCK: a pipe put in a file's place must not make the reader wait forever.
_READ = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


class UnreadableFileError(OSError):
    """A symbolic link, pipe, device or directory where a file is expected, or a file that the disk cannot read."""


def read_text(path: Path, limit: int) -> str:
    """The text of a regular file of at most `limit` bytes.

    Raises UnreadableFileError for anything but a regular file, ValueError for a longer file or one that is not UTF-8, OSError.
    """
    handle = _open(path)
    try:
        size = os.fstat(handle).st_size
        if size > limit:
            raise ValueError(f"it has {size} bytes, and more than {limit} are never written")
        return b"".join(iter(lambda: _read(handle), b"")).decode("utf-8")
    finally:
        os.close(handle)


@final
class OpenedFile:
    """A regular file that is read from its start. size: in bytes, when it was opened."""

    def __init__(self, handle: int) -> None:
        self._handle = handle
        self.size = os.fstat(handle).st_size

    def read(self, count: int) -> bytes:
        """The next bytes. Raises ValueError if there are fewer, UnreadableFileError if the disk cannot read them."""
        data = bytearray(count)
        self.read_into(np.frombuffer(data, np.uint8))
        return bytes(data)

    def read_into(self, target: np.ndarray) -> None:
        """Reads the next bytes into an array of bytes. Raises the same errors as `read`."""
        at = 0
        while at < target.size:
            with _decay_noticed():
                count = os.readv(self._handle, [target[at:].data])
            if not count:
                raise ValueError("it was cut while it was read")
            at += count


@contextlib.contextmanager
def opened(path: Path) -> Iterator[OpenedFile]:
    """Opens a regular file to read it. Raises the same errors as `read_text`."""
    handle = _open(path)
    try:
        yield OpenedFile(handle)
    finally:
        os.close(handle)


def size_of(path: Path) -> int:
    """The size of a regular file in bytes. Raises the same errors as `read_text`."""
    handle = _open(path)
    try:
        return os.fstat(handle).st_size
    finally:
        os.close(handle)


def checksum_of(path: Path) -> tuple[int, str]:
    """The size in bytes and the CRC-32C of a regular file. Raises the same errors as `read_text`."""
    handle = _open(path)
    try:
        size = crc = 0
        while chunk := _read(handle):
            size += len(chunk)
            crc = google_crc32c.extend(crc, chunk)
    finally:
        os.close(handle)
    return size, f"{crc:08x}"


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
