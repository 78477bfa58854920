"""What saves and restores in a benchmark, under either library."""

import contextlib
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

ROWS = 1 << 12  # of float32: an array has 64 MB


def timer(tf: Any, folder: str, what: str, megabytes: int) -> Callable[[int], float]:
    """Seconds of so many saves or restores of `megabytes` of variables. Every save has a path of its own."""
    rng = np.random.default_rng(0)
    arrays = [rng.standard_normal((ROWS, ROWS), dtype=np.float32) for _ in range(megabytes // 64)]
    checkpoint = tf.train.Checkpoint(v=[tf.Variable(array) for array in arrays])
    target = Path(folder)
    saved = checkpoint.write(str(target / "first"))

    def saves(count: int) -> float:
        seconds = 0.0
        for _ in range(count):
            began = time.perf_counter()
            checkpoint.write(str(target / "next"))
            seconds += time.perf_counter() - began
            for path in target.glob("next*"):
                with contextlib.suppress(NotADirectoryError):
                    shutil.rmtree(path)
                path.unlink(missing_ok=True)
        return seconds

    def restores(count: int) -> float:
        began = time.perf_counter()
        for _ in range(count):
            checkpoint.read(saved).assert_consumed()
        return time.perf_counter() - began

    return saves if what == "save" else restores
