"""HDF5 files as another process has rewritten them: read, and written again, once for each load of a model."""

import contextlib
import fcntl
import io
import json
import os
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final, final

import h5py

from stratagem._base.errors import DataLossError
from stratagem._base.reader_process import Limits, Reader, answers
from stratagem._base.spliced_file import Excerpt, SplicedFile

_READER: Final = Reader("_private/_hdf5_reader.py", bare=("stratagem",))
_LONGEST: Final = 60.0  # seconds for any files; a usual one takes 0.15, most of which start the process
_SPEED: Final = 20 << 20  # and a second for so many bytes, which may be compressed, or on a slow disk
_MEMORY: Final = 1 << 30  # bytes, for what is packed in any files
_UNFOLDED: Final = 16  # and so many for each of their bytes
_NO_LOCKS: Final = ("FALSE", "0")
_COMPARED: Final = 1 << 16  # bytes
_LOCAL_HEADER: Final = 30  # bytes before the name of an archive's part

# What the system says of a file, which changes whenever it does: no program can set the last of its times.
FileIdentity = tuple[int, ...]


def file_identity(path: str) -> FileIdentity:
    """Returns what tells a file from all others, and from what it was before or will be after a change."""
    found = os.stat(path)
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@final
@dataclass(frozen=True)
class _Given:
    """HDF5 that is to be read: `size` bytes of an open file, which begin at `at`. name: for errors."""

    file: io.FileIO
    at: int
    size: int
    name: str


@final
@dataclass(frozen=True)
class RewrittenHDF5:
    """HDF5 as the other process wrote it: `structure` is a new file, of which some `excerpts` are still in the given one."""

    structure: io.FileIO
    given: io.FileIO
    excerpts: tuple[Excerpt, ...]

    def opened(self) -> h5py.File:
        """Opens it, for as long as the caller wants."""
        return _RewrittenFile(SplicedFile(self.structure.fileno(), self.given.fileno(), self.excerpts))


@final
class _RewrittenFile(h5py.File):  # type: ignore[misc]
    """An HDF5 file that closes what it is read from."""

    def __init__(self, content: SplicedFile) -> None:
        super().__init__(content, "r")
        self._finalizer = weakref.finalize(self, content.close)
        self._finalizer.atexit = False

    def close(self) -> None:
        super().close()
        self._finalizer()


@final
class HDF5Load:
    """The files of one load of a model or of weights: each is rewritten once, although it is opened several times."""

    def __init__(self, path: str, files: contextlib.ExitStack) -> None:
        """path: what is loaded: a file, or an archive with one. files: whose end closes what this opens."""
        self.path = path
        self._files = files
        self._rewritten: dict[tuple[FileIdentity, int], RewrittenHDF5] = {}
        self._refusal = ""

    def of_paths(self, paths: Sequence[str]) -> list[RewrittenHDF5]:
        """Returns what files became; one process reads all of them that are not known yet."""
        keys = [(file_identity(path), 0) for path in paths]
        missing = {key: path for key, path in zip(keys, paths, strict=True) if key not in self._rewritten}
        given = [_Given(self._opened(path), 0, os.path.getsize(path), path) for path in missing.values()]
        self._rewritten.update(zip(missing, self._rewrite(given), strict=True))
        return [self._rewritten[key] for key in keys]

    def of_stream(self, stream: Any) -> RewrittenHDF5:
        """Returns what became of an open file. Keras makes a second attempt at what was refused, another way."""
        if self._refusal:
            raise DataLossError(self._refusal)
        given = self._part(stream)
        if given is None:
            copy = self._files.enter_context(_unnamed())
            stream.seek(0)
            shutil.copyfileobj(stream, copy, 1 << 24)
            return self._rewrite([_Given(copy, 0, os.fstat(copy.fileno()).st_size, self.path)])[0]
        key = (file_identity(self.path), given.at)
        if key not in self._rewritten:
            self._rewritten[key] = self._rewrite([given])[0]
        return self._rewritten[key]

    def _opened(self, path: str) -> io.FileIO:
        file = self._files.enter_context(io.FileIO(path))
        _lock(file)
        return file

    def _part(self, stream: Any) -> _Given | None:
        """Returns where in an archive that is loaded the bytes of an open file are, if they are there as they are."""
        size = stream.seek(0, os.SEEK_END)
        stream.seek(0)
        head = stream.read(_COMPARED)
        if not zipfile.is_zipfile(self.path):
            return None
        file = self._opened(self.path)
        with zipfile.ZipFile(self.path) as archive:
            parts = [each for each in archive.infolist() if each.file_size == size]
        for each in parts:
            header = os.pread(file.fileno(), _LOCAL_HEADER, each.header_offset)
            lengths = [
                int.from_bytes(header[i : i + 2], "little") for i in (26, 28)
            ]  # of its name, and of more about it
            at = each.header_offset + _LOCAL_HEADER + sum(lengths)
            if each.compress_type == zipfile.ZIP_STORED and os.pread(file.fileno(), len(head), at) == head:
                return _Given(file, at, size, self.path)
        return None

    def _rewrite(self, given: Sequence[_Given]) -> list[RewrittenHDF5]:
        size = sum(each.size for each in given)
        largest = _MEMORY + _UNFOLDED * size
        limits = Limits(_LONGEST + size / _SPEED, 3 * largest)  # an array as it is packed, unpacked, and written
        structures = [self._files.enter_context(_unnamed()) for _ in given]
        requests = [
            {"source": a.file.fileno(), "at": a.at, "size": a.size, "target": b.fileno(), "largest": largest}
            for a, b in zip(given, structures, strict=True)
        ]
        handles = {each[name] for each in requests for name in ("source", "target")}
        answered = answers(_READER, [json.dumps(each).encode() for each in requests], limits, handles=sorted(handles))
        made = []
        for each, structure, answer in zip(given, structures, answered, strict=True):
            facts: dict[str, Any] = json.loads(answer) if isinstance(answer, bytes) else {"problem": _warning(answer)}
            if "problem" in facts:
                self._refusal = f"{each.name!r} is no HDF5 file, or a damaged one: {facts['problem']}"
                raise DataLossError(self._refusal)
            excerpts = tuple(Excerpt(at, length, each.at + source) for at, length, source in facts["excerpts"])
            made.append(RewrittenHDF5(structure, each.file, excerpts))
        return made


def _lock(file: io.FileIO) -> None:
    """Keeps writers away while a file is read, as HDF5 does. Raises BlockingIOError while one writes."""
    if os.environ.get("HDF5_USE_FILE_LOCKING", "").upper() in _NO_LOCKS:
        return
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise BlockingIOError(error.errno, "A program is writing this HDF5 file", file.name) from error
    except OSError:
        return  # a file system without locks


def _unnamed() -> Any:
    """Returns a new file that is gone when it is closed."""
    return tempfile.TemporaryFile(buffering=0)


def _warning(end: str) -> str:
    return (
        f"a process that reads such files first was given it, and {end}. Nothing was loaded. A file that does this is damaged, "
        "or made to do harm: get it again from whoever wrote it."
    )
