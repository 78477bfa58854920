"""The bytes of a file from some place on, decompressed where the file is compressed."""

import abc
import os
import zlib
from typing import final

from stratagem._errors import DataLossError, FailedPreconditionError, InvalidArgumentError, NotFoundError

# What zlib calls the format: window bits, plus 16 for gzip's header.
WINDOW_BITS = {"GZIP": 31, "ZLIB": 15}


class ByteReader(abc.ABC):
    """An open file. `read` gives the next bytes, `size` or fewer; nothing at the end."""

    @abc.abstractmethod
    def read(self, size: int) -> bytes:
        """The next bytes.

        Raises:
            DataLossError: they cannot be decompressed; the text does not name the file.
        """

    @abc.abstractmethod
    def close(self) -> None:
        """Close the file."""


def checked_compression(compression_type: object) -> str:
    """ "", "GZIP" or "ZLIB"; None is "".

    Raises:
        InvalidArgumentError: something else.
    """
    if compression_type is None or compression_type == "":
        return ""
    if compression_type not in WINDOW_BITS:
        raise InvalidArgumentError(f'Unsupported compression_type {compression_type!r}. Use "", "GZIP" or "ZLIB".')
    return str(compression_type)


def open_bytes(file: str, compression: str, offset: int) -> ByteReader:
    """Open a file at byte `offset` of what it holds.

    Raises:
        NotFoundError, FailedPreconditionError: there is no such file; it is a folder.
        DataLossError: it ends before `offset`; the text does not name the file.
    """
    try:
        return _Inflated(file, WINDOW_BITS[compression], offset) if compression else _Plain(file, offset)
    except FileNotFoundError as error:
        raise NotFoundError(f"{file}; No such file or directory") from error
    except IsADirectoryError as error:
        raise FailedPreconditionError(f"{file}; Is a directory. Name the files in it, e.g. with a pattern.") from error


@final
class _Plain(ByteReader):
    def __init__(self, file: str, offset: int) -> None:
        self._file = open(file, "rb", buffering=0)  # noqa: SIM115  # see close; read in large pieces, so no buffer
        if offset and offset > os.fstat(self._file.fileno()).st_size:
            self._file.close()
            raise _shorter()
        self._file.seek(offset)

    def read(self, size: int) -> bytes:
        return self._file.read(size) or b""

    def close(self) -> None:
        self._file.close()


@final
class _Inflated(ByteReader):
    """Decompresses on from the start of the file: compressed data cannot be entered in the middle."""

    _PIECE = 1 << 18

    def __init__(self, file: str, window_bits: int, offset: int) -> None:
        self._window_bits = window_bits
        self._file = open(file, "rb", buffering=0)  # noqa: SIM115  # see close
        self._inflate = zlib.decompressobj(window_bits)
        self._waiting = b""
        while offset:
            skipped = self.read(min(offset, self._PIECE))
            if not skipped:
                self.close()
                raise _shorter()
            offset -= len(skipped)

    def read(self, size: int) -> bytes:
        while True:
            fresh = self._waiting or self._file.read(self._PIECE) or b""
            if self._inflate.eof and fresh:
                # Several compressed streams one after another are one file.
                self._inflate = zlib.decompressobj(self._window_bits)
            elif self._inflate.eof:
                return b""
            found = self._inflated(fresh, size)
            if found:
                return found
            if not fresh and not self._inflate.eof:
                return self._ended_early()

    def _inflated(self, fresh: bytes, size: int) -> bytes:
        try:
            found = self._inflate.decompress(fresh, size)
        except zlib.error as error:
            raise DataLossError(f"The file cannot be decompressed ({error})") from error
        self._waiting = self._inflate.unused_data if self._inflate.eof else self._inflate.unconsumed_tail
        return found

    def _ended_early(self) -> bytes:
        if self._file.tell() == 0:
            return b""  # an empty file holds nothing, compressed or not
        raise DataLossError("The file is truncated: its compressed data has no end")

    def close(self) -> None:
        self._file.close()


def _shorter() -> DataLossError:
    return DataLossError("The file was changed since this place in it was saved: it is shorter")
