"""Records what TensorFlow makes of one case after another: each in a process of its own, which has only so much time.

The file is written after every case, so that one which fails or hangs takes nothing along.
"""

import multiprocessing
import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np

Arrays = dict[str, np.ndarray]
SECONDS = 240.0  # for a case


def record(file: Path, case: Callable[[str, Path], Arrays], names: Iterable[str]) -> None:
    """Adds to an .npz file what `case` returns for each name and an empty folder, or replaces it: arrays `name/…`.

    case: a function of a module, which is imported once more for every name.
    """
    without: list[str] = []
    for name in names:
        with tempfile.TemporaryDirectory() as folder:
            found = _in_a_process(case, name, Path(folder))
        if found is None:
            without.append(name)
            continue
        kept = _arrays(file) if file.exists() else {}
        others = {key: value for key, value in kept.items() if not key.startswith(f"{name}/")}
        written = file.with_suffix(".new.npz")
        np.savez_compressed(written, **others, **{f"{name}/{key}": value for key, value in found.items()})
        os.replace(written, file)
        print("recorded", name, flush=True)
    if without:
        sys.exit(f"not recorded: {', '.join(without)}")


def checkpoint(path: Path | str) -> Arrays:
    """The files of a checkpoint, by what is behind its path in their names."""
    files = Path(path).parent.glob(f"{Path(path).name}.*[0-9x]")
    return {file.name.removeprefix(f"{Path(path).name}."): np.frombuffer(file.read_bytes(), np.uint8) for file in files}


def below(name: str, arrays: Mapping[str, Any]) -> Arrays:
    """Values with a name before their own."""
    return {f"{name}/{key}": np.asarray(value) for key, value in arrays.items()}


def _in_a_process(case: Callable[[str, Path], Arrays], name: str, folder: Path) -> Arrays | None:
    """What the case returns; None if it has failed, or has not ended in time."""
    file = folder / "found.npz"
    process = multiprocessing.get_context("spawn").Process(target=_save, args=(case, name, folder / "work", file))
    process.start()
    process.join(SECONDS)
    if process.is_alive():
        process.kill()
        process.join()
    return _arrays(file) if process.exitcode == 0 else None


def _save(case: Callable[[str, Path], Arrays], name: str, work: Path, file: Path) -> None:
    work.mkdir()
    np.savez(file, **case(name, work))


def _arrays(file: Path) -> Arrays:
    with np.load(file) as found:
        return {key: found[key] for key in found.files}
