"""Files that are there whole or not at all, also after a crash or a power failure."""

import contextlib
import os
import re
import secrets
import time
from collections.abc import Iterator
from pathlib import Path


@contextlib.contextmanager
def atomic_write(path: Path, *, mode: int = 0o666, exclusive: bool = False) -> Iterator[Path]:
    """Gives the body an empty file beside `path` to write to, and puts it at `path` when the body is done.

    Whoever opens `path` finds the old file or the whole new one, also after a power failure. A body that raises leaves the
    old one, and nothing beside it; a process that is killed may leave what `remove_temporaries` removes. The file in the body
    has the ending of `path`.

    mode: the permissions of the new file, less the umask's. exclusive: a file that is already at `path` stays, and
    FileExistsError is raised. Raises OSError.
    """
    written = path.with_name(f".{secrets.token_hex(4)}.{path.name}")
    os.close(os.open(written, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, mode))
    try:
        yield written
        commit(written, path, exclusive=exclusive)
    finally:
        written.unlink(missing_ok=True)


def commit(written: Path, path: Path, *, exclusive: bool = False) -> None:
    """Gives a file that is complete the name `path`, once its content is on disk. Both are in one file system.

    exclusive: as in `atomic_write`. Raises OSError.
    """
    sync(written)
    if exclusive:
        os.link(written, path)  # unlike a rename it fails where another process was faster
        written.unlink()
    else:
        os.replace(written, path)
    sync(path.parent)


def write_text(path: Path, text: str, *, mode: int = 0o666) -> None:
    """Replaces a text file as `atomic_write` does."""
    with atomic_write(path, mode=mode) as written:
        written.write_text(text, encoding="utf-8")


def is_temporary(name: str, of: str) -> bool:
    """True for the name of a file that `atomic_write` leaves beside the file `of` when its process is killed."""
    return re.fullmatch(rf"\.[0-9a-f]{{8}}\.{re.escape(of)}", name) is not None


def remove_temporaries(path: Path, *, older_than: float = 0.0) -> None:
    """Removes what killed processes left beside `path`.

    older_than: seconds for which a file was not written to, where other processes may be writing `path`.
    """
    for entry in list(os.scandir(path.parent)):
        if is_temporary(entry.name, path.name):
            with contextlib.suppress(FileNotFoundError):  # another process was faster
                if not older_than or time.time() - entry.stat(follow_symlinks=False).st_mtime > older_than:
                    os.unlink(entry.path)


def make_directories(path: Path) -> None:
    """Makes a directory and its missing parents, each of them durably."""
    missing = [path, *path.parents]
    missing = missing[: next(i for i, here in enumerate(missing) if here.exists())]
    path.mkdir(parents=True, exist_ok=True)
    for made in reversed(missing):
        sync(made.parent)


def sync_tree(directory: Path) -> None:
    """Makes a directory and everything in it survive a power failure."""
    for path in directory.rglob("*"):
        sync(path)
    sync(directory)


def sync(path: Path) -> None:
    """Makes the content of a file, or the names in a directory, survive a power failure."""
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
