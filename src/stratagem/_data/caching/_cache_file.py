"""The file format of a cache: elements one after another and an index at the end, without which the cache is incomplete.

Layout: a magic line; for each element its length, its CRC-32 and its bytes; a JSON index with its length and CRC-32; a
last line. Numbers are little-endian. An element's bytes: the length of a JSON list of the dtypes and shapes of its leaves,
that list, and the leaves, each aligned to 16 bytes. A string array is stored as all lengths, followed by all bytes. If the
index says so, an element's bytes are compressed by zlib.
"""

import contextlib
import itertools
import json
import os
import struct
import time
import uuid
import weakref
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import jax
import numpy as np

from stratagem._base.dtype_names import named_dtype
from stratagem._base.errors import DataLossError, InvalidArgumentError, NotFoundError
from stratagem._base.files import commit
from stratagem._data.elements._nest import Array, leaves
from stratagem._data.elements._spec import NestedDataset
from stratagem._data.stages._order import State

_MAGIC = b"STRATAGEM CACHE 1\n"
_END = b"COMPLETE CACHE\n"
_FRAME = struct.Struct("<QI")  # length, CRC-32
_HEAD = struct.Struct("<I")
_ALIGNMENT = 16
_BLOCK = 1 << 20
_LEVEL = 1  # of compression: the fastest
_MARK = 1024  # the index has the offset of every 1024th element
_STALE_SECONDS = 24 * 3600.0


@final
@dataclass(frozen=True)
class CacheIndex:
    """The index of a complete cache.

    count: the number of elements. components: the path and dtype of every leaf. part: the part of the data, see
    `FileCacheStage.part`. origin: the state of the pipeline at the first element. marks: the offset of every 1024th
    element. end: the end of the last one. compressed: whether elements are.
    """

    count: int
    components: list[list[str]]
    part: list[list[int]]
    origin: State
    marks: list[int]
    end: int
    compressed: bool = False


def components_of(nest: Any) -> list[list[str]]:
    """The path and dtype of every leaf of an element or a spec."""
    found = jax.tree_util.tree_leaves_with_path(nest)
    return [[jax.tree_util.keystr(path), np.dtype(leaf.dtype).name] for path, leaf in found]


def read_index(path: Path) -> CacheIndex | None:
    """Reads the index of a cache; None when there is no file.

    Raises:
        InvalidArgumentError: the file is not a cache.
        DataLossError: it is damaged.
    """
    tail = _FRAME.size + len(_END)
    try:
        with path.open("rb") as file:
            if file.read(len(_MAGIC)) != _MAGIC:
                raise InvalidArgumentError(f"{path} is not a cache of a dataset. Give `cache` another file name.")
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - tail))
            frame = file.read(tail)
            length, crc = _FRAME.unpack(frame[: _FRAME.size]) if len(frame) == tail else (0, 0)
            start = size - tail - length
            if frame[_FRAME.size :] != _END or start < len(_MAGIC):
                raise _damaged(path, "its end is missing")
            file.seek(start)
            text = file.read(length)
    except FileNotFoundError:
        return None
    if zlib.crc32(text) != crc:
        raise _damaged(path, "its index is damaged")
    return _index_of(path, text, start)


def _index_of(path: Path, text: bytes, start: int) -> CacheIndex:
    """Reads the text of an index, which begins in a file at `start`. Raises DataLossError for what no writer writes."""
    try:
        index = CacheIndex(**json.loads(text))
        places = [len(_MAGIC), *index.marks, index.end]
        is_ordered = all(first <= second for first, second in itertools.pairwise(places))
        fits = index.count == 0 or len(index.marks) == 1 + (index.count - 1) // _MARK
        if index.count < 0 or not fits or not is_ordered or index.end != start:
            raise ValueError("its numbers contradict each other")
    except (ValueError, TypeError, RecursionError) as error:
        raise _damaged(path, f"its index is damaged: {error}") from error
    return index


def check_part(path: Path, index: CacheIndex, part: list[list[int]]) -> None:
    """Refuses a cache of another part of the data.

    Raises:
        InvalidArgumentError: it is one.
    """
    if index.part != part:
        raise InvalidArgumentError(
            f"The cache file {path} was made of another part of the data: its `take`, `skip` and `shard` were {index.part} "
            f"(start, step, count; the last first), and here they are {part}. Give every worker's cache a name of its own, "
            "or delete the file."
        )


def elements_from(path: Path, index: CacheIndex, position: int) -> Iterator[list[Array]]:
    """Yields the leaves of a complete cache's elements from `position` on; reads the file in blocks.

    Raises:
        DataLossError: an element is damaged.
        NotFoundError: the file has been removed.
    """
    if position >= index.count:
        return  # even if the file is damaged before this position
    number = position - position % _MARK
    place = index.marks[number // _MARK]
    block, start = b"", place
    while number < index.count:
        length, crc = _FRAME.size, 0
        for wanted in ("frame", "element"):
            if place + length > index.end:
                raise _damaged(path, f"element {number} is cut off")
            if place + length > start + len(block):
                block, start = _read(path, place, max(_BLOCK, length)), place
            found = block[place - start : place - start + length]
            place += len(found)
            if len(found) < length:
                raise _damaged(path, f"element {number} is cut off")
            if wanted == "frame":
                length, crc = _FRAME.unpack(found)
        if number >= position:
            if zlib.crc32(found) != crc:
                raise _damaged(path, f"element {number} is damaged")
            try:
                element = _decoded(zlib.decompress(found) if index.compressed else found)
            # An element of no bytes has the checksum 0: what a power cut leaves of a block is zeros, and they fit.
            except (ValueError, TypeError, KeyError, struct.error, zlib.error, RecursionError) as error:
                raise _damaged(path, f"element {number} is damaged: {error}") from error
            yield element
        number += 1


@final
class CacheWriter:
    """Writes a cache under a temporary name, and renames it when it is complete.

    Several writers, also in different processes, may write the same cache at once: the first to finish wins. Files of
    unfinished writers are removed with them; those of killed processes after a day.
    """

    def __init__(self, path: Path, part: list[list[int]], origin: State, *, compress: bool = False) -> None:
        self._path = path
        self._compress = compress
        self._part = part
        self._origin = origin
        self._partial = path.with_name(f"{path.name}.{uuid.uuid4().hex}.partial")
        self._buffer = bytearray(_MAGIC)
        self._written = 0
        self._count = 0
        self._components: list[list[str]] = []
        self._marks: list[int] = []
        self._remove = weakref.finalize(self, _removed, self._partial)

    def write(self, element: Any) -> None:
        """Appends an element.

        Raises:
            TypeError: it holds datasets.
            NotFoundError: the folder does not exist.
        """
        arrays = leaves(element)
        if any(isinstance(array, NestedDataset) for array in arrays):
            raise TypeError("Datasets in elements (windows) cannot be cached in a file. Use `cache()` for memory.")
        if self._count == 0:
            self._components = components_of(element)
        if self._count % _MARK == 0:
            self._marks.append(self._written + len(self._buffer))
        payload = zlib.compress(_encoded(arrays), _LEVEL) if self._compress else _encoded(arrays)
        self._buffer += _FRAME.pack(len(payload), zlib.crc32(payload))
        self._buffer += payload
        self._count += 1
        if len(self._buffer) >= _BLOCK:
            self._flush()

    def complete(self) -> None:
        """Renames the file to its final name, unless another writer was faster.

        Raises:
            InvalidArgumentError: the other writer has cached another part of the data.
        """
        end = self._written + len(self._buffer)
        index = CacheIndex(self._count, self._components, self._part, self._origin, self._marks, end, self._compress)
        text = json.dumps(vars(index)).encode()
        self._buffer += text + _FRAME.pack(len(text), zlib.crc32(text)) + _END
        self._flush()
        other = read_index(self._path)
        if other is None:
            commit(self._partial, self._path)
        self._remove()
        if other is not None:
            check_part(self._path, other, self._part)

    def abandon(self) -> None:
        """Removes the unfinished file."""
        self._remove()

    def _flush(self) -> None:
        first = self._written == 0
        try:
            if first:
                _remove_stale(self._path)
            with self._partial.open("xb" if first else "ab") as file:
                file.write(self._buffer)
        except FileNotFoundError as error:
            raise NotFoundError(f"The folder of the cache file {self._path} does not exist. Make it first.") from error
        self._written += len(self._buffer)
        self._buffer.clear()


def _encoded(arrays: list[Array]) -> bytes:
    header = [["string" if a.dtype == object else a.dtype.name, list(a.shape)] for a in arrays]
    text = json.dumps(header).encode()
    parts = [_HEAD.pack(len(text)) + text]
    size = len(parts[0])
    for array in arrays:
        raw = _strings_encoded(array) if array.dtype == object else np.ascontiguousarray(array).tobytes()
        parts += [b"\0" * (-size % _ALIGNMENT), raw]
        size += -size % _ALIGNMENT + len(raw)
    return b"".join(parts)


def _decoded(payload: bytes) -> list[Array]:
    (length,) = _HEAD.unpack_from(payload)
    place = _HEAD.size + length
    arrays = []
    for dtype, shape in json.loads(payload[_HEAD.size : place]):
        place += -place % _ALIGNMENT
        count = int(np.prod(shape, dtype=np.int64))
        if dtype == "string":
            array, size = _strings_decoded(payload, place, count)
        else:
            array = np.frombuffer(payload, named_dtype(dtype), count, place)
            size = array.nbytes
        arrays.append(array.reshape(shape))
        place += size
    return arrays


def _strings_encoded(array: Array) -> bytes:
    texts = [bytes(text) for text in array.ravel().tolist()]
    return np.asarray([len(text) for text in texts], "<u8").tobytes() + b"".join(texts)


def _strings_decoded(payload: bytes, place: int, count: int) -> tuple[Array, int]:
    ends = place + 8 * count + np.cumsum(np.frombuffer(payload, "<u8", count, place), dtype=np.int64)
    array = np.empty(count, object)
    start = place + 8 * count
    for i, end in enumerate(ends.tolist()):
        array[i], start = payload[start:end], end
    array.setflags(write=False)
    return array, start - place


def _read(path: Path, place: int, size: int) -> bytes:
    try:
        with path.open("rb") as file:
            file.seek(place)
            return file.read(size)
    except FileNotFoundError as error:
        raise NotFoundError(f"The cache file {path} has gone while it was read.") from error


def _damaged(path: Path, what: str) -> DataLossError:
    return DataLossError(
        f"The cache file {path}: {what}. Delete it and make it anew; a cache is made by the next iteration."
    )


def _removed(path: Path) -> None:
    path.unlink(missing_ok=True)


def _remove_stale(path: Path) -> None:
    """Removes files left by killed processes."""
    for partial in path.parent.glob("*.partial"):
        if not partial.name.startswith(f"{path.name}."):
            continue
        with contextlib.suppress(FileNotFoundError):  # another process was faster
            if time.time() - partial.stat().st_mtime > _STALE_SECONDS:
                partial.unlink()


def same_state(first: Any, second: Any) -> bool:
    """Returns whether two states are equal after JSON has converted tuples to lists."""
    return bool(json.loads(json.dumps(first)) == json.loads(json.dumps(second)))
