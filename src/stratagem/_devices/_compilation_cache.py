"""The compilation cache: programs that were compiled once are read from a folder at the next start."""

import os
import stat
from contextlib import suppress
from pathlib import Path

from stratagem._base.errors import InvalidArgumentError, PermissionDeniedError
from stratagem._base.exports import exported
from stratagem._base.paths import local_path
from stratagem._base.types import PathLike
from stratagem._private import forget_programs, intercept_compilation, store_programs

_VARIABLE = "STRATAGEM_COMPILE_CACHE"
_MAX_BYTES = 1 << 30


@exported("config.experimental.set_compilation_cache")
def set_compilation_cache(directory: PathLike | None, max_bytes: int = _MAX_BYTES) -> None:
    """Stores what XLA compiles in a folder, from which later processes read it. TensorFlow has no such function.

    A program is found by its operations, the versions of JAX and XLA, its options, its devices and the CPU. Programs
    that call Python are not stored. Several processes may use one folder at once. The environment variable
    STRATAGEM_COMPILE_CACHE does the same for a process and all that it starts: a folder, or 1 for
    `~/.cache/stratagem/compiled`.

    Args:
        directory: the folder, made with mode 0700 if it is missing; None compiles everything again.
        max_bytes: the size of the folder; the programs that were not used for longest are removed.

    Raises:
        PermissionDeniedError: the folder belongs to another user, or others may write to it: whoever can write a program there
            has this process run it.
        InvalidArgumentError: there is something else than a folder, or the size is not positive.
        OSError: the folder cannot be made.
    """
    if directory is None:
        forget_programs()
        return
    if max_bytes <= 0:
        raise InvalidArgumentError(f"The size of the compilation cache must be positive, got {max_bytes} bytes.")
    folder = Path(local_path(directory)).resolve()
    with suppress(FileExistsError):
        folder.mkdir(mode=0o700, parents=True)
    _check(folder)
    store_programs(folder, max_bytes)


def _check(folder: Path) -> None:
    facts = folder.stat()
    if not stat.S_ISDIR(facts.st_mode):
        raise InvalidArgumentError(f"The compilation cache {folder} is not a folder. Remove it, or name another.")
    if facts.st_uid != os.geteuid():
        raise PermissionDeniedError(
            f"The compilation cache {folder} belongs to user {facts.st_uid}, this process to user {os.geteuid()}. "
            "Programs that another user wrote are not run: name another folder."
        )
    if facts.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise PermissionDeniedError(
            f"Other users may write to the compilation cache {folder} (mode {stat.S_IMODE(facts.st_mode):04o}). Programs that "
            f"they wrote would be run: remove the folder if somebody may have, and then `chmod 700 {folder}`."
        )


def attach_compilation_cache() -> None:
    """Lets compilations be intercepted, and uses the folder that the environment variable names."""
    intercept_compilation()
    named = os.environ.get(_VARIABLE, "")
    if named in ("", "0"):
        return
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    set_compilation_cache(cache / "stratagem" / "compiled" if named == "1" else named)
