"""HDF5 files with a checksum: HDF5 has none, so that damage would become other weights.

The seal is one line of text after HDF5's own end, where its readers do not look: every program reads a sealed file as before.
A program that changes the file takes the line away, as HDF5 cuts what is beyond its end: the file is then like any other
without a seal, which is read as it is. A list of shards (`.weights.json`) has its seal in its first line.
"""

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import google_crc32c

from stratagem._base.errors import DataLossError
from stratagem._private import hdf5_problem, read_hdf5_first
from stratagem._training.saving._seals import Seal, checksum, damaged, last_bytes

_LINE: Final = Seal(b"\nstratagem: the CRC32C of all before this line is %08x\n")
_FIRST_LINE: Final = Seal(b'{"stratagem_crc32c_of_all_below": "%08x",\n')
_NEEDED: Final = 12  # bytes of a seal that was cut by which it is known


def seal_hdf5(path: str | Path) -> None:
    """Adds the seal to a file that was just written. A list of shards (`.json`) is sealed, and each shard that it names."""
    path = Path(path)
    if path.suffix != ".json":
        with open(path, "r+b") as file:
            file.write(_LINE.of(checksum(file, os.path.getsize(path))))
        return
    text = path.read_bytes()
    for shard in _shards(path, json.loads(text)):
        seal_hdf5(shard)
    below = text[1:]  # all but its brace
    path.write_bytes(_FIRST_LINE.of(google_crc32c.value(below)) + below)


def verify_hdf5(path: str) -> None:
    """Compares a file that has a seal with it. A path that leads to no file is left to whoever reads it.

    Raises DataLossError for a file that is cut, or was changed by nobody who knows of HDF5, or is none.
    """
    if not os.path.isfile(path):
        return
    files = _verified_list(Path(path)) if path.endswith(".json") else [path]
    for file in files:
        _verify_seal(file)
    read_hdf5_first(files)
    for file in files:
        if (problem := hdf5_problem(file)) is not None:
            raise DataLossError(f"{file!r} is damaged, or no model: {problem}")


def _verify_seal(path: str) -> None:
    size = os.path.getsize(path)
    with open(path, "rb") as file:
        end = last_bytes(file, _LINE.length)
        is_sealed = _LINE.is_one(end)
        if is_sealed and end != _LINE.of(checksum(file, size - _LINE.length)):
            raise damaged(path)
    if not is_sealed and _LINE.text[:_NEEDED] in end:
        raise DataLossError(f"{path!r} is damaged: its last bytes are missing.")


def _shards(path: Path, listed: Any) -> Iterator[Path]:
    """The files that a list of shards names, beside it."""
    names: set[str] = set()
    for found in listed["weight_map"].values():
        names.update(found if isinstance(found, list) else [found])
    for name in sorted(names):
        yield path.with_name(name)


def _verified_list(path: Path) -> list[str]:
    """Returns the files that a list of shards names, which are there."""
    text = path.read_bytes()
    first, below = text[: _FIRST_LINE.length], text[_FIRST_LINE.length :]
    if _FIRST_LINE.is_one(first) and first != _FIRST_LINE.of(google_crc32c.value(below)):
        raise damaged(str(path))
    try:
        shards = list(_shards(path, json.loads(text)))
    except (ValueError, TypeError, AttributeError, KeyError, RecursionError) as error:
        raise DataLossError(f"{str(path)!r} is damaged: it is no list of files with weights: {error!r:.100}") from error
    for shard in shards:
        if not shard.is_file():
            raise DataLossError(f"{str(path)!r} names {shard.name!r}, which is not beside it.")
    return [str(shard) for shard in shards]
