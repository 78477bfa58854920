"""RemoteFileSystem: file systems of other machines, and fsspec's in memory, through fsspec."""

import datetime
import errno
import importlib
import importlib.util
import io
import os
import posixpath
import tempfile
from collections.abc import Callable
from io import BufferedReader, BytesIO
from types import ModuleType
from typing import Any, TypeVar, final

from stratagem._base.errors import UnimplementedError
from stratagem._base.installation import install_command
from stratagem._base.paths import LOCAL_SCHEMES, parent, without_secrets
from stratagem._base.storage._file_system import FileStatus, FileSystem, OutputFile
from stratagem._base.storage._lasting_executor import equip
from stratagem._base.storage._requests import answered

T = TypeVar("T")

_BUFFER = 4 << 20  # bytes that one request reads ahead
_PART = 32 << 20  # bytes that one request of a copy moves
# Object stores have no folders: making one would make a bucket, or do nothing.
_OBJECT_STORES = frozenset(("s3", "s3a", "gs", "gcs", "abfs", "abfss", "az", "oci", "oss", "tos", "http", "https"))
# What lies over another file system, which a URL of one scheme cannot name.
_LAYERS = frozenset(
    (
        *("asyncwrapper", "blockcache", "cached", "dir", "filecache", "generic", "libarchive", "reference"),
        *("simplecache", "tar", "zip"),
    )
)
_TENSORFLOW_NAMES = {"ram": "memory"}


@final
class RemoteFileSystem(FileSystem):
    """The file system of one scheme. Raises UnimplementedError if fsspec or the scheme's own package is not installed."""

    def __init__(self, scheme: str) -> None:
        self._scheme = _TENSORFLOW_NAMES.get(scheme, scheme)
        self._fsspec = _fsspec(scheme)
        _demand_package(self._fsspec, self._scheme, scheme)

    def status(self, path: str) -> FileStatus | None:
        info = self._info(path)
        if info is None:
            return None
        return FileStatus(
            size=int(info.get("size") or 0),
            mtime_ns=_modified(info),
            is_directory=info.get("type") == "directory",
            mark=repr(sorted((key, str(value)) for key, value in info.items())),
        )

    def entries(self, path: str) -> dict[str, bool]:
        def ask(fs: Any, name: str) -> dict[str, bool]:
            fs.invalidate_cache()
            own = name.rstrip("/")
            found = {each["name"].rstrip("/"): each["type"] == "directory" for each in fs.ls(name, detail=True)}
            if found == {own: False}:
                raise NotADirectoryError(errno.ENOTDIR, "not a folder", path)
            return {posixpath.basename(each): folder for each, folder in found.items() if each != own}

        return self._answered(ask, path)

    def open(self, path: str) -> BufferedReader | BytesIO:
        info = self._info(path)
        if info is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if info.get("type") == "directory":
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        size = info.get("size")
        if size is None:  # a server that does not say
            return BytesIO(self._answered(lambda fs, name: fs.cat_file(name), path))
        return BufferedReader(_RangeReader(self, path, int(size)), _BUFFER)

    def create(self, path: str, mode: str = "wb") -> OutputFile:
        mode = mode.replace("b", "")
        status = self.status(path) if mode != "w" else None
        if status is not None and mode.startswith("x"):
            raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), path)
        if status is None and mode.startswith("r"):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        handle, copy = tempfile.mkstemp(prefix="stratagem-upload-")
        os.close(handle)
        if status is not None:
            try:
                self.download(path, copy)
            except BaseException:
                os.unlink(copy)
                raise
        return _UploadedFile(copy, mode.replace("x", "w"), self, path)

    def write(self, path: str, data: bytes) -> None:
        self._make_parent(path)
        self._answered(lambda fs, name: fs.pipe_file(name, data), path, len(data))

    def make_directories(self, path: str) -> None:
        if self._scheme not in _OBJECT_STORES:
            self._answered(lambda fs, name: fs.makedirs(name, exist_ok=True), path)

    def remove(self, path: str) -> None:
        status = self.status(path)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        if status.is_directory:
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), path)
        self._answered(lambda fs, name: fs.rm_file(name), path)

    def remove_tree(self, path: str) -> None:
        def ask(fs: Any, name: str) -> None:
            fs.invalidate_cache()
            fs.rm(name, recursive=True)

        if not self.is_directory(path):
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), path)
        try:
            self._answered(ask, path)
        except FileNotFoundError:
            return  # an attempt that seemed to fail has removed it

    def remove_if_empty(self, path: str) -> None:
        if self._scheme in _OBJECT_STORES:
            return  # it is gone with the last file
        try:
            if not self.entries(path):
                self._answered(lambda fs, name: fs.rmdir(name), path)
        except (FileNotFoundError, NotADirectoryError):
            return

    def move(self, source: str, target: str) -> None:
        status = self.status(source)
        if status is None:
            raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), source)
        if status.is_directory:
            for name in self.entries(source):
                self.move(posixpath.join(source, name), posixpath.join(target, name))
            self.remove_if_empty(source)
            return
        self.copy(source, target)
        self._answered(lambda fs, name: fs.rm_file(name), source)

    def copy(self, source: str, target: str) -> None:
        """Copies a file; on one file system the bytes do not come here."""
        if self.is_directory(source):
            raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), source)
        if self._at(source)[0] is not self._at(target)[0]:
            with tempfile.TemporaryDirectory(prefix="stratagem-copy-") as folder:
                self.download(source, os.path.join(folder, "copy"))
                self.upload(os.path.join(folder, "copy"), target)
            return
        self._make_parent(target)
        self._answered(lambda fs, name: fs.cp_file(name, self._at(target)[1]), source)

    def read_range(self, path: str, start: int, size: int) -> bytes:
        """The bytes of a file from `start` on, at most `size`."""

        def ask(fs: Any, name: str) -> bytes:
            found: bytes = fs.cat_file(name, start=start, end=start + size)
            if len(found) > size:
                raise OSError(errno.EIO, f"{len(found)} bytes came, and {size} were asked for", path)
            return found

        return self._answered(ask, path, size)

    def upload(self, local: str, path: str) -> None:
        """Copies a file of this machine to `path`: readers find the old one or the whole new one."""
        size = os.path.getsize(local)
        self._make_parent(path)
        if size <= _PART:
            with open(local, "rb") as file:
                data = file.read()
            self._answered(lambda fs, name: fs.pipe_file(name, data), path, size)
        else:
            self._answered(lambda fs, name: fs.put_file(local, name), path, size)

    def download(self, path: str, local: str) -> None:
        """Copies a file to this machine."""
        with self.open(path) as file, open(local, "wb") as copy:
            while data := file.read(_PART):
                copy.write(data)

    def _info(self, path: str) -> dict[str, Any] | None:
        def ask(fs: Any, name: str) -> dict[str, Any]:
            fs.invalidate_cache()
            return dict(fs.info(name))

        try:
            return self._answered(ask, path)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def _make_parent(self, path: str) -> None:
        self.make_directories(parent(path))

    def _at(self, path: str) -> tuple[Any, str]:
        """fsspec's object for the file system of a path, and the name that it has there."""
        url = f"{self._scheme}://{path.partition('://')[2]}"
        try:
            fs, name = self._fsspec.core.url_to_fs(url)
        except (TypeError, ValueError) as error:
            raise UnimplementedError(
                f"{without_secrets(path)}: fsspec cannot use the scheme {self._scheme!r} by itself: {error}"
            ) from error
        if getattr(fs, "async_impl", False) and not fs.asynchronous:
            equip(fs.loop)
        return fs, name

    def _answered(self, ask: Callable[[Any, str], T], path: str, nbytes: int = 0) -> T:
        return answered(lambda: ask(*self._at(path)), path, nbytes)


@final
class _RangeReader(io.RawIOBase):
    """Reads a remote file by independent requests, each of which can be repeated."""

    def __init__(self, files: RemoteFileSystem, path: str, size: int) -> None:
        self._files, self._path, self._size = files, path, size
        self._position = 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        origin = {os.SEEK_SET: 0, os.SEEK_CUR: self._position, os.SEEK_END: self._size}[whence]
        if origin + offset < 0:
            raise ValueError(f"negative seek position {origin + offset}")
        self._position = origin + offset
        return self._position

    def tell(self) -> int:
        return self._position

    def readinto(self, buffer: Any) -> int:
        size = min(len(buffer), self._size - self._position)
        if size <= 0:
            return 0
        data = self._files.read_range(self._path, self._position, size)
        if not data:
            raise OSError(errno.EIO, "it was cut while it was read", self._path)
        buffer[: len(data)] = data
        self._position += len(data)
        return len(data)


@final
class _UploadedFile(OutputFile):
    """A file of this machine that is uploaded when it is published or closed. If that fails, it stays and is named."""

    def __init__(self, copy: str, mode: str, files: RemoteFileSystem, path: str) -> None:
        super().__init__(copy, mode)
        self._copy, self._files, self._path = copy, files, path
        self._uploaded = (-1, -1)

    def publish(self) -> None:
        found = os.stat(self._copy)
        if (found.st_mtime_ns, found.st_size) != self._uploaded:
            self._files.upload(self._copy, self._path)
            self._uploaded = (found.st_mtime_ns, found.st_size)

    def close(self) -> None:
        if self.closed:
            return
        super().close()
        try:
            self.publish()
        except OSError as error:
            error.add_note(f"What was written is in {self._copy!r}.")
            raise
        os.unlink(self._copy)


def schemes() -> list[str]:
    """The schemes that fsspec knows and whose packages are installed; none without fsspec."""
    if importlib.util.find_spec("fsspec") is None:
        return []
    known = importlib.import_module("fsspec.registry").known_implementations
    packages = {scheme: fact["class"].partition(".")[0] for scheme, fact in known.items()}
    found = (scheme for scheme, package in packages.items() if importlib.util.find_spec(package))
    return sorted(scheme for scheme in found if scheme not in LOCAL_SCHEMES and scheme not in _LAYERS)


def _fsspec(scheme: str) -> ModuleType:
    if importlib.util.find_spec("fsspec") is None:
        raise UnimplementedError(
            f"File system scheme {scheme!r} is not implemented without fsspec: {install_command('remote')}, and the "
            "package of the scheme, such as gcsfs for gs:// or s3fs for s3://."
        )
    return importlib.import_module("fsspec")


def _demand_package(fsspec: ModuleType, scheme: str, given: str) -> None:
    """Raises UnimplementedError if fsspec does not know the scheme, or its package is not installed."""
    if scheme in _LAYERS:
        raise UnimplementedError(
            f"File system scheme {given!r} is not implemented by itself: it lies over another file system."
        )
    try:
        fsspec.get_filesystem_class(scheme)
    except ImportError as error:
        raise UnimplementedError(
            f"File system scheme {given!r} is not implemented without its own package. fsspec says: {error}"
        ) from error
    except ValueError as error:
        raise UnimplementedError(
            f"File system scheme {given!r} is not implemented: fsspec {fsspec.__version__} does not know it. If a package "
            "of its own provides it, install that."
        ) from error


def _modified(info: dict[str, Any]) -> int:
    """The time of the last change in nanoseconds since 1970; each file system of fsspec has a name of its own for it."""
    for name in ("mtime", "LastModified", "last_modified", "updated", "modified", "created"):
        value = info.get(name)
        if isinstance(value, str):
            try:
                value = datetime.datetime.fromisoformat(value)
            except ValueError:
                continue
        if isinstance(value, datetime.datetime):
            return int(value.timestamp() * 1_000_000) * 1000
        if isinstance(value, int | float):
            return int(value * 1_000_000_000)
    return 0
