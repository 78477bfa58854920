"""What saves and restores in a benchmark, the same for all libraries."""

import contextlib
import os
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

ROWS = 1 << 12  # of float32: an array has 64 MB
WARM, COLD, AGAIN = "restore, files in memory", "restore, files on disk", "restore again in one process"


@dataclass(frozen=True)
class Library:
    """How a library saves: `write` makes a checkpoint at a path, `read` restores from it."""

    write: Callable[[str], object]
    read: Callable[[str], object]


def arrays(megabytes: int) -> list[np.ndarray]:
    """What is saved."""
    rng = np.random.default_rng(0)
    return [rng.standard_normal((ROWS, ROWS), dtype=np.float32) for _ in range(megabytes // 64)]


def of_tensorflow(tf: Any, megabytes: int) -> Library:
    """TensorFlow's way, and ours."""
    checkpoint = tf.train.Checkpoint(v=[tf.Variable(array) for array in arrays(megabytes)])
    for variable in checkpoint.v:
        variable.numpy()  # it is there: no thread still makes it while something is timed
    return Library(checkpoint.write, lambda path: checkpoint.read(path).assert_consumed())


def timer(library: Library, folder: str, what: str) -> Callable[[int], float]:
    """Seconds of so many saves or restores. Every save has a path of its own.

    Before each restore the file is read, so that it is in the system's memory, or thrown out of it (COLD).
    """
    target = Path(folder)
    saved = str(target / "first")
    if not any(target.glob("first*")):
        library.write(saved)

    def saves(count: int) -> float:
        seconds = 0.0
        for _ in range(count):
            began = time.perf_counter()
            library.write(str(target / "next"))
            seconds += time.perf_counter() - began
            for path in target.glob("next*"):
                with contextlib.suppress(NotADirectoryError):
                    shutil.rmtree(path)
                path.unlink(missing_ok=True)
        return seconds

    def restores(count: int) -> float:
        seconds = 0.0
        for _ in range(count):
            for file in _files(target):
                (_drop if what == COLD else _read)(file)
            began = time.perf_counter()
            library.read(saved)
            seconds += time.perf_counter() - began
        return seconds

    return saves if what == "save" else restores


def _files(folder: Path) -> Iterator[Path]:
    return (path for path in folder.rglob("*") if path.is_file())


def _read(file: Path) -> None:
    with file.open("rb") as source:
        while source.read(8 << 20):
            pass


def _drop(file: Path) -> None:
    """Lets the system forget what it has of a file in memory."""
    handle = os.open(file, os.O_RDONLY)
    try:
        os.fsync(handle)  # what is not yet on disk cannot be forgotten
        os.posix_fadvise(handle, 0, 0, os.POSIX_FADV_DONTNEED)
    finally:
        os.close(handle)
