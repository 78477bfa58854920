"""The file manifest.json: its contents, its checksum, and the validation of manifests from strangers.

    {"crc32c": "<of every byte below this line>",
     "format": ..., "version": ..., "generation": ..., "files": ..., "arrays": ..., "states": ..., "nodes": ...}

The place and rule of the checksum never change, so that a later version can be told from a damaged file.
"""

import contextlib
import fnmatch
import glob
import json
import math
import os
import re
from dataclasses import asdict, dataclass, field
from typing import Any, TypeGuard

import numpy as np

from stratagem._base.dtype_names import named_dtype
from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError
from stratagem._base.paths import parent
from stratagem._base.storage import file_system
from stratagem._checkpoints._graph import Node
from stratagem._checkpoints._safe_reads import UnreadableFileError, checksum, read_text

NAME = "manifest.json"
GENERATION = re.compile(r"[0-9a-f]{16}")

OWN_NAMING, KERAS_TWO_NAMING = "stratagem", "keras 2"

_FORMAT = "stratagem checkpoint"
_VERSION = 2  # 1: arrays in the files of Orbax
_LIMIT = 1 << 28  # bytes of a manifest: about a million variables
_SEAL = re.compile(r'\{"crc32c": "([0-9a-f]{8})",\n')
_KINDS = ("variable", "named", "state", "object")


@dataclass(frozen=True, kw_only=True)
class FileFact:
    """The size in bytes and CRC-32C of one file."""

    bytes: int
    crc32c: str


@dataclass(frozen=True, kw_only=True)
class ArrayFact:
    """The shape, dtype and CRC-32C of one array's values in C order."""

    shape: tuple[int, ...]
    dtype: str
    crc32c: str

    @property
    def count(self) -> int:
        """The number of values."""
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        """The size in memory."""
        return self.count * np.dtype(self.dtype).itemsize


@dataclass(frozen=True, kw_only=True)
class Manifest:
    """The description of one checkpoint: files by name, arrays and states by path, the object graph.

    listed: False for a checkpoint that is left out of lists of checkpoints.
    non_finite: the arrays that hold a NaN or an infinity.
    naming: how the edges of the graph are named, as here or as in Keras 2. slots: of optimizers whose slots no edge
        leads to: the numbers of the optimizer and of the variable, the slot's name, and the slot's number.
    """

    generation: str
    saved_at: float
    files: dict[str, FileFact]
    arrays: dict[str, ArrayFact]
    states: dict[str, Any]
    nodes: list[Node]
    listed: bool = True
    non_finite: list[str] = field(default_factory=list)
    naming: str = OWN_NAMING
    slots: list[tuple[int, int, str, int]] = field(default_factory=list)
    seal: str = ""


def encode(manifest: Manifest) -> str:
    """The text of the file."""
    body = {"format": _FORMAT, "version": _VERSION} | asdict(manifest)
    del body["seal"]
    if manifest.naming == OWN_NAMING and not manifest.slots:
        del body["naming"], body["slots"]
    text = json.dumps(body)[1:]
    return f'{{"crc32c": "{checksum(text)}",\n{text}'


def load(path: str) -> Manifest:
    """The manifest of the checkpoint at `path`, after validating every part of it.

    Raises NotFoundError when there is none, DataLossError when it has been changed or names something that no checkpoint
    holds, CheckpointError when the format is that of a different version of the library.
    """
    text = _text(path)
    sealed = _SEAL.match(text)
    if sealed is None:
        raise damaged(path, NAME, "it is not a manifest, or its first bytes were changed")
    found = checksum(text[sealed.end() :])
    if found != sealed.group(1):
        raise damaged(path, NAME, f"its checksum is {found}, and {sealed.group(1)} was saved")
    try:
        return _parse(path, json.loads(text), found)
    except (_InvalidManifestError, ValueError, RecursionError) as error:
        if isinstance(error, CheckpointError):
            raise
        raise damaged(path, NAME, f"it is sealed, but not by this library: {error}") from error


def damaged(path: str, file: str, problem: str) -> DataLossError:
    """The error for a damaged file of a checkpoint."""
    return DataLossError(f"The checkpoint {path!r} is damaged: {file}: {problem}.")


def name_unsaved(error: OSError, path: str) -> None:
    """Makes an error say which checkpoint was not saved, since a full disk's names no file."""
    if error.filename is None and error.errno is not None:
        error.filename = path
    error.add_note(f"The checkpoint {path!r} was not saved. Earlier ones are as they were.")


class _InvalidManifestError(Exception):
    """A manifest has content that this library never writes."""


def _text(path: str) -> str:
    try:
        return read_text(os.path.join(path, NAME), _LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(
            f"No checkpoint at {path!r}: {_missing(path)}"
            + " Check the path, its number included (.../ckpt-1), or ask tf.train.latest_checkpoint(directory)."
        ) from None
    except (UnreadableFileError, ValueError) as error:
        raise damaged(path, NAME, str(error)) from error


def _missing(path: str) -> str:
    if file_system(path).exists(path):
        return f"its {NAME} is missing, so the save never finished."
    folder, name = parent(path) or ".", os.path.basename(path)
    shards: list[str] = []
    with contextlib.suppress(OSError):  # a folder that cannot be listed: there is less to say
        shards = fnmatch.filter(file_system(folder).entries(folder), f"{glob.escape(name)}.data-?????-of-?????")
    if shards:
        return f"{name}.index is missing beside {min(shards)}."
    return "nothing is there."


def _parse(path: str, found: Any, seal: str) -> Manifest:
    _check(isinstance(found, dict) and found.get("format") == _FORMAT, f"its format is not {_FORMAT!r}")
    version = found.get("version")
    _check(_is_natural(version), f"version {version!r}")
    if version != _VERSION:
        raise CheckpointError(
            f"The checkpoint {path!r} has format version {version}, and this library reads {_VERSION}. "
            "Read it with the version of stratagem that wrote it."
        )
    generation, saved_at = found.get("generation"), found.get("saved_at")
    _check(isinstance(generation, str) and GENERATION.fullmatch(generation), f"generation {generation!r}")
    _check(isinstance(saved_at, int | float), f"saved_at {saved_at!r}")
    listed = found.get("listed", True)
    _check(isinstance(listed, bool), f"listed {listed!r}")
    arrays = {key: _array(key, entry) for key, entry in _table(found, "arrays").items()}
    states = _table(found, "states")
    non_finite = found.get("non_finite", [])
    _check(isinstance(non_finite, list), f"non_finite {non_finite!r}")
    _check(all(isinstance(n, str) and n in arrays for n in non_finite), f"non_finite {non_finite!r:.100}")
    nodes = _nodes(found.get("nodes"), arrays, states)
    naming = found.get("naming", OWN_NAMING)
    _check(naming in (OWN_NAMING, KERAS_TWO_NAMING), f"naming {naming!r:.100}")
    return Manifest(
        generation=generation,
        saved_at=float(saved_at),
        files={name: _file(name, entry) for name, entry in _table(found, "files").items()},
        arrays=arrays,
        states=states,
        nodes=nodes,
        listed=listed,
        non_finite=non_finite,
        naming=naming,
        slots=_slots(found.get("slots", []), len(nodes)),
        seal=seal,
    )


def _file(name: str, entry: Any) -> FileFact:
    parts = name.split("/")
    _check(name.isprintable() and "\\" not in name and not {"", ".", ".."} & set(parts), f"a file named {name!r}")
    _check(_has_only(entry, "bytes", "crc32c") and _is_natural(entry["bytes"]), f"file {name!r} is {entry!r}")
    return FileFact(bytes=entry["bytes"], crc32c=_crc(entry))


def _array(key: str, entry: Any) -> ArrayFact:
    _check(key.isprintable() and _has_only(entry, "shape", "dtype", "crc32c"), f"array {key!r} is {entry!r}")
    shape, name = entry["shape"], entry["dtype"]
    _check(isinstance(shape, list) and len(shape) <= 32 and all(map(_is_natural, shape)), f"{key!r}: shape {shape!r}")
    _check(isinstance(name, str) and _is_numeric(name), f"array {key!r}: dtype {name!r}")
    return ArrayFact(shape=tuple(shape), dtype=name, crc32c=_crc(entry))


def _nodes(entries: Any, arrays: dict[str, ArrayFact], states: dict[str, Any]) -> list[Node]:
    _check(isinstance(entries, list) and entries, "there is no object graph")
    nodes = []
    for entry in entries:
        _check(_has_only(entry, "path", "kind", "children"), f"node {entry!r}")
        path, kind, children = entry["path"], entry["kind"], entry["children"]
        _check(isinstance(path, str) and kind in _KINDS and isinstance(children, dict), f"node {entry!r}")
        _check(all(_is_natural(i) and i < len(entries) for i in children.values()), f"node {path!r}: its children")
        _check(kind not in ("variable", "named") or path in arrays, f"node {path!r} has no array")
        _check(kind != "state" or path in states, f"node {path!r} has no state")
        nodes.append(Node(path=path, kind=kind, children=children))
    return nodes


def _slots(entries: Any, count: int) -> list[tuple[int, int, str, int]]:
    _check(isinstance(entries, list), f"slots {entries!r:.100}")
    slots = []
    for entry in entries:
        _check(isinstance(entry, list) and len(entry) == 4, f"slot {entry!r:.100}")
        optimizer, original, name, slot = entry
        numbers = (optimizer, original, slot)
        _check(all(_is_natural(n) and n < count for n in numbers) and isinstance(name, str), f"slot {entry!r:.100}")
        slots.append((optimizer, original, name, slot))
    return slots


def _table(found: dict[str, Any], name: str) -> dict[str, Any]:
    table = found.get(name)
    _check(isinstance(table, dict), f"{name} is not a table")
    assert isinstance(table, dict)
    return table


def _crc(entry: dict[str, Any]) -> str:
    crc = entry["crc32c"]
    _check(isinstance(crc, str) and re.fullmatch(r"[0-9a-f]{8}", crc), f"crc32c {crc!r}")
    return str(crc)


def _has_only(entry: Any, *names: str) -> bool:
    return isinstance(entry, dict) and entry.keys() == set(names)


def _is_natural(value: Any) -> TypeGuard[int]:
    return type(value) is int and 0 <= value < 1 << 62


def _is_numeric(name: str) -> bool:
    """Returns whether `name` is a NumPy or ml_dtypes number type, as `str(dtype)` writes it."""
    try:
        dtype = named_dtype(name)
    except ValueError:
        return False
    return dtype.kind in "biufc" or dtype.isbuiltin == 2


def _check(right: object, problem: str) -> None:
    if not right:
        raise _InvalidManifestError(problem)
