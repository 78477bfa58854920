"""The shards of a checkpoint: its data files, `PREFIX.data-00000-of-00001`, whose bytes are read where they are needed."""

import os
import stat
import weakref
from collections.abc import Iterator
from typing import BinaryIO, final

from stratagem._base.errors import DataLossError
from stratagem._base.paths import is_remote
from stratagem._base.storage import UNANSWERED, file_system
from stratagem._checkpoints.tensorflow._damage import damage

_CHUNK = 8 << 20
_READ = os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC  # O_NONBLOCK: a pipe must not make the reader wait forever


def open_regular(path: str) -> int:
    """A handle of a regular file. Raises DataLossError for anything else there, OSError."""
    handle = os.open(path, _READ)
    if not stat.S_ISREG(os.fstat(handle).st_mode):
        os.close(handle)
        raise damage(path, "it is not a regular file")
    return handle


def shard_path(prefix: str, number: int, count: int) -> str:
    """The path of one shard."""
    return f"{prefix}.data-{number:05d}-of-{count:05d}"


@final
class Shard:
    """One data file; here it stays readable after it is deleted or replaced. Raises DataLossError if there is none."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._remote: BinaryIO | None = None
        try:
            if is_remote(path):
                self._remote = file_system(path).open(path)
                self.size = self._remote.seek(0, os.SEEK_END)
                return
            self._handle = open_regular(path)
        except (FileNotFoundError, NotADirectoryError):
            raise damage(path, "it is missing") from None
        except IsADirectoryError:
            raise damage(path, "it is not a regular file") from None
        weakref.finalize(self, os.close, self._handle)
        self.size = os.fstat(self._handle).st_size

    def read(self, offset: int, size: int) -> bytes:
        """The bytes at a place. Raises DataLossError if they are not there."""
        return b"".join(self.chunks(offset, size))

    def chunks(self, offset: int, size: int) -> Iterator[bytes]:
        """The bytes at a place, some megabytes at a time. Raises DataLossError if they are not there."""
        self.demand(offset, size)
        while size:
            try:
                chunk = self._read(offset, min(size, _CHUNK))
            except (*UNANSWERED, PermissionError):
                raise  # of a remote file system; the file may be good
            except OSError as error:
                raise damage(self.path, f"the disk cannot read it: {error.strerror}") from error
            if not chunk:
                raise damage(self.path, "it was cut while it was read")
            yield chunk
            offset += len(chunk)
            size -= len(chunk)

    def demand(self, offset: int, size: int) -> None:
        """Raises DataLossError if the file has no such bytes."""
        if offset < 0 or size < 0 or offset + size > self.size:
            raise damage(self.path, f"it has {self.size} bytes, and a tensor of {size} at byte {offset}")

    def lost(self, problem: str) -> DataLossError:
        """The error for bytes of this file that are not what was written."""
        return damage(self.path, problem)

    def _read(self, offset: int, size: int) -> bytes:
        if self._remote is None:
            return os.pread(self._handle, size, offset)
        self._remote.seek(offset)
        return self._remote.read(size)
