"""Verification: comparison of a checkpoint's files with what its manifest says about them, here and on remote file systems."""

import os
from pathlib import Path

from stratagem._checkpoints._manifest import FileFact, Manifest, damaged
from stratagem._checkpoints._safe_reads import UnreadableFileError, checksum_of, size_of


def check_size(path: str, manifest: Manifest, name: str, fact: FileFact) -> None:
    """Raises DataLossError if a file of the checkpoint at `path` is missing, or not as long as it was."""
    shown = f"{manifest.generation}/{name}"
    try:
        size = size_of(os.path.join(path, manifest.generation, name))
    except (FileNotFoundError, NotADirectoryError):
        raise damaged(path, shown, "it is missing") from None
    except UnreadableFileError as error:
        raise damaged(path, shown, str(error)) from error
    if size != fact.bytes:
        raise damaged(path, shown, f"it has {size} bytes, and {fact.bytes} were saved")


def check_file(path: str, manifest: Manifest, name: str, fact: FileFact, copy: Path | None = None) -> None:
    """Raises DataLossError if a file of the checkpoint at `path` is missing or has changed.

    copy: a file to write its bytes to.
    """
    check_size(path, manifest, name, fact)
    shown = f"{manifest.generation}/{name}"
    try:
        _, crc = checksum_of(os.path.join(path, manifest.generation, name), copy)
    except (FileNotFoundError, NotADirectoryError):
        raise damaged(path, shown, "it is missing") from None
    except UnreadableFileError as error:
        raise damaged(path, shown, str(error)) from error
    if crc != fact.crc32c:
        raise damaged(path, shown, f"its checksum is {crc}, and {fact.crc32c} was saved")
