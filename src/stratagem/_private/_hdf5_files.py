"""The one place that opens HDF5: files of this process as they are, all others as another process has written them again."""

import contextlib
import importlib
import os
import zipfile
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from typing import IO, Any, Final, final

import h5py

from stratagem._private._hdf5_rewritten import FileIdentity, HDF5Load, file_identity

_SIGNATURE: Final = b"\x89HDF\r\n\x1a\n"

# Modules of Keras that open HDF5, by a name `h5py` of their own.
_OPENING: Final = (
    "keras.src.saving.saving_lib",
    "keras.src.saving.saving_api",
    "keras.src.legacy.saving.legacy_h5_format",
)
HDF5_PLACES: Final = tuple(f"{module}.h5py" for module in _OPENING)

# The files that this process has written, by their paths without links.
_own: dict[str, FileIdentity] = {}


def note_own_hdf5(path: str) -> None:
    """Notes that this process has just written an HDF5 file, or an archive with one: it is read as it is."""
    _own[os.path.realpath(path)] = file_identity(path)


def _is_own(path: str) -> bool:
    return os.path.isfile(path) and _own.get(os.path.realpath(path)) == file_identity(path)


# A context variable of its own, as all of `_private`: the context lies above. Keras opens files far below who loads them.
_loading: ContextVar[HDF5Load | None] = ContextVar("stratagem hdf5", default=None)


@contextlib.contextmanager
def loading_hdf5(path: str) -> Iterator[None]:
    """In the body, each file is read by another process once, however often it is opened.

    path: what is loaded, which is named in errors about its parts. Parts of an archive of this process are opened as they are.
    """
    with contextlib.ExitStack() as files:
        token = _loading.set(HDF5Load(path, files))
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


def opened_hdf5(source: str | bytes | os.PathLike[str] | IO[bytes], mode: str = "r") -> h5py.File:
    """Opens an HDF5 file: a path, or an open file that has the bytes of one.

    To be read, it is what another process wrote when it had read it all, unless this process has written it itself. Attributes
    and arrays of references, or of arrays of any length, are left out then: no model has them.

    Raises DataLossError for a file that is damaged, has parts elsewhere, or ends the process that reads it, delays it or takes
    its memory; the system's errors as h5py does.
    """
    if mode != "r":
        return h5py.File(source, mode)
    loading = _loading.get()
    if isinstance(source, str | bytes | os.PathLike):
        path = os.fsdecode(source)
        if not os.path.isfile(path) or _is_own(path):
            return h5py.File(source, mode)  # which says why it cannot be opened
        with contextlib.ExitStack() as files:
            return (loading or HDF5Load(path, files)).of_paths([path])[0].opened()
    if loading is not None and _is_own(loading.path):
        return h5py.File(source, mode)
    with contextlib.ExitStack() as files:
        return (loading or HDF5Load("an open file", files)).of_stream(source).opened()


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
