"""The file of a checkpoint's arrays, in the format of safetensors, which other programs read as well.

    8 bytes      the length of the header, little-endian
    the header   JSON: by name an array's dtype, shape and place among the values; padded with blanks to 64 bytes
    the values   of one array after the other, in C order, little-endian

The reader takes names, dtypes and shapes from the manifest. The header has to be the one that they give; what it says is never
followed. Checksums are computed as bytes are read, so values are read once.
"""

import ctypes
import functools
import json
import math
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import IO

import google_crc32c
import numpy as np

from stratagem._checkpoints._aligned_arrays import aligned_array
from stratagem._checkpoints._joined_checksum import joined_checksum
from stratagem._checkpoints._manifest import ArrayFact, FileFact
from stratagem._checkpoints._parallel_reads import FilePart, read_parts
from stratagem._checkpoints._safe_reads import opened

NAME = "arrays.safetensors"

_CHUNK = 4 << 20  # bytes: what is summed up is then still in the processor's cache when it is written
_PART = 16 << 20  # bytes: what one thread reads
_ALIGNMENT = 64
_WRITE = 2  # SYNC_FILE_RANGE_WRITE: begin to write, and do not wait
_HEADER_LENGTH = 8

# The names of safetensors. An array of another dtype is in the file as bytes.
_DTYPES = {
    "float64": "F64",
    "float32": "F32",
    "float16": "F16",
    "bfloat16": "BF16",
    "float8_e4m3fn": "F8_E4M3",
    "float8_e5m2": "F8_E5M2",
    "complex64": "C64",
    "bool": "BOOL",
    **{f"{sign}int{bits}": f"{sign.upper() or 'I'}{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def write_arrays(file: Path, arrays: Mapping[str, np.ndarray]) -> tuple[FileFact, dict[str, ArrayFact]]:
    """Writes the arrays; returns the checksums of the file and of each array. The file is not yet synced to disk.

    Raises OSError when it cannot be written.
    """
    header = _header({key: (array.shape, array.dtype) for key, array in arrays.items()})
    crc, size = google_crc32c.value(header), len(header)
    facts = {}
    with file.open("wb") as out:
        out.write(header)
        for key, array in arrays.items():
            own = 0
            for _, chunk in _chunks(array, _CHUNK):
                own = google_crc32c.extend(own, chunk)
                out.write(chunk.data)
                _write_back(out, size, chunk.size)
                size += chunk.size
            crc = joined_checksum(crc, own, array.nbytes)
            facts[key] = ArrayFact(shape=array.shape, dtype=str(array.dtype), crc32c=f"{own:08x}")
    return FileFact(bytes=size, crc32c=f"{crc:08x}"), facts


def read_arrays(file: str, facts: Mapping[str, ArrayFact]) -> tuple[FileFact, dict[str, np.ndarray]]:
    """Reads the arrays, and the file's size and checksum as they are now, which the caller has to compare.

    Raises ValueError when the file is not one of these arrays, UnreadableFileError for anything but a regular file, OSError.
    """
    header = _header({key: (fact.shape, np.dtype(fact.dtype)) for key, fact in facts.items()})
    with opened(file) as source:
        size = len(header) + sum(fact.nbytes for fact in facts.values())
        if source.size != size or source.read(len(header), 0) != header:
            raise ValueError(f"its {source.size} bytes do not begin with the header of these arrays, which need {size}")
        arrays, parts, at = {}, {}, len(header)
        for key, fact in facts.items():
            arrays[key] = aligned_array(fact.shape, np.dtype(fact.dtype))
            parts[key] = [FilePart(at + offset, chunk) for offset, chunk in _chunks(arrays[key], _PART)]
            at += fact.nbytes
        sums = iter(read_parts(source, [part for own in parts.values() for part in own]))
    crc = google_crc32c.value(header)
    for key, fact in facts.items():
        own = 0
        for part in parts[key]:
            own = joined_checksum(own, next(sums), part.target.size)
        if f"{own:08x}" != fact.crc32c:
            raise ValueError(f"array {key}: its checksum is {own:08x}, and {fact.crc32c} was saved")
        crc = joined_checksum(crc, own, fact.nbytes)
    return FileFact(bytes=size, crc32c=f"{crc:08x}"), arrays


def _chunks(array: np.ndarray, size: int) -> Iterator[tuple[int, np.ndarray]]:
    """The bytes of an array in C order, so many at a time, and where these begin; they share its memory if it is contiguous."""
    flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
    return ((at, flat[at : at + size]) for at in range(0, flat.size, size))


def _header(arrays: Mapping[str, tuple[tuple[int, ...], np.dtype]]) -> bytes:
    """The length and the header of a file. arrays: shape and dtype by name, in the order of the values."""
    entries, at = {}, 0
    for key, (shape, dtype) in arrays.items():
        end = at + math.prod(shape) * dtype.itemsize
        known = _DTYPES.get(dtype.name)
        entries[key] = {
            "dtype": known or "U8",
            "shape": [*shape] if known else [*shape, dtype.itemsize],
            "data_offsets": [at, end],
        }
        at = end
    text = json.dumps(entries).encode()
    text += b" " * (-(len(text) + _HEADER_LENGTH) % _ALIGNMENT)
    return len(text).to_bytes(_HEADER_LENGTH, "little") + text


def _write_back(out: IO[bytes], start: int, count: int) -> None:
    """Lets the system begin to write these bytes to disk, so that syncing the file finds little left to do.

    They stay in memory: a restore soon after finds them there. (`posix_fadvise` with DONTNEED would drop them.) What fails here
    shows at the sync.
    """
    begin = _sync_file_range()
    if begin is not None:
        begin(out.fileno(), ctypes.c_int64(start), ctypes.c_int64(count), _WRITE)


@functools.cache
def _sync_file_range() -> Callable[..., int] | None:
    """Returns the function of Linux' C library; None where there is none."""
    if sys.platform != "linux":
        return None
    found: Callable[..., int] | None = getattr(ctypes.CDLL(None), "sync_file_range", None)
    return found
