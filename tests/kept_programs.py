"""What XLA has compiled for earlier runs of the suite, for runs that ask for it: half of the suite's time is compilation.

One folder for all runs holds entries of JAX's compilation cache. Their keys are of the program, the options and the versions of
JAX and XLA: a program of which anything changed is compiled. Each run has a folder of its own, which begins with links to all
that is kept; at its end what is new is kept if it is whole, as a process may have been killed while it wrote.
"""

import hashlib
import os
import platform
import shutil
import tempfile
import zlib
from pathlib import Path

LIMIT = 1 << 29  # bytes in all: several times what one run of the suite has
SUFFIX = "-cache"  # JAX's, of what it has written


def folder_of_this_machine() -> Path | None:
    """Where the programs for this kind of CPU are kept, as `make data` keeps what it fetches; None unless that is asked for.

    A run that is to show something compiles everything.
    """
    if os.environ.get("STRATAGEM_KEEP_PROGRAMS") != "1":
        return None
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return cache / "stratagem" / "programs" / _kind_of_cpu()


def _kind_of_cpu() -> str:
    """Programs have the instructions of the CPU that they were compiled on, which JAX's keys do not tell."""
    told = platform.machine()
    info = Path("/proc/cpuinfo")
    if info.exists():
        rows = (line.partition(":") for line in info.read_text().splitlines())
        told += str(
            sorted({(name.strip(), value) for name, _, value in rows if name.strip() in ("model name", "flags")})
        )
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def begin(kept: Path | None, run: Path) -> None:
    """Gives a run all that is kept."""
    if kept is None or not kept.is_dir():
        return
    for path in kept.glob(f"*{SUFFIX}"):
        try:
            os.link(path, run / path.name)
        except FileNotFoundError:
            continue  # another run has thrown it away
        except OSError:  # another file system
            shutil.copyfile(path, run / path.name)


def end(kept: Path | None, run: Path) -> None:
    """Keeps what a run has added, and throws the oldest away beyond the limit. A disk that takes nothing is no error."""
    if kept is None:
        return
    try:
        kept.mkdir(parents=True, exist_ok=True)
        for path in run.glob(f"*{SUFFIX}"):
            if not (kept / path.name).exists() and _is_whole(content := path.read_bytes()):
                _write_at_once(kept / path.name, content)
        _throw_away(kept)
    except OSError as error:
        print(f"{kept} does not keep this run's programs: {error}")


def _is_whole(content: bytes) -> bool:
    """Whether all of it was written: JAX compresses with zlib, which notices. (With zstd, on Python 3.14, none is kept.)"""
    try:
        zlib.decompress(content)
    except zlib.error:
        return False
    return True


def _write_at_once(path: Path, content: bytes) -> None:
    """Other runs see the file whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as file:
        file.write(content)
    Path(file.name).replace(path)


def _throw_away(kept: Path) -> None:
    """Takes away the oldest until the others are within the limit; one that is used is compiled again, and is new then."""
    found = sorted((status.st_mtime, status.st_size, path) for path in kept.iterdir() for status in [path.stat()])
    total = sum(size for _, size, _ in found)
    for _, size, path in found:
        if total <= LIMIT:
            break
        path.unlink(missing_ok=True)
        total -= size
