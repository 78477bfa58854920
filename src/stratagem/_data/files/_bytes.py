"""Reads the bytes of a file from some offset on, decompressing it if necessary."""

import abc
import contextlib
import os
import stat
import zlib
from collections.abc import Iterator
from typing import BinaryIO, final

from stratagem._base.errors import (
    DataLossError,
    FailedPreconditionError,
    InvalidArgumentError,
    NotFoundError,
    PermissionDeniedError,
)
from stratagem._base.paths import is_remote
from stratagem._base.storage import file_system

# zlib's codes for the formats: window bits, plus 16 for gzip's header.
WINDOW_BITS = {"GZIP": 31, "ZLIB": 15}


class ByteReader(abc.ABC):
    """An open file. `read` returns the next bytes, at most `size`; none at the end."""

    @abc.abstractmethod
    def read(self, size: int) -> bytes:
        """Reads the next bytes.

        Raises:
            DataLossError: they cannot be read or decompressed; the text does not name the file.
        """

    @property
    @abc.abstractmethod
    def left(self) -> int | None:
        """The number of remaining bytes, if known."""

    @abc.abstractmethod
    def close(self) -> None:
        """Closes the file."""


def checked_compression(compression_type: object) -> str:
    """The compression as "", "GZIP" or "ZLIB"; None becomes "".

    Raises:
        InvalidArgumentError: something else.
    """
    if compression_type is None or compression_type == "":
        return ""
    if compression_type not in WINDOW_BITS:
        raise InvalidArgumentError(f'Unsupported compression_type {compression_type!r}. Use "", "GZIP" or "ZLIB".')
    return str(compression_type)


def open_bytes(file: str, compression: str, offset: int) -> ByteReader:
    """Opens a file at byte `offset` of its decompressed contents.

    Raises:
        DataLossError: it ends before `offset`; the text does not name the file.
        NotFoundError, FailedPreconditionError, PermissionDeniedError, InvalidArgumentError: see `open_errors`.
    """
    with open_errors(file):
        return _Inflated(file, WINDOW_BITS[compression], offset) if compression else _PlainReader(file, offset)


@contextlib.contextmanager
def open_errors(file: str, *, hint: str = "") -> Iterator[None]:
    """Converts errors of opening a file in the body to TensorFlow's. hint: advice for the case that it does not exist.

    Raises:
        NotFoundError, FailedPreconditionError: there is no such file; it is a folder, or a file is in a folder's place.
        PermissionDeniedError, InvalidArgumentError: access is not allowed; the name is not valid for a file.
    """
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError(f"{file}; No such file or directory{hint}") from error
    except IsADirectoryError as error:
        raise FailedPreconditionError(f"{file}; Is a directory. Name the files in it, e.g. with a pattern.") from error
    except NotADirectoryError as error:
        raise FailedPreconditionError(f"{file}; Not a directory: a part of this path is a file.") from error
    except PermissionError as error:
        raise PermissionDeniedError(f"{file}; Permission denied. Who runs this program must be allowed to.") from error
    except ValueError as error:
        raise InvalidArgumentError(f"{file!r} is no name of a file ({error}).") from error


def _opened(file: str) -> BinaryIO:
    """The file; one of this machine without a buffer, because it is read in large pieces."""
    return file_system(file).open(file) if is_remote(file) else open(file, "rb", buffering=0)


def _size(file: BinaryIO) -> int:
    return file.seek(0, os.SEEK_END)


def _read(file: BinaryIO, size: int) -> bytes:
    try:
        return file.read(size) or b""
    except OSError as error:
        raise DataLossError(f"The system cannot read the file on ({error})") from error


@final
class _PlainReader(ByteReader):
    def __init__(self, file: str, offset: int) -> None:
        self._file = _opened(file)
        self._size = _size(self._file) if is_remote(file) else None
        if offset and offset > (os.fstat(self._file.fileno()).st_size if self._size is None else self._size):
            self._file.close()
            raise _shortened_error()
        self._file.seek(offset)

    def read(self, size: int) -> bytes:
        return _read(self._file, size)

    @property
    def left(self) -> int | None:
        if self._size is not None:
            return self._size - self._file.tell()
        facts = os.fstat(self._file.fileno())
        return facts.st_size - self._file.tell() if stat.S_ISREG(facts.st_mode) else None

    def close(self) -> None:
        self._file.close()


@final
class _Inflated(ByteReader):
    """Decompresses from the start of the file, because compressed data cannot be entered in the middle."""

    _PIECE = 1 << 18

    def __init__(self, file: str, window_bits: int, offset: int) -> None:
        self._window_bits = window_bits
        self._file = _opened(file)
        self._inflate = zlib.decompressobj(window_bits)
        self._waiting = b""
        self._error: DataLossError | None = None
        try:
            self._skip(offset)
        except DataLossError:
            self.close()
            raise

    def _skip(self, offset: int) -> None:
        while offset:
            skipped = self.read(min(offset, self._PIECE))
            if not skipped:
                raise _shortened_error()
            offset -= len(skipped)

    def read(self, size: int) -> bytes:
        while True:
            if self._error is not None:
                raise self._error
            fresh = self._waiting or _read(self._file, self._PIECE)
            if self._inflate.eof and fresh:
                # A file may consist of several compressed streams.
                self._inflate = zlib.decompressobj(self._window_bits)
            elif self._inflate.eof:
                return b""
            found = self._inflated(fresh, size)
            if found:
                return found
            if not fresh and not self._inflate.eof:
                return self._ended_early()

    @property
    def left(self) -> int | None:
        return None

    def _inflated(self, fresh: bytes, size: int) -> bytes:
        before = self._inflate.copy()
        try:
            found = self._inflate.decompress(fresh, size)
        except zlib.error as error:
            self._error = DataLossError(f"The file cannot be decompressed ({error})")
            self._error.__cause__ = error
            return _until_error(before, fresh)
        self._waiting = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
        return found

    def _ended_early(self) -> bytes:
        if self._file.tell() == 0:
            return b""  # an empty file is valid, compressed or not
        raise DataLossError("The file is truncated: its compressed data has no end")

    def close(self) -> None:
        self._file.close()


def _until_error(inflate: "zlib._Decompress", data: bytes) -> bytes:
    """The data decompressed before the error that `data` leads to, which zlib itself does not return."""
    found = []
    with contextlib.suppress(zlib.error):
        for at in range(len(data)):
            found.append(inflate.decompress(data[at : at + 1]))
    return b"".join(found)


def _shortened_error() -> DataLossError:
    return DataLossError("The file was changed since this place in it was saved: it is shorter")
