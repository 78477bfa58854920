"""Datasets in folders that TensorFlow's `Dataset.save` has written: `load` reads them, too.

Layout: `dataset_spec.pb` has the structure of the elements, `snapshot.metadata` the name of a folder beside it, in which each
shard is a folder with files of records, one for every tensor of an element: a TensorProto.
"""

import collections
import gzip
import itertools
import math
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, final

import numpy as np
from google.protobuf.message import DecodeError

from stratagem._base.errors import DataLossError, OpError, UnimplementedError
from stratagem._base.framing import CHECKSUM, HEADER, LENGTH_BYTES, masked_crc
from stratagem._base.paths import file_errors
from stratagem._base.structure_proto import Metadata, Structure
from stratagem._base.tensor_proto import CODES, TensorProto
from stratagem._base.varints import read_varint
from stratagem._core.values import TensorSpec
from stratagem._data.caching._saved import SavedDataset
from stratagem._data.elements._nest import Array, leaves, packer
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import Stage, StageIterator

_SPEC, _METADATA = "dataset_spec.pb", "snapshot.metadata"
_GZIP = b"\x1f\x8b"
_DTYPES = {code: np.dtype(object if name == "string" else name) for name, code in CODES.items()}


def read_tensorflow_saved(path: str) -> SavedDataset | None:
    """The dataset that TensorFlow has saved in a folder; None if there is none.

    Raises:
        DataLossError: its description is damaged, or it was not saved completely.
        UnimplementedError: its elements hold something else than tensors.
    """
    folder = Path(path)
    if not ((folder / _SPEC).is_file() and (folder / _METADATA).is_file()):
        return None
    try:
        with file_errors(path):
            spec = _spec(Structure.FromString((folder / _SPEC).read_bytes()))
            metadata = Metadata.FromString((folder / _METADATA).read_bytes())
    except (DecodeError, ValueError, RecursionError) as error:  # ValueError: of the fields of a named tuple
        raise DataLossError(f"The description of the dataset that TensorFlow saved in {path} is damaged.") from error
    if not metadata.finalized:
        raise DataLossError(f"TensorFlow has not finished saving the dataset in {path}.")
    folders = _shards_of(folder, metadata.run_id, metadata.num_elements)
    total = _Total(path, metadata.num_elements, len(folders))
    shards: list[Stage] = [
        TensorFlowShardStage(sorted(shard.glob("*.snapshot")), spec, total, number)
        for number, shard in enumerate(folders)
    ]
    return SavedDataset(spec, shards, metadata.num_elements)


def _shards_of(folder: Path, run: str, elements: int) -> list[Path]:
    """Returns the folders of shards, in order. Raises DataLossError if there are none of a dataset that has elements."""
    # The name is a random number's. Another one could lead out of the folder.
    if not run.isalnum():
        raise DataLossError(
            f"{folder / _METADATA} is damaged: {run!r} is not the name of a folder that TensorFlow gives."
        )
    found = sorted(folder.joinpath(run).glob("*.shard"))
    if elements and not found:
        raise DataLossError(
            f"The dataset that TensorFlow saved in {folder} is damaged: {elements} elements were saved, and there are no files "
            f"of them in {folder / run}. Copy the whole folder again, or save the dataset again."
        )
    return found


@final
class _Total:
    """The number of elements that TensorFlow has saved, compared with those that all shards together turn out to have.

    A file that is gone, or that ends early, shows in nothing else.
    """

    def __init__(self, path: str, expected: int, shards: int) -> None:
        self._path, self._expected, self._shards = path, expected, shards
        self._found: dict[int, int] = {}

    def note(self, shard: int, count: int) -> None:
        """Notes that a shard has ended after so many elements. Raises DataLossError if all have, with another sum."""
        self._found[shard] = count
        found = sum(self._found.values())
        if len(self._found) == self._shards and found != self._expected:
            raise DataLossError(
                f"The dataset that TensorFlow saved in {self._path} is damaged: {self._expected} elements were saved, and its "
                f"{self._shards} shards have {found}. Copy the whole folder again, or save the dataset again."
            )


def _spec(written: Any) -> Any:
    """The specs of elements; lists are tuples here."""
    if written.HasField("tensor_spec"):
        found = written.tensor_spec
        if found.dtype not in _DTYPES:
            raise UnimplementedError(f"Elements of TensorFlow's type number {found.dtype} cannot be read here.")
        sizes = [None if dim.size < 0 else dim.size for dim in found.shape.dim]
        return TensorSpec(None if found.shape.unknown_rank else sizes, _DTYPES[found.dtype])
    if written.HasField("dict"):
        return {pair.key: _spec(pair.value) for pair in sorted(written.dict.fields, key=lambda pair: str(pair.key))}
    if written.HasField("named_tuple"):
        name, pairs = written.named_tuple.name, written.named_tuple.values
        keys = [pair.key for pair in pairs]
        return collections.namedtuple(name, keys)(*(_spec(pair.value) for pair in pairs))  # of the file
    if written.HasField("tuple") or written.HasField("list"):
        return tuple(_spec(part) for part in (written.tuple if written.HasField("tuple") else written.list).values)
    if written.HasField("none"):
        return None
    raise UnimplementedError(
        "Elements with ragged or sparse tensors, or datasets, that TensorFlow saved cannot be read here."
    )


@final
class TensorFlowShardStage(Stage):
    """The elements of the files of one shard."""

    def __init__(self, files: list[Path], spec: Any, total: _Total, number: int) -> None:
        """total: of all shards. number: of this one."""
        self.files = files
        self._spec = spec
        self._total, self._number = total, number

    @property
    def spec(self) -> Any:
        return self._spec

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return True

    def walk(self) -> StageIterator:
        return _TensorFlowShardIterator(self.files, self._spec, lambda count: self._total.note(self._number, count))

    def example(self) -> Any:
        walk = self.walk()
        try:
            return next(walk)
        finally:
            walk.close()


@final
class _TensorFlowShardIterator(StageIterator):
    def __init__(self, files: list[Path], spec: Any, ended: Callable[[int], None]) -> None:
        """ended: is told the number of elements at the end."""
        super().__init__()
        self._files = files
        self._ended = ended
        self._count, self._pack = len(leaves(spec)), packer(spec)
        self._position = 0
        self._records = _records(files)

    def __next__(self) -> Any:
        try:
            first = next(self._records)
        except StopIteration:
            self._ended(self._position)
            raise
        except OpError:
            self.close()  # nothing behind a damaged record can be found
            raise
        records = [first, *itertools.islice(self._records, self._count - 1)]
        if len(records) < self._count:
            raise DataLossError(f"{self._files[-1]}: the last element is not complete.")
        try:
            tensors = [_tensor(record) for record in records]
        except (DecodeError, ValueError, KeyError, IndexError) as error:
            raise DataLossError(f"{self._files[-1]}: element {self._position} is damaged: {error}") from error
        self._position += 1
        return self._pack(iter(tensors))

    def get_state(self) -> State:
        return {"position": self._position}

    def set_state(self, state: State) -> None:
        self.close()
        self._position, self._records = state["position"], _records(self._files)
        for _ in range(self._position * self._count):
            next(self._records, None)

    def close(self) -> None:
        """Closes the file."""
        self._records.close()  # type: ignore[attr-defined]  # a generator
        super().close()


def _records(files: list[Path]) -> Iterator[bytes]:
    """Yields the records of files.

    Raises:
        DataLossError: one is damaged; nothing behind it is read.
    """
    for path in files:
        with path.open("rb") as start:
            compressed = start.read(len(_GZIP)) == _GZIP
        with gzip.open(path, "rb") if compressed else path.open("rb", buffering=1 << 20) as file:
            try:
                while header := file.read(HEADER.size):
                    yield _record(file, header, path)
            except (EOFError, zlib.error, gzip.BadGzipFile) as error:
                raise DataLossError(f"{path}: what GZIP has compressed is damaged: {error}") from error


def _record(file: BinaryIO | gzip.GzipFile, header: bytes, path: Path) -> bytes:
    length, crc = HEADER.unpack(header) if len(header) == HEADER.size else (0, -1)
    if masked_crc(header[:LENGTH_BYTES]) != crc:
        raise DataLossError(
            f"{path}: a record is damaged, or compressed by SNAPPY, which cannot be read here. Save the dataset without a "
            "compression, or with GZIP."
        )
    data = file.read(length + CHECKSUM.size)
    record = data[:length]
    if len(data) < length + CHECKSUM.size or masked_crc(record) != CHECKSUM.unpack(data[length:])[0]:
        raise DataLossError(f"{path}: a record is damaged.")
    return record


def _tensor(record: bytes) -> Array:
    """The tensor in a record. Strings are all lengths, each as protobuf's varint, followed by all bytes."""
    message = TensorProto.FromString(record)
    shape = [dim.size for dim in message.tensor_shape.dim]
    dtype, content = _DTYPES[message.dtype], message.tensor_content
    if dtype.kind != "O":
        return np.frombuffer(content, dtype).reshape(shape)
    count = math.prod(shape)
    if not 0 <= count <= len(content):  # each has a length, of a byte or more
        raise ValueError(f"it has {len(content)} bytes for {count} strings")
    sizes, place = [], 0
    for _ in range(count):
        size, place = read_varint(content, place)
        sizes.append(size)
    array = np.empty(count, object)
    for i, size in enumerate(sizes):
        array[i], place = content[place : place + size], place + size
    array = array.reshape(shape)
    array.setflags(write=False)
    return array
