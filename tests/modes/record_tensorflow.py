"""Writes TensorFlow 2.15.1's results of all things and programs: `python -m tests.modes.record_tensorflow [part of a name]`."""

import gzip
import json
import multiprocessing
import sys
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf

from tests.modes import programs
from tests.modes.modes import REFERENCES, eagerly, numbers
from tests.modes.tables import RECORDED, THINGS
from tests.modes.thing import Thing


def of_thing(thing: Thing) -> dict[str, Any]:
    """The results of a thing by reference, or `{"error": class}`."""
    found: dict[str, Any] = {}
    for reference, step in REFERENCES.items():
        try:
            found[reference] = [written(numbers(r)) for r in eagerly(tf, thing.make(tf), step)]
        except Exception as error:
            found[reference] = {"error": type(error).__name__}
    return found


def written(array: Any) -> Any:
    """An array as JSON: its shape and numbers, those of complex ones as pairs."""
    if array is None:
        return None
    if array.dtype.kind == "c":
        array = np.stack([array.real, array.imag], -1)
        return {"complex": True, "shape": list(array.shape), "numbers": _numbers(array)}
    return {"shape": list(array.shape), "numbers": _numbers(array)}


def _numbers(array: Any) -> list[Any]:
    return [float(f"{v:.7g}") if np.isfinite(v) else str(float(v)) for v in np.asarray(array, np.float64).ravel()]


def recorded(name: str) -> tuple[str, Any]:
    """What is written for a thing or a program."""
    if name in THINGS:
        return name, of_thing(THINGS[name])
    program = next(program for program in programs.programs() if program.name == name)
    return name, [written(numbers(result)) for result in programs.eagerly(tf, program)]


def main() -> None:
    """Record what is named, or all. TensorFlow keeps what it has traced: a process records forty of them and ends."""
    part = sys.argv[1] if len(sys.argv) > 1 else ""
    path = Path(RECORDED)
    known = json.loads(gzip.decompress(path.read_bytes())) if part and path.exists() else {}
    every = [*THINGS, *(program.name for program in programs.programs())]
    names = [name for name in every if part in name]
    with multiprocessing.get_context("spawn").Pool(2, maxtasksperchild=40) as pool:
        for number, (name, found) in enumerate(pool.imap_unordered(recorded, names), start=1):
            known[name] = found
            sys.stderr.write(f"\r{number} of {len(names)}")
    text = json.dumps({name: known[name] for name in every if name in known}, separators=(",", ":"))
    path.write_bytes(gzip.compress(text.encode(), mtime=0))
    sys.stdout.write(f"{len(known)} recorded, {path.stat().st_size} bytes\n")


if __name__ == "__main__":
    main()
