"""The one place that opens HDF5: files of this process as they are, all others as another process has written them again."""

import contextlib
import fcntl
import importlib
import io
import json
import os
import shutil
import tempfile
import weakref
import zipfile
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, Final, final

import h5py

from stratagem._base.errors import DataLossError
from stratagem._base.reader_process import Limits, answers
from stratagem._base.spliced_file import Excerpt, SplicedFile

_READER: Final = "_private/_hdf5_reader.py"
_LONGEST: Final = 60.0  # seconds for any files; a usual one takes 0.15, most of which start the process
_SPEED: Final = 20 << 20  # and a second for so many bytes, which may be compressed, or on a slow disk
_MEMORY: Final = 1 << 30  # bytes, for what is packed in any files
_UNFOLDED: Final = 16  # and so many for each of their bytes
_SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"
_NO_LOCKS: Final = ("FALSE", "0")

# Modules of Keras that open HDF5, by a name `h5py` of their own.
_OPENING: Final = (
    "keras.src.saving.saving_lib",
    "keras.src.saving.saving_api",
    "keras.src.legacy.saving.legacy_h5_format",
)
HDF5_PLACES: Final = tuple(f"{module}.h5py" for module in _OPENING)

# What the system says of a file, which changes whenever it does: no program can set the last of its times.
_Identity = tuple[int, ...]
# The files that this process has written, by their paths without links.
_own: dict[str, _Identity] = {}


def note_own_hdf5(path: str) -> None:
    """Notes that this process has just written an HDF5 file, or an archive with one: it is read as it is."""
    _own[os.path.realpath(path)] = _identity(os.stat(path))


def _is_own(path: str) -> bool:
    return _own.get(os.path.realpath(path)) == _identity(os.stat(path))


def _identity(found: os.stat_result) -> _Identity:
    return found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns


@final
@dataclass(frozen=True)
class _Rewritten:
    """A file as the other process wrote it: `structure` is a new file, of which `pieces` are still in the given `source`."""

    structure: io.FileIO
    source: io.FileIO
    pieces: tuple[Excerpt, ...]

    def opened(self) -> h5py.File:
        return _RewrittenFile(SplicedFile(self.structure.fileno(), self.source.fileno(), self.pieces))


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
class _HDF5Load:
    """The files of one load of a model or of weights: each is rewritten once, although it is opened several times."""

    def __init__(self, path: str, files: contextlib.ExitStack) -> None:
        self.path = path
        self.is_own = os.path.isfile(path) and _is_own(path)
        self._files = files
        self._rewritten: dict[_Identity, _Rewritten] = {}
        self._refusal = ""

    def of_paths(self, paths: Sequence[str]) -> list[_Rewritten]:
        """Returns what other files became, those that are not known yet by one process together."""
        known = [(path, _identity(os.stat(path))) for path in paths]
        missing = {identity: path for path, identity in known if identity not in self._rewritten}
        sources = [self._files.enter_context(io.FileIO(path)) for path in missing.values()]
        for source in sources:
            _lock(source)
        made = self._rewrite(sources, list(missing.values()))
        self._rewritten.update(zip(missing, made, strict=True))
        return [self._rewritten[identity] for _, identity in known]

    def of_stream(self, stream: Any) -> _Rewritten:
        """Returns what became of an open file. Keras makes a second attempt at what was refused, another way."""
        if self._refusal:
            raise DataLossError(self._refusal)
        source = self._files.enter_context(_unnamed())
        stream.seek(0)
        shutil.copyfileobj(stream, source, 1 << 24)
        return self._rewrite([source], [self.path])[0]

    def _rewrite(self, sources: Sequence[io.FileIO], names: Sequence[str]) -> list[_Rewritten]:
        size = sum(os.fstat(each.fileno()).st_size for each in sources)
        largest = _MEMORY + _UNFOLDED * size
        limits = Limits(_LONGEST + size / _SPEED, 3 * largest)  # an array as it is packed, unpacked, and written
        targets = [self._files.enter_context(_unnamed()) for _ in sources]
        handles = [(source.fileno(), target.fileno()) for source, target in zip(sources, targets, strict=True)]
        requests = [json.dumps({"source": a, "target": b, "largest": largest}).encode() for a, b in handles]
        made = []
        answered = answers(_READER, requests, limits, handles=sum(handles, ()))
        for source, target, name, answer in zip(sources, targets, names, answered, strict=True):
            facts = json.loads(answer) if isinstance(answer, bytes) else {"problem": _warning(answer)}
            if "problem" in facts:
                self._refusal = f"{name!r} is no HDF5 file, or a damaged one: {facts['problem']}"
                raise DataLossError(self._refusal)
            made.append(_Rewritten(target, source, tuple(Excerpt(*each) for each in facts["pieces"])))
        return made


_loading: ContextVar[_HDF5Load | None] = ContextVar("stratagem hdf5", default=None)


@contextlib.contextmanager
def loading_hdf5(path: str) -> Iterator[None]:
    """In the body, each file is read by another process once, however often it is opened.

    path: what is loaded, which is named in errors about its parts. Parts of an archive of this process are opened as they are.
    """
    with contextlib.ExitStack() as files:
        token = _loading.set(_HDF5Load(path, files))
        files.callback(_loading.reset, token)
        yield


def is_hdf5(path: str) -> bool:
    """True for a file in HDF5's format, whatever its name, and not for an archive in which one lies at such a place.

    Its signature is at byte 0, 512, 1024, 2048 and so on.
    """
    if not os.path.isfile(path) or zipfile.is_zipfile(path):
        return False
    with open(path, "rb") as file:
        at, size = 0, os.fstat(file.fileno()).st_size
        while at < size:
            file.seek(at)
            if file.read(len(_SIGNATURE)) == _SIGNATURE:
                return True
            at = max(512, 2 * at)
    return False


def opened_hdf5(source: Any, mode: str = "r") -> h5py.File:
    """Opens an HDF5 file: a path, or an open file that has the bytes of one.

    To be read, it is what another process wrote when it had read it all, unless this process has written it itself. Attributes
    and arrays of references, or of arrays of any length, are left out then: no model has them.

    Raises DataLossError for a file that is damaged, has parts elsewhere, or ends the process that reads it, delays it or takes
    its memory; the system's errors as h5py does.
    """
    if mode != "r":
        return h5py.File(source, mode)
    loading = _loading.get()
    is_path = isinstance(source, str | bytes | os.PathLike)
    path = os.fsdecode(source) if is_path else ""
    if (not os.path.isfile(path) or _is_own(path)) if is_path else (loading is not None and loading.is_own):
        return h5py.File(source, mode)  # which says why it cannot be opened
    with contextlib.ExitStack() as files:
        one = loading or _HDF5Load(path or "an open file", files)
        return (one.of_paths([path])[0] if is_path else one.of_stream(source)).opened()


def read_hdf5_first(paths: Sequence[str]) -> None:
    """Has several files that the body of `loading_hdf5` opens read by one process. Raises as `opened_hdf5` does."""
    loading = _loading.get()
    if loading is not None:
        loading.of_paths([path for path in paths if not _is_own(path)])


def open_hdf5_of_keras() -> None:
    """Let Keras open HDF5 by `opened_hdf5`."""
    for name in _OPENING:
        module: Any = importlib.import_module(name)
        module.h5py = _KerasHDF5(module.h5py)


@final
class _KerasHDF5:
    """Stands for the module h5py in Keras."""

    def __init__(self, module: Any) -> None:
        self._module = module
        self.File = _KerasFile

    def __getattr__(self, name: str) -> Any:
        return getattr(self._module, name)


@final
class _FileClass(type):
    """A class that h5py's files are objects of, and that opens them by `opened_hdf5`."""

    def __call__(cls, name: Any, mode: str = "r") -> h5py.File:
        return opened_hdf5(name, mode)

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, h5py.File)


@final
class _KerasFile(metaclass=_FileClass):
    """Stands for `h5py.File` in Keras."""


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
