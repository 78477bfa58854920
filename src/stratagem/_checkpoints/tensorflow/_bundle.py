"""Bundle: the tensors of a TensorFlow checkpoint by name, from its table and its shards."""

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, final

import google_crc32c
import ml_dtypes  # noqa: F401 - NumPy knows the names of its dtypes from now on
import numpy as np
from google.protobuf.message import DecodeError

from stratagem._base.errors import NotFoundError, UnimplementedError
from stratagem._base.framing import mask
from stratagem._base.memory import machine_memory, refuse_more_than
from stratagem._base.paths import is_remote
from stratagem._base.storage import file_system
from stratagem._base.tensor_proto import CODES
from stratagem._checkpoints.tensorflow._damage import damage
from stratagem._checkpoints.tensorflow._messages import Entry, Header
from stratagem._checkpoints.tensorflow._shards import Shard, open_regular, shard_path
from stratagem._checkpoints.tensorflow._slices import Part
from stratagem._checkpoints.tensorflow._strings import decode_strings
from stratagem._checkpoints.tensorflow._table import read_table

_LARGEST_TABLE = 1 << 30  # bytes
_MOST_DIMENSIONS = 32
_MOST_SHARDS = 100_000  # five digits
_MOST_PARTS = 1 << 12  # of one tensor
_READS_VERSION = 1
_QUANTIZED = {11: "int8", 12: "uint8", 13: "int32", 15: "int16", 16: "uint16"}
_DTYPES = {code: np.dtype(object if name == "string" else name) for name, code in CODES.items()} | {
    code: np.dtype(name) for code, name in _QUANTIZED.items()
}


@dataclass(frozen=True, kw_only=True)
class _Place:
    """The bytes of a whole tensor, or of one part of it."""

    shard: int
    offset: int
    size: int
    crc32c: int


@dataclass(frozen=True, kw_only=True)
class TensorFact:
    """A tensor of a checkpoint. parts: its places, each with its box in the tensor; one place without a box for a whole one.

    dtype: the NumPy dtype; `object` for strings, which are bytes objects.
    """

    name: str
    code: int
    shape: tuple[int, ...]
    dtype: np.dtype
    parts: tuple[tuple[Part | None, _Place], ...]

    @property
    def count(self) -> int:
        """The number of values."""
        return math.prod(self.shape)

    @property
    def stored_bytes(self) -> int:
        """The number of bytes in the shards."""
        return sum(place.size for _, place in self.parts)

    @property
    def is_text(self) -> bool:
        """True for strings."""
        return self.dtype.hasobject


@final
class Bundle:
    """A checkpoint with this prefix. Its table is in memory, its tensors are read one by one, each with its checksum.

    Raises NotFoundError if there is no `PREFIX.index`, DataLossError for one that is damaged, UnimplementedError for one of a
    machine with another byte order or a later version of the format.
    """

    def __init__(self, prefix: str) -> None:
        self.prefix, self.index = prefix, f"{prefix}.index"
        table = read_table(_read_index(self.index), self.index)
        self._opened: dict[int, Shard] = {}
        self.shards = self._read_header(table.pop(b"", None))
        self.facts = dict(self._read_facts(table))

    def read(self, name: str) -> np.ndarray:
        """The tensor of this name. Raises NotFoundError without one, DataLossError for a damaged one."""
        fact = self.facts.get(name)
        if fact is None:
            raise NotFoundError(f"Key {name} not found in checkpoint {self.prefix!r}.")
        if fact.parts[0][0] is None:
            return self._read_place(fact, fact.parts[0][1], fact.shape)
        whole = np.empty(fact.shape, fact.dtype)
        for part, place in fact.parts:
            assert part is not None
            box = part.within(fact.shape)
            whole[box] = self._read_place(fact, place, whole[box].shape)
        return whole

    def files(self) -> list[str]:
        """The paths of its files."""
        return [self.index, *(shard_path(self.prefix, number, self.shards) for number in range(self.shards))]

    def verify_sizes(self) -> None:
        """Compares only the sizes of the shards with the table. Raises DataLossError."""
        for number in range(self.shards):
            self._shard(number)
        for fact in self.facts.values():
            for _, place in fact.parts:
                self._shard(place.shard).demand(place.offset, place.size)

    def verify(self) -> None:
        """Compares every tensor with its checksum, and holds none of them. Raises DataLossError."""
        self.verify_sizes()
        for fact in self.facts.values():
            if fact.is_text:
                self.read(fact.name)
                continue
            for _, place in fact.parts:
                shard = self._shard(place.shard)
                for _ in self._checked(shard, fact, place):
                    pass

    def holds(self, tensors: Mapping[str, np.ndarray]) -> bool:
        """Returns whether the checkpoint has exactly these tensors, byte by byte. Raises DataLossError for a damaged one."""
        if self.facts.keys() != tensors.keys():
            return False
        for name, tensor in tensors.items():
            fact = self.facts[name]
            if (fact.shape, fact.dtype) != (tensor.shape, tensor.dtype):
                return False
            saved = self.read(name)
            same = bool((saved == tensor).all()) if fact.is_text else saved.tobytes() == tensor.tobytes()
            if not same:
                return False
        return True

    def _read_place(self, fact: TensorFact, place: _Place, shape: tuple[int, ...]) -> np.ndarray:
        shard = self._shard(place.shard)
        if fact.is_text:
            try:
                strings = decode_strings(shard.read(place.offset, place.size), math.prod(shape), place.crc32c)
            except ValueError as error:
                raise shard.lost(f"tensor {fact.name}: {error}") from error
            array = np.empty(len(strings), object)
            array[:] = strings
            return array.reshape(shape)
        refuse_more_than(machine_memory(), place.size, f"A tensor of the checkpoint {self.prefix!r}")
        held = np.empty(place.size, np.uint8)
        at = 0
        for chunk in self._checked(shard, fact, place):
            held[at : at + len(chunk)] = np.frombuffer(chunk, np.uint8)
            at += len(chunk)
        return held.view(fact.dtype).reshape(shape)

    def _checked(self, shard: Shard, fact: TensorFact, place: _Place) -> Iterator[bytes]:
        """The bytes at a place; after the last, raises DataLossError if they are not what was written."""
        crc = 0
        for chunk in shard.chunks(place.offset, place.size):
            crc = google_crc32c.extend(crc, chunk)
            yield chunk
        if mask(crc) != place.crc32c:
            raise shard.lost(f"the checksum of tensor {fact.name} is wrong")

    def _shard(self, number: int) -> Shard:
        if number not in self._opened:
            self._opened[number] = Shard(shard_path(self.prefix, number, self.shards))
        return self._opened[number]

    def _read_header(self, value: bytes | None) -> int:
        if value is None:
            raise damage(self.index, "it has no header")
        header = self._parsed(Header, value, "its header")
        if header.endianness != 0:
            raise UnimplementedError(f"{self.index!r} was written on a machine with another byte order.")
        if header.version.min_consumer > _READS_VERSION:
            raise UnimplementedError(
                f"{self.index!r} needs a reader of version {header.version.min_consumer}; this is {_READS_VERSION}."
            )
        if not 0 < header.num_shards < _MOST_SHARDS:
            raise damage(self.index, f"it has {header.num_shards} shards")
        return int(header.num_shards)

    def _read_facts(self, table: dict[bytes, bytes]) -> Iterator[tuple[str, TensorFact]]:
        parts = [key for key in table if key.startswith(b"\0")]  # no name begins so
        boxes = {key: self._parsed(Entry, table.pop(key), "a part") for key in parts}
        for key, value in table.items():
            try:
                name = key.decode("utf-8")
            except UnicodeDecodeError:
                raise damage(self.index, f"a tensor has the name {key!r:.100}") from None
            yield name, self._fact(key, name, self._parsed(Entry, value, name), boxes)

    def _fact(self, key: bytes, name: str, entry: Any, boxes: dict[bytes, Any]) -> TensorFact:
        shape, dtype = self._shape(name, entry), _DTYPES.get(entry.dtype)
        if dtype is None:
            raise UnimplementedError(
                f"{self.index!r}: tensor {name} has a dtype of number {entry.dtype}, which no array has."
            )
        if len(entry.slices) > _MOST_PARTS:
            raise damage(self.index, f"tensor {name} has {len(entry.slices)} parts")
        places: list[tuple[Part | None, _Place]] = []
        for message in entry.slices:
            part = Part.of(message)
            found = boxes.get(part.key(key))
            if found is None:
                raise damage(self.index, f"a part of tensor {name} is missing")
            if found.dtype != entry.dtype:
                raise damage(self.index, f"a part of tensor {name} has another dtype")
            places.append((part, self._place(name, found, dtype, self._box_shape(name, part, shape))))
        if not places:
            places.append((None, self._place(name, entry, dtype, shape)))
        elif not _tile([part.within(shape) for part, _ in places if part is not None], shape):
            raise damage(self.index, f"the parts of tensor {name} overlap or leave values out")
        return TensorFact(name=name, code=entry.dtype, shape=shape, dtype=dtype, parts=tuple(places))

    def _box_shape(self, name: str, part: Part, shape: tuple[int, ...]) -> tuple[int, ...]:
        try:
            return tuple(each.stop - each.start for each in part.within(shape))
        except ValueError as error:
            raise damage(self.index, f"tensor {name}: {error}") from None

    def _place(self, name: str, entry: Any, dtype: np.dtype, shape: tuple[int, ...]) -> _Place:
        if not 0 <= entry.shard_id < self.shards or entry.offset < 0 or entry.size < 0:
            raise damage(self.index, f"tensor {name} is in shard {entry.shard_id} at byte {entry.offset}")
        count = math.prod(shape)
        fits = entry.size >= count + 4 if dtype.hasobject else entry.size == count * dtype.itemsize
        if not fits:
            raise damage(self.index, f"tensor {name} of shape {shape} has {entry.size} bytes")
        return _Place(shard=entry.shard_id, offset=entry.offset, size=entry.size, crc32c=entry.crc32c)

    def _shape(self, name: str, entry: Any) -> tuple[int, ...]:
        shape = tuple(dim.size for dim in entry.shape.dim)
        if entry.shape.unknown_rank or len(shape) > _MOST_DIMENSIONS or any(size < 0 for size in shape):
            raise damage(self.index, f"tensor {name} has the shape {shape!r:.100}")
        return shape

    def _parsed(self, kind: Any, value: bytes, what: str) -> Any:
        message = kind()
        try:
            message.ParseFromString(value)
        except DecodeError as error:
            raise damage(self.index, f"{what} cannot be read: {error}") from error
        return message


def _tile(boxes: list[tuple[slice, ...]], shape: tuple[int, ...]) -> bool:
    """Returns whether boxes cover a tensor, each value once."""
    filled = [box for box in boxes if all(each.start < each.stop for each in box)]
    if sum(math.prod(each.stop - each.start for each in box) for box in filled) != math.prod(shape):
        return False
    filled.sort(key=lambda box: tuple(each.start for each in box))
    for i, one in enumerate(filled):
        for other in filled[i + 1 :]:
            if other[0].start >= one[0].stop:
                break
            if all(a.start < b.stop and b.start < a.stop for a, b in zip(one, other, strict=True)):
                return False
    return True


def _read_index(path: str) -> bytes:
    if is_remote(path):
        return _read_remote_index(path)
    try:
        handle = open_regular(path)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"No TensorFlow checkpoint: {path!r} does not exist.") from None
    with os.fdopen(handle, "rb") as file:
        size = os.fstat(handle).st_size
        if size > _LARGEST_TABLE:
            raise damage(path, f"it has {size} bytes, and more than {_LARGEST_TABLE} are never written")
        return file.read()


def _read_remote_index(path: str) -> bytes:
    try:
        return file_system(path).read(path, _LARGEST_TABLE)
    except (FileNotFoundError, NotADirectoryError):
        raise NotFoundError(f"No TensorFlow checkpoint: {path!r} does not exist.") from None
    except IsADirectoryError:
        raise damage(path, "it is not a regular file") from None
    except ValueError as error:
        raise damage(path, str(error)) from error
