"""FileSystem: what can be done with files, wherever they are."""

import abc
import os
from dataclasses import dataclass
from io import BufferedReader, BytesIO, FileIO


@dataclass(frozen=True, kw_only=True)
class FileStatus:
    """Facts about a file or folder. mtime_ns: nanoseconds since 1970, 0 where the file system has none.

    mark: changes whenever the file is written, as far as the file system tells.
    """

    size: int
    mtime_ns: int
    is_directory: bool
    mark: str


class OutputFile(FileIO):
    """A file that is being written."""

    def publish(self) -> None:
        """Makes what has been written so far visible to readers, where that does not happen by itself."""


class FileSystem(abc.ABC):
    """One file system. Paths are whole, with their scheme.

    All methods raise FileNotFoundError, NotADirectoryError, IsADirectoryError, FileExistsError, PermissionError as `os` does;
    others of OSError when the file system fails, or gives no answer in time.
    """

    @abc.abstractmethod
    def status(self, path: str) -> FileStatus | None:
        """Facts about what is at a path; None if there is nothing."""

    def exists(self, path: str) -> bool:
        """Returns whether there is a file or folder at the path."""
        return self.status(path) is not None

    def is_taken(self, path: str) -> bool:
        """Returns whether there is anything at the path, be it a link that leads nowhere."""
        return self.exists(path)

    def is_file(self, path: str) -> bool:
        """Returns whether there is a file at the path."""
        found = self.status(path)
        return found is not None and not found.is_directory

    def is_directory(self, path: str) -> bool:
        """Returns whether there is a folder at the path."""
        found = self.status(path)
        return found is not None and found.is_directory

    @abc.abstractmethod
    def entries(self, path: str) -> dict[str, bool]:
        """The names in a folder, each with whether it is a folder itself."""

    @abc.abstractmethod
    def open(self, path: str) -> BufferedReader | BytesIO:
        """Opens a file to read: bytes from any position."""

    @abc.abstractmethod
    def create(self, path: str, mode: str = "wb") -> OutputFile:
        """Opens a file to write, as `open` does with this mode. A remote one changes when it is published or closed."""

    @abc.abstractmethod
    def write(self, path: str, data: bytes) -> None:
        """Replaces a file: readers find the old one or the whole new one."""

    @abc.abstractmethod
    def make_directories(self, path: str) -> None:
        """Makes a folder and its parents, if they are missing; object stores have folders while there are files in them."""

    @abc.abstractmethod
    def remove(self, path: str) -> None:
        """Removes a file."""

    @abc.abstractmethod
    def remove_tree(self, path: str) -> None:
        """Removes a folder and everything in it."""

    @abc.abstractmethod
    def remove_if_empty(self, path: str) -> None:
        """Removes a folder, if there is nothing in it."""

    @abc.abstractmethod
    def move(self, source: str, target: str) -> None:
        """Gives a file or a folder another path on this file system; a file there is replaced."""

    def read(self, path: str, limit: int | None = None) -> bytes:
        """The bytes of a file. Raises ValueError if it has more than `limit`."""
        with self.open(path) as file:
            size = file.seek(0, os.SEEK_END)
            if limit is not None and size > limit:
                raise ValueError(f"it has {size} bytes, and more than {limit} are never written")
            file.seek(0)
            return file.read()
