#!/usr/bin/env python3
"""Feed files that strangers may have written to the readers that are compiled: XLA's of StableHLO, and HDF5's.

`python scripts/fuzz_native.py --minutes 20`. Bytes of programs of SavedModels (with right checksums) and of HDF5 files of ours
and of TensorFlow's (without one) are changed, at random and where they say where things are. Each is loaded, and programs are
called, in a process that is started again when it has ended. That the process which reads a file first ends is no finding.
A process that a file ends, a run of more than 90 seconds, and one of 4 GB are findings: seeds that are printed, and the exit
status is 1. An exception is none. `scripts/fuzz.py` has the readers that are Python.
"""

import argparse
import contextlib
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zipfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
LONGEST, MOST_MEMORY = 90, 4 << 30  # seconds of a run; bytes beyond those of the process when it begins
MOST_FOUND = 20
PATIENCE = 10.0  # seconds for the process that reads HDF5 first
ENDS = {"ended the process that read it": ", its reader ended", "was not read within": ", its reader delayed"}
_PART = "model.weights.h5"


def _programs(folder: Path) -> tuple[bytes, Callable[[bytes], None]]:
    import numpy as np

    import stratagem as tf
    from tests.saved_models.stranger import replaced

    images = tf.keras.Input((8, 8, 3))
    found = tf.keras.layers.BatchNormalization()(tf.keras.layers.Conv2D(4, 3)(images))
    tf.saved_model.save(
        tf.keras.Model(images, tf.keras.layers.Dense(2)(tf.keras.layers.Flatten()(found))), folder / "m"
    )

    file = max((folder / "m").glob("*/functions/*"), key=lambda each: each.stat().st_size)

    def read(content: bytes) -> None:
        replaced(folder / "m", file, content)
        loaded = tf.saved_model.load(folder / "m")
        for training in (False, True):
            loaded(np.ones((2, 8, 8, 3), "float32"), training=training)

    return file.read_bytes(), read


def _own(name: str, *, libver: str = "earliest", chunked: bool = False) -> Callable[[Path], Path]:
    """A file that this library wrote, without the seal: in another version of the format, or with its arrays in chunks."""

    def write(folder: Path) -> Path:
        import h5py

        import stratagem as tf

        model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3), tf.keras.layers.Dense(2)])
        model.compile("adam", "mse")
        (model.save if name.startswith("m.") else model.save_weights)(folder / f"whole-{name}")
        if name.endswith(".keras"):
            return folder / f"whole-{name}"
        with h5py.File(folder / f"whole-{name}") as given, h5py.File(folder / name, "w", libver=libver) as file:
            file.attrs.update(given.attrs)
            for each in given:
                given.copy(each, file)
            arrays = list[str]()
            file.visititems(
                lambda at, found: arrays.append(at) if chunked and isinstance(found, h5py.Dataset) else None
            )
            for at in arrays:
                values = file[at][()]
                del file[at]
                file.create_dataset(
                    at, data=values, **({"compression": "gzip", "shuffle": True} if values.ndim else {})
                )
        return folder / name

    return write


def _of_tensorflow(name: str) -> Callable[[Path], Path]:
    """A file that TensorFlow wrote."""

    def write(folder: Path) -> Path:
        with zipfile.ZipFile(ROOT / "tests/training/recorded/keras_two/files.zip") as archive:
            return Path(archive.extract(name, folder))

    return write


def _hdf5(write: Callable[[Path], Path]) -> Callable[[Path], tuple[bytes, Callable[[bytes], None]]]:
    def begin(folder: Path) -> tuple[bytes, Callable[[bytes], None]]:
        import stratagem as tf

        whole = write(folder)
        file = whole.with_name(f"changed-{whole.name}")
        model = tf.keras.Sequential([tf.keras.Input((4,)), tf.keras.layers.Dense(3), tf.keras.layers.Dense(2)])
        model.compile("adam", "mse")
        parts = dict[str, bytes]()
        if file.suffix == ".keras":
            with zipfile.ZipFile(whole) as archive:
                parts = {name: archive.read(name) for name in archive.namelist()}

        def read(content: bytes) -> None:
            file.unlink(missing_ok=True)
            if parts:
                with zipfile.ZipFile(file, "w") as archive:
                    for name, part in (parts | {_PART: content}).items():
                        archive.writestr(name, part)
            else:
                file.write_bytes(content)
            model.load_weights(file) if file.name.startswith("changed-w.") else tf.keras.models.load_model(file)

        return parts.get(_PART) or whole.read_bytes(), read

    return begin


SUBJECTS: dict[str, Any] = {
    "programs": _programs,
    "weights": _hdf5(_own("w.weights.h5")),
    "weights of new format": _hdf5(_own("w.weights.h5", libver="latest")),
    "weights in chunks": _hdf5(_own("w.weights.h5", libver="latest", chunked=True)),
    "weights of Keras 2": _hdf5(_own("w.h5")),
    "models": _hdf5(_own("m.h5")),
    "archives": _hdf5(_own("m.keras")),
    "models of TensorFlow": _hdf5(_of_tensorflow("adamw.h5")),
    "archives of TensorFlow": _hdf5(_of_tensorflow("adamw.keras")),
}
# What begins the blocks of HDF5: superblocks, groups, names, headers of objects, texts, trees of chunks and of names.
BLOCKS = re.compile(
    rb"\x89HDF|SNOD|TREE|HEAP|OHDR|OCHK|GCOL|FRHP|FHDB|FHIB|FSHD|FSSE|BTHD|BTLF|BTIN|FAHD|FADB|EAHD|EAIB"
)


def changed(content: bytes, seed: int) -> bytes:
    """Returns the bytes with one to eight changes, half of them in what describes the rest; one in twenty also ends early."""
    rng, found = random.Random(seed), bytearray(content)
    blocks = [each.start() for each in BLOCKS.finditer(content)] or [0]
    for _ in range(rng.choice([1, 1, 2, 4, 8])):
        at = rng.randrange(len(found))
        if rng.random() < 0.5:
            at = min(rng.choice(blocks) + rng.randrange(96), len(found) - 1)
        match rng.randrange(7):
            case 0:
                found[at] ^= 1 << rng.randrange(8)
            case 1:
                found[at] = rng.choice([0, 1, 127, 128, 254, 255, rng.randrange(256)])
            case 2:
                del found[at : at + rng.randrange(1, 9)]
            case 3:
                found[at:at] = rng.randbytes(rng.randrange(1, 9))
            case 4:  # a place or a size: nowhere, of another block, of this one, far away
                value = rng.choice(
                    [0, 8, rng.choice(blocks), at, len(found), 1 << 31, 1 << 40, (1 << 63) - 1, (1 << 64) - 1]
                )
                at -= at % 8
                found[at : at + 8] = value.to_bytes(8, "little")
            case 5:
                size = rng.choice([1, 2, 4])
                found[at : at + size] = rng.choice([0, 1, 255, 1 << (8 * size - 1)]).to_bytes(8, "little")[:size]
            case _:  # one block in the place of another
                other, size = rng.choice(blocks), rng.choice([8, 32, 128])
                found[at : at + size] = found[other : other + size]
    if rng.random() < 0.05:
        del found[rng.randrange(len(found)) :]
    return bytes(found)


def run(subject: str, seed: int, seconds: float) -> None:
    """Reads changed files until the time is over; prints each seed before, and what came of it after."""
    sys.path[:0] = [str(ROOT), str(ROOT / "src")]
    os.environ["JAX_PLATFORMS"] = "cpu"
    end = time.monotonic() + seconds
    folder = Path(tempfile.mkdtemp(prefix="stratagem-fuzz-"))
    content, read = SUBJECTS[subject](folder)
    vars(sys.modules["stratagem._private._hdf5_rewritten"])["_LONGEST"] = PATIENCE
    used = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    resource.setrlimit(resource.RLIMIT_AS, (used + MOST_MEMORY, resource.RLIM_INFINITY))
    try:
        while time.monotonic() < end:
            print("seed", seed, flush=True)
            signal.alarm(LONGEST)
            try:
                read(changed(content, seed))
                print("read", flush=True)
            except Exception as error:  # whatever a reader raises is an answer
                said = "\n".join([str(error), *getattr(error, "__notes__", ())])
                how = next((text for part, text in ENDS.items() if part in said), "")
                print(f"refused{how}{'' if str(folder) in said else ' without a name'}", flush=True)
            signal.alarm(0)
            seed += 1
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def fuzz(subject: str, seconds: float, seed: int) -> list[tuple[int, int]]:
    """Fuzzes one subject in children. Returns the seeds that ended one, with its status."""
    ends, found, counts = time.monotonic() + seconds, [], Counter[str]()
    while (left := ends - time.monotonic()) > 0 and len(found) < MOST_FOUND:
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
    if unknown := set(chosen) - SUBJECTS.keys():
        parser.error(f"no subjects: {sorted(unknown)}; there are {', '.join(SUBJECTS)}")
    results = [fuzz(name, 60 * options.minutes / len(chosen), options.seed) for name in chosen]
    return int(any(results))


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt):
        sys.exit(main())
