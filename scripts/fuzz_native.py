#!/usr/bin/env python3
"""Feed files that strangers may have written to the readers that are compiled: XLA's of StableHLO, and HDF5's.

`python scripts/fuzz_native.py --minutes 20`. Bytes of programs of SavedModels (with right checksums) and of HDF5 files (without
one) are changed at random, and each is loaded, and what loads is called, in a process that is started again when it has ended.
A process that a file ends, a run of more than 90 seconds, and one of 4 GB are findings: seeds that are printed, and the exit
status is 1. An exception is none. `scripts/fuzz.py` has the readers that are Python.
"""

import argparse
import contextlib
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LONGEST, MOST_MEMORY = 90, 4 << 30  # seconds of a run; bytes beyond those of the process when it begins


def _programs(folder: Path) -> tuple[Path, Callable[[Path, bytes], None]]:
    import numpy as np

    import stratagem as tf
    from tests.saved_models.stranger import replaced

    images = tf.keras.Input((8, 8, 3))
    found = tf.keras.layers.BatchNormalization()(tf.keras.layers.Conv2D(4, 3)(images))
    tf.saved_model.save(
        tf.keras.Model(images, tf.keras.layers.Dense(2)(tf.keras.layers.Flatten()(found))), folder / "m"
    )

    def read(file: Path, content: bytes) -> None:
        replaced(folder / "m", file, content)
        loaded = tf.saved_model.load(folder / "m")
        for training in (False, True):
            loaded(np.ones((2, 8, 8, 3), "float32"), training=training)

    return max((folder / "m").glob("*/functions/*"), key=lambda each: each.stat().st_size), read


def _hdf5(name: str) -> Callable[[Path], tuple[Path, Callable[[Path, bytes], None]]]:
    def begin(folder: Path) -> tuple[Path, Callable[[Path, bytes], None]]:
        import h5py

        import stratagem as tf

        model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3), tf.keras.layers.Dense(2)])
        model.compile("adam", "mse")
        whole = name.startswith("m.")
        (model.save if whole else model.save_weights)(folder / name)
        h5py.File(folder / name, "r+").close()  # takes the seal away

        def read(file: Path, content: bytes) -> None:
            file.unlink()  # HDF5 goes on with what it knows of a file that a failed load has left open
            file.write_bytes(content)
            tf.keras.models.load_model(file) if whole else model.load_weights(file)

        return folder / name, read

    return begin


SUBJECTS: dict[str, Any] = {
    "programs": _programs,
    "weights": _hdf5("w.weights.h5"),
    "weights of Keras 2": _hdf5("w.h5"),
    "models": _hdf5("m.h5"),
}


def changed(content: bytes, seed: int) -> bytes:
    """Returns the bytes with one to eight changes: a bit, a byte, some that are gone, some that are new."""
    rng, found = random.Random(seed), bytearray(content)
    for _ in range(rng.choice([1, 1, 2, 4, 8])):
        at = rng.randrange(len(found))
        match rng.randrange(4):
            case 0:
                found[at] ^= 1 << rng.randrange(8)
            case 1:
                found[at] = rng.choice([0, 1, 127, 128, 254, 255, rng.randrange(256)])
            case 2:
                del found[at : at + rng.randrange(1, 9)]
            case _:
                found[at:at] = rng.randbytes(rng.randrange(1, 9))
    return bytes(found)


def run(subject: str, seed: int, seconds: float) -> None:
    """Reads changed files until the time is over; prints each seed before, and what came of it after."""
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    os.environ["JAX_PLATFORMS"] = "cpu"
    end = time.monotonic() + seconds
    folder = Path(tempfile.mkdtemp(prefix="stratagem-fuzz-"))
    file, read = SUBJECTS[subject](folder)
    content = file.read_bytes()
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, resource.RLIM_INFINITY))
    try:
        while time.monotonic() < end:
            print("seed", seed, flush=True)
            signal.alarm(LONGEST)
            try:
                read(file, changed(content, seed))
                print("read", flush=True)
            except Exception as error:  # whatever a reader raises is an answer
                print(f"refused {type(error).__name__}", flush=True)
            signal.alarm(0)
            seed += 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fuzz(subject: str, seconds: float, seed: int) -> list[tuple[int, int]]:
    """Fuzzes one subject in children. Returns the seeds that ended one, with its status."""
    ends, found, counts = time.monotonic() + seconds, [], Counter[str]()
    while (left := ends - time.monotonic()) > 0:
        command = [sys.executable, __file__, "--subject", subject, "--seed", str(seed), "--minutes", str(left / 60)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as child:
            assert child.stdout is not None
            for line in child.stdout:
                word, _, rest = line.strip().partition(" ")
                if word == "seed":
                    seed = int(rest)
                else:
                    counts[line.strip()] += 1
        if child.returncode:
            found.append((seed, child.returncode))
        seed += 1
    shown = ", ".join(f"{count} {what}" for what, count in counts.most_common())
    print(f"{'FAIL' if found else 'ok  '} {subject:20} {shown}; ended the process: {found or 'none'}", flush=True)
    return found


def main() -> int:
    """Fuzzes what was asked for; 0 if nothing was found."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--minutes", type=float, default=20.0, help="in all")
    parser.add_argument("--only", default=",".join(SUBJECTS), help="subjects, with commas between them")
    parser.add_argument("--seed", type=int, default=0, help="of the first change")
    parser.add_argument("--subject", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.subject:
        run(options.subject, options.seed, 60 * options.minutes)
        return 0
    chosen = options.only.split(",")
    results = [fuzz(name, 60 * options.minutes / len(chosen), options.seed) for name in chosen]
    return int(any(results))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
