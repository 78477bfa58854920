"""Writes a TensorFlow checkpoint, a bundle: one shard with all tensors, and their table."""

import contextlib
import os
import re
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import google_crc32c
import numpy as np

from stratagem._base.errors import NotFoundError, OpError
from stratagem._base.files import atomic_write
from stratagem._base.framing import mask
from stratagem._base.paths import is_remote, parent
from stratagem._base.storage import file_system, upload
from stratagem._base.tensor_proto import CODES
from stratagem._checkpoints.tensorflow._bundle import Bundle
from stratagem._checkpoints.tensorflow._messages import Entry, Header
from stratagem._checkpoints.tensorflow._shards import shard_path
from stratagem._checkpoints.tensorflow._strings import encode_strings
from stratagem._checkpoints.tensorflow._table import table

_CHUNK = 8 << 20
_SHARD = re.compile(r"\.data-\d{5}-of-\d{5}")
_UNFINISHED = re.compile(r"\.[0-9a-f]{8}\.(?=.)")  # as `atomic_write` names a file until it is complete


def write_bundle(prefix: str, tensors: Mapping[str, np.ndarray]) -> None:
    """Writes tensors as the checkpoint `prefix`; returns when it is on disk. Arrays of objects hold strings as bytes objects.

    At every moment the files are the old checkpoint, the new one or none: its shards have names that the old one's do not have
    (`-of-00002` beside `-of-00001`), and its table replaces the old one at once. Raises OSError; the old one is then there.
    """
    count = 2 if _shards_of(prefix) == 1 else 1
    if not is_remote(prefix):
        _write_files(prefix, tensors, count)
        _remove_others(prefix, count)
        return
    with tempfile.TemporaryDirectory(prefix="stratagem-upload-") as folder:
        copy = os.path.join(folder, "checkpoint")
        _write_files(copy, tensors, count)
        for number in range(count):
            upload(shard_path(copy, number, count), shard_path(prefix, number, count))
        upload(f"{copy}.index", f"{prefix}.index")
    _remove_others(prefix, count)


def _write_files(prefix: str, tensors: Mapping[str, np.ndarray], count: int) -> None:
    entries = {b"": Header(num_shards=count, version={"producer": 1}).SerializeToString()}
    with atomic_write(Path(shard_path(prefix, 0, count))) as written, written.open("wb") as file:
        for name in sorted(tensors):
            entries[name.encode()] = _append(file, tensors[name])
    for number in range(1, count):
        Path(shard_path(prefix, number, count)).write_bytes(b"")
    with atomic_write(Path(f"{prefix}.index")) as written:
        written.write_bytes(table(sorted(entries.items())))


def delete_bundle(prefix: str) -> None:
    """Removes the files of the checkpoint `prefix`, if there is one: first its table, without which it is none."""
    index = f"{prefix}.index"
    with contextlib.suppress(FileNotFoundError):
        file_system(index).remove(index)
    _remove_others(prefix, 0)


def _append(file: Any, array: np.ndarray) -> bytes:
    """Appends a tensor to the shard; returns its entry in the table."""
    entry = Entry(dtype=CODES["string" if array.dtype == object else array.dtype.name], offset=file.tell())
    entry.shape.SetInParent()
    for size in array.shape:
        entry.shape.dim.add(size=size)
    if array.dtype == object:
        data, entry.crc32c = encode_strings(array.ravel().tolist())
        file.write(data)
        entry.size = len(data)
    else:
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        crc = 0
        for at in range(0, flat.size, _CHUNK):
            chunk = flat[at : at + _CHUNK].tobytes()
            crc = google_crc32c.extend(crc, chunk)
            file.write(chunk)
        entry.size, entry.crc32c = flat.size, mask(crc)
    return bytes(entry.SerializeToString())


def _shards_of(prefix: str) -> int:
    """The number of shards that the checkpoint at `prefix` has now; 0 if there is none that can be read."""
    try:
        return Bundle(prefix).shards
    except (NotFoundError, OpError):
        return 0


def _remove_others(prefix: str, count: int) -> None:
    """Removes the shards of replaced checkpoints with this prefix, and what killed processes have left."""
    directory, name = parent(prefix), os.path.basename(prefix)
    files = file_system(directory or ".")
    for entry in files.entries(directory or "."):
        other = _is_shard(entry, name) and not entry.endswith(f"-of-{count:05d}")
        unfinished = _UNFINISHED.match(entry)
        if unfinished is not None:
            whole = entry[unfinished.end() :]
            other = whole == f"{name}.index" or _is_shard(whole, name)
        if other:
            with contextlib.suppress(FileNotFoundError):
                files.remove(os.path.join(directory, entry))


def _is_shard(file: str, name: str) -> bool:
    return file.startswith(name) and _SHARD.fullmatch(file, len(name)) is not None
