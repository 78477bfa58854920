"""The files of one checkpoint; nothing else in the library knows them.

    PREFIX-N/manifest.json    written last: names the generation and every file in it, the object graph, the arrays
    PREFIX-N/<generation>/    the arrays, written by Orbax

Without its manifest a directory is no checkpoint. The manifest is put in place by one atomic rename, also when an older
checkpoint of the same name is replaced: at every moment the directory holds the old one, the new one or none.
"""

import contextlib
import json
import os
import secrets
import shutil
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from stratagem._errors import CheckpointError, NotFoundError
from stratagem.checkpoint._graph import Node
from stratagem.checkpoint._orbax import read_arrays, write_arrays

_MANIFEST = "manifest.json"
_FORMAT = "stratagem checkpoint"
_VERSION = 1


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What a checkpoint holds: the graph, each variable's array and each stateful object's state, by path."""

    nodes: list[Node]
    arrays: dict[str, np.ndarray]
    states: dict[str, Any]


def write(path: str, contents: Contents) -> None:
    """Write a checkpoint to the directory `path`; returns when it is on disk. Missing parents are created.

    Raises OSError when a file cannot be written; then a checkpoint that was there before is still there.
    """
    directory = Path(path)
    directory.mkdir(parents=True, exist_ok=True)
    before = _manifest(directory)
    generation = secrets.token_hex(8)
    data = directory / generation
    try:
        data.mkdir()
        if contents.arrays:
            write_arrays(data, contents.arrays)
        text = json.dumps(_describe(contents, generation, data))
        _sync_tree(data)
        write_text(directory / _MANIFEST, text)
    except BaseException:
        shutil.rmtree(data, ignore_errors=True)
        if before is None:
            with contextlib.suppress(OSError):  # not empty: somebody else's files
                directory.rmdir()
        raise
    _sync(directory.parent)
    if before is not None:
        shutil.rmtree(directory / before["generation"], ignore_errors=True)


def read(path: str) -> Contents:
    """Everything in the checkpoint at `path`.

    Raises NotFoundError when there is no complete checkpoint, CheckpointError for one of a later format.
    """
    manifest = _demand_manifest(path)
    arrays = read_arrays(Path(path) / manifest["generation"]) if manifest["arrays"] else {}
    nodes = [Node(**node) for node in manifest["nodes"]]
    return Contents(nodes=nodes, arrays=arrays, states=manifest["states"])


def shapes_and_dtypes(path: str) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
    """Shape and dtype of every array, by path, without reading the arrays. Raises as `read`."""
    arrays = _demand_manifest(path)["arrays"]
    return {key: (tuple(entry["shape"]), np.dtype(entry["dtype"])) for key, entry in arrays.items()}


def is_complete(path: str) -> bool:
    """True when `path` holds a checkpoint that was written to its end and whose files are all there."""
    manifest = _manifest(Path(path))
    if manifest is None:
        return False
    data = Path(path) / manifest["generation"]
    return all(_size(data / name) == entry["bytes"] for name, entry in manifest["files"].items())


def delete(path: str) -> None:
    """Remove the checkpoint at `path`, if there is one. Its manifest goes first, so no half of it is ever believed."""
    for remove, target in ((os.remove, os.path.join(path, _MANIFEST)), (shutil.rmtree, path)):
        with contextlib.suppress(FileNotFoundError, NotADirectoryError):
            remove(target)


def write_text(path: Path, text: str) -> None:
    """Replace a text file atomically and durably."""
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        temporary.write_text(text, encoding="utf-8")
        _sync(temporary)
        os.replace(temporary, path)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise
    _sync(path.parent)


def read_text(path: Path) -> str | None:
    """The text of a file, or None when it does not exist."""
    try:
        return path.read_text(encoding="utf-8")
    except (FileNotFoundError, NotADirectoryError):
        return None


def _describe(contents: Contents, generation: str, data: Path) -> dict[str, Any]:
    arrays = {key: {"shape": list(a.shape), "dtype": str(a.dtype)} for key, a in contents.arrays.items()}
    return {
        "format": _FORMAT,
        "version": _VERSION,
        "generation": generation,
        "files": {str(file.relative_to(data)): {"bytes": file.stat().st_size} for file in _files(data)},
        "arrays": arrays,
        "states": contents.states,
        "nodes": [asdict(node) for node in contents.nodes],
    }


def _manifest(directory: Path) -> dict[str, Any] | None:
    """The manifest, or None where there is none or it is not one of ours."""
    text = read_text(directory / _MANIFEST)
    if text is None:
        return None
    try:
        manifest = json.loads(text)
    except ValueError:
        return None
    return manifest if isinstance(manifest, dict) and manifest.get("format") == _FORMAT else None


def _demand_manifest(path: str) -> dict[str, Any]:
    manifest = _manifest(Path(path))
    if manifest is None:
        there = os.path.exists(path)
        raise NotFoundError(
            f"No checkpoint at {path!r}: "
            + (f"its {_MANIFEST} is missing, so the save never finished." if there else "nothing is there.")
            + " Check the path, its number included (.../ckpt-1), or ask tf.train.latest_checkpoint(directory)."
        )
    if manifest["version"] > _VERSION:
        raise CheckpointError(
            f"The checkpoint {path!r} has format version {manifest['version']}, and this library reads up to "
            f"{_VERSION}. Read it with the version of stratagem that wrote it."
        )
    return manifest


def _files(data: Path) -> list[Path]:
    return sorted(path for path in data.rglob("*") if path.is_file())


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except (FileNotFoundError, NotADirectoryError):
        return -1


def _sync_tree(directory: Path) -> None:
    for path in directory.rglob("*"):
        _sync(path)
    _sync(directory)


def _sync(path: Path) -> None:
    """Make the file's content, or the directory's names, survive a power failure."""
    handle = os.open(path, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
