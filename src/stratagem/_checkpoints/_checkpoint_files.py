"""Reads and writes the files of one checkpoint; no other module knows their layout.

    PREFIX-N/manifest.json    written last: names the generation, every file in it with its checksum, the arrays, the graph
    PREFIX-N/<generation>/    the arrays in one file; attached files, such as the functions of a SavedModel

On a remote file system the files are made here, and then uploaded: the manifest last, by one request, which replaces a rename.

A directory without a manifest is not a checkpoint. The manifest is put in place by one atomic rename, even when it replaces
an older checkpoint of the same name: at every moment the directory holds the old one, the new one or none. Everything that
the manifest names is on disk before the rename, and is never changed after it.
"""

import contextlib
import json
import os
import secrets
import shutil
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

import numpy as np

from stratagem._base.errors import CheckpointError, DataLossError, NotFoundError
from stratagem._base.files import is_temporary, make_directories, sync, sync_tree, write_text
from stratagem._base.memory import machine_memory, refuse_more_than
from stratagem._base.paths import is_remote
from stratagem._base.storage import UNANSWERED
from stratagem._checkpoints._arrays_file import NAME as ARRAYS
from stratagem._checkpoints._arrays_file import read_arrays, write_arrays
from stratagem._checkpoints._contents import CheckpointContents
from stratagem._checkpoints._keras_two import READ
from stratagem._checkpoints._manifest import (
    GENERATION,
    KERAS_TWO_NAMING,
    NAME,
    OWN_NAMING,
    ArrayFact,
    FileFact,
    Manifest,
    damaged,
    encode,
    load,
    name_unsaved,
)
from stratagem._checkpoints._naming import OWN
from stratagem._checkpoints._remote_files import delete_remote, write_remote
from stratagem._checkpoints._safe_reads import checksum, checksum_of
from stratagem._checkpoints._verification import check_file, check_size

# Files that lie beside the arrays, by name (with `/` between folders): their bytes, or a file to copy.
AttachedFiles: TypeAlias = Mapping[str, bytes | Path]


def write(
    path: str, contents: CheckpointContents, *, listed: bool = True, attached: AttachedFiles | None = None
) -> Manifest:
    """Writes a checkpoint to the directory `path`; returns when it is on disk. Missing parents are created.

    listed: whether it belongs in the directory's list of checkpoints.
    attached: files to lie beside the arrays.
    Raises OSError when a file cannot be written; an earlier checkpoint at this path is then still there.
    """
    if is_remote(path):
        return write_remote(path, lambda copy: _write_here(Path(copy), path, contents, listed, attached))
    return _write_here(Path(path), path, contents, listed, attached)


def _write_here(
    directory: Path, path: str, contents: CheckpointContents, listed: bool, attached: AttachedFiles | None
) -> Manifest:
    """Writes a checkpoint to a directory of this machine. path: that which it will have."""
    make_directories(directory)
    generation = secrets.token_hex(8)
    data = directory / generation
    try:
        data.mkdir()
        file, facts = write_arrays(data / ARRAYS, _in_memory(contents))
        for name, source in (attached or {}).items():
            beside = data / name
            beside.parent.mkdir(parents=True, exist_ok=True)
            beside.write_bytes(source if isinstance(source, bytes) else source.read_bytes())
        manifest = _describe(contents, generation, data, listed, file, facts)
        sync_tree(data)
        sync(directory)
        write_text(directory / NAME, encode(manifest))
    except BaseException as error:
        # Else the failure came after the rename, and this is the checkpoint now.
        if _generation(str(directory)) != generation:
            shutil.rmtree(data, ignore_errors=True)
        with contextlib.suppress(OSError):  # not empty: the older checkpoint, or somebody else's files
            directory.rmdir()
        if isinstance(error, OSError):
            name_unsaved(error, path)
        raise
    _remove_leftovers(directory, generation)
    return manifest


def read(path: str) -> CheckpointContents:
    """Everything in the checkpoint at `path`, after comparing every byte with its checksum.

    Raises NotFoundError when there is no complete checkpoint, DataLossError when a file of it is missing or changed,
    CheckpointError for one of a later format or larger than this machine's memory.
    """
    manifest = load(path)
    _check_no_links(path, manifest)
    for name, fact in manifest.files.items():
        (check_size if name == ARRAYS else check_file)(path, manifest, name, fact)
    _check_memory(path, manifest)
    arrays = _arrays(path, manifest)
    slots: dict[int, dict[tuple[int, str], int]] = {}
    for optimizer, original, name, slot in manifest.slots:
        slots.setdefault(optimizer, {})[original, name] = slot
    return CheckpointContents(
        nodes=manifest.nodes,
        arrays={**arrays},
        states=manifest.states,
        non_finite=manifest.non_finite,
        naming=OWN if manifest.naming == OWN_NAMING else READ,
        slots=slots,
    )


def _arrays(path: str, manifest: Manifest) -> dict[str, np.ndarray]:
    """The arrays, every byte of whose file has been compared with its checksum."""
    shown, saved = f"{manifest.generation}/{ARRAYS}", manifest.files.get(ARRAYS)
    if saved is None:
        raise damaged(path, NAME, f"it does not name {ARRAYS}")
    try:
        found, arrays = read_arrays(os.path.join(path, shown), manifest.arrays)
    except (*UNANSWERED, PermissionError):
        raise  # of a remote file system; the file may be good
    except (ValueError, OSError) as error:
        raise damaged(path, shown, f"its arrays cannot be read: {error}") from error
    if found != saved:
        raise damaged(path, shown, f"its checksum is {found.crc32c}, and {saved.crc32c} was saved")
    return arrays


def attached_file(path: str, manifest: Manifest, name: str) -> Path:
    """The path of an attached file. Raises DataLossError if the checkpoint has none of this name."""
    if name not in manifest.files:
        raise damaged(path, manifest.generation, f"it has no file {name!r}")
    return Path(path) / manifest.generation / name


def verify(path: str) -> Manifest:
    """Compares every file of the checkpoint with its checksum and returns the manifest. Raises the same errors as `read`."""
    manifest = load(path)
    _check_no_links(path, manifest)
    for name, fact in manifest.files.items():
        check_file(path, manifest, name, fact)
    return manifest


def verify_sizes(path: str) -> Manifest:
    """Compares only the sizes of the files with the manifest, and returns it. Raises the same errors as `read`."""
    manifest = load(path)
    _check_no_links(path, manifest)
    for name, fact in manifest.files.items():
        check_size(path, manifest, name, fact)
    return manifest


def is_complete(path: str) -> bool:
    """Returns whether `path` holds a checkpoint that was written completely and whose files all exist."""
    try:
        verify_sizes(path)
    except (NotFoundError, DataLossError):
        return False
    except CheckpointError:
        return True  # of a different version: complete, but not for us
    return True


def shapes_and_dtypes(path: str) -> dict[str, tuple[tuple[int, ...], np.dtype]]:
    """The shape and dtype of every array, by path, without reading the arrays. Raises the same errors as `read`."""
    return {key: (fact.shape, np.dtype(fact.dtype)) for key, fact in load(path).arrays.items()}


def named_in(path: str) -> list[str]:
    """The paths of the variables that are matched by name. Raises the same errors as `read`."""
    return [node.path for node in load(path).nodes if node.kind == "named"]


def holds(path: str, contents: CheckpointContents) -> bool:
    """Returns whether the checkpoint at `path` has these contents, by its checksums. Raises the same errors as `read`."""
    manifest = load(path)
    states = json.loads(json.dumps(contents.states))
    return (manifest.arrays, manifest.states, manifest.nodes) == (_facts(contents), states, contents.nodes)


def delete(path: str) -> None:
    """Removes the checkpoint at `path`, if there is one, and no other files.

    The manifest is removed first, so that a partly deleted checkpoint is never taken for a complete one.
    """
    if is_remote(path):
        delete_remote(path)
        return
    directory = Path(path)
    if directory.is_symlink():
        directory.unlink()
        return
    if not directory.is_dir():
        return
    with contextlib.suppress(FileNotFoundError):
        os.remove(directory / NAME)
    _remove_leftovers(directory, "")
    with contextlib.suppress(OSError):  # not empty: somebody else's files
        directory.rmdir()


def _describe(
    contents: CheckpointContents,
    generation: str,
    data: Path,
    listed: bool,
    arrays: FileFact,
    facts: dict[str, ArrayFact],
) -> Manifest:
    """The manifest. arrays, facts: of the file with the arrays, which need not be read again."""
    files = {ARRAYS: arrays}
    for file in sorted(path for path in data.rglob("*") if path.is_file() and path != data / ARRAYS):
        size, crc = checksum_of(str(file))
        files[file.relative_to(data).as_posix()] = FileFact(bytes=size, crc32c=crc)
    return Manifest(
        generation=generation,
        saved_at=time.time(),
        files=files,
        arrays=facts,
        states=contents.states,
        nodes=contents.nodes,
        listed=listed,
        non_finite=contents.non_finite,
        naming=OWN_NAMING if contents.naming is OWN else KERAS_TWO_NAMING,
        slots=[
            (optimizer, original, name, slot)
            for optimizer, slots in contents.slots.items()
            for (original, name), slot in slots.items()
        ],
    )


def _in_memory(contents: CheckpointContents) -> dict[str, np.ndarray]:
    return {key: np.asarray(array) for key, array in contents.arrays.items()}


def _facts(contents: CheckpointContents) -> dict[str, ArrayFact]:
    return {
        key: ArrayFact(
            shape=a.shape, dtype=str(a.dtype), crc32c=checksum(np.ascontiguousarray(a).reshape(-1).view(np.uint8))
        )
        for key, a in _in_memory(contents).items()
    }


def _generation(path: str) -> str | None:
    """The generation that the manifest names; None if it cannot be read."""
    try:
        return load(path).generation
    except (OSError, CheckpointError):
        return None


def _remove_leftovers(directory: Path, generation: str) -> None:
    """Removes leftovers of replaced checkpoints and killed processes: all of our files except this generation."""
    for entry in list(os.scandir(directory)):
        if entry.is_dir(follow_symlinks=False) and GENERATION.fullmatch(entry.name) and entry.name != generation:
            shutil.rmtree(entry.path, ignore_errors=True)
        elif is_temporary(entry.name, NAME) and entry.is_file(follow_symlinks=False):
            Path(entry.path).unlink(missing_ok=True)


def _check_no_links(path: str, manifest: Manifest) -> None:
    """Checks that nothing below the generation leads out of it, whether the manifest names it or not."""
    if is_remote(path):
        return  # nothing does: fsspec gives names of files, and those in the manifest lead nowhere else
    data = Path(path) / manifest.generation
    if data.is_symlink() or not data.is_dir():
        problem = "it is a symbolic link" if data.is_symlink() else "it is missing"
        raise damaged(path, manifest.generation, problem)
    for folder, folders, _ in os.walk(data):
        for name in folders:
            here = Path(folder) / name
            if here.is_symlink():
                raise damaged(path, here.relative_to(path).as_posix(), "it is a symbolic link")
    for file in data.rglob("*"):
        if not file.is_dir() and (file.is_symlink() or not file.is_file()):
            raise damaged(path, file.relative_to(path).as_posix(), "it is a link or no regular file")


def _check_memory(path: str, manifest: Manifest) -> None:
    """Refuses arrays that exceed the machine's memory, before anything is allocated."""
    needed = sum(fact.nbytes for fact in manifest.arrays.values())
    refuse_more_than(
        machine_memory(), needed, f"The checkpoint {path!r}, by what it says of its arrays,", CheckpointError
    )
