"""Verification: comparison of a checkpoint's files with what its manifest says about them, here and on remote file systems."""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from stratagem._checkpoints._manifest import FileFact, Manifest, damaged
from stratagem._checkpoints._safe_reads import UnreadableFileError, checksum_of, size_of


def check_size(path: str, manifest: Manifest, name: str, fact: FileFact) -> None:
    """Raises DataLossError if a file of the checkpoint at `path` is missing, or not as long as it was."""
    shown = f"{manifest.generation}/{name}"
    with _damage_noticed(path, shown):
        size = size_of(os.path.join(path, shown))
    if size != fact.bytes:
        raise damaged(path, shown, f"it has {size} bytes, and {fact.bytes} were saved")


def check_file(path: str, manifest: Manifest, name: str, fact: FileFact, copy: Path | None = None) -> None:
    """Raises DataLossError if a file of the checkpoint at `path` is missing or has changed.

    copy: a file to write its bytes to.
    """
    check_size(path, manifest, name, fact)
    shown = f"{manifest.generation}/{name}"
    with _damage_noticed(path, shown):
        _, crc = checksum_of(os.path.join(path, shown), copy)
    if crc != fact.crc32c:
        raise damaged(path, shown, f"its checksum is {crc}, and {fact.crc32c} was saved")


@contextlib.contextmanager
def _damage_noticed(path: str, file: str) -> Iterator[None]:
    """Raises DataLossError where the body finds no file, or none that can be read."""
    try:
        yield
    except (FileNotFoundError, NotADirectoryError):
        raise damaged(path, file, "it is missing") from None
    except UnreadableFileError as error:
        raise damaged(path, file, str(error)) from error
