"""LocalFileSystem: the files of this machine."""

import contextlib
import os
import shutil
from io import BufferedReader, BytesIO
from pathlib import Path
from typing import final

from stratagem._base.files import atomic_write
from stratagem._base.storage._file_system import FileStatus, FileSystem, OutputFile


@final
class LocalFileSystem(FileSystem):
    """The files of this machine."""

    def status(self, path: str) -> FileStatus | None:
        try:
            found = os.stat(path)
        except (FileNotFoundError, NotADirectoryError, ValueError):  # ValueError: a name that no file has
            return None
        mark = f"{found.st_ino} {found.st_mtime_ns} {found.st_size}"
        return FileStatus(size=found.st_size, mtime_ns=found.st_mtime_ns, is_directory=os.path.isdir(path), mark=mark)

    def exists(self, path: str) -> bool:
        return os.path.exists(path)

    def is_taken(self, path: str) -> bool:
        return os.path.lexists(path)

    def is_file(self, path: str) -> bool:
        return os.path.isfile(path)

    def is_directory(self, path: str) -> bool:
        return os.path.isdir(path)

    def entries(self, path: str) -> dict[str, bool]:
        return {entry.name: entry.is_dir() for entry in os.scandir(path)}

    def open(self, path: str) -> BufferedReader | BytesIO:
        return open(path, "rb")

    def create(self, path: str, mode: str = "wb") -> OutputFile:
        return OutputFile(path, mode.replace("b", ""))

    def write(self, path: str, data: bytes) -> None:
        with atomic_write(Path(path)) as written:
            written.write_bytes(data)

    def make_directories(self, path: str) -> None:
        os.makedirs(path, exist_ok=True)

    def remove(self, path: str) -> None:
        os.remove(path)

    def remove_tree(self, path: str) -> None:
        shutil.rmtree(path)

    def remove_if_empty(self, path: str) -> None:
        with contextlib.suppress(OSError):
            os.rmdir(path)

    def move(self, source: str, target: str) -> None:
        os.replace(source, target)
