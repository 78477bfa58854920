"""Datasets in folders, which `save` and `snapshot` write: a file for every shard, and a description that is written last.

Layout: `dataset.json` has the specs of the elements and the name of a folder beside it, in which each shard is a file of the
format of `_cache_file`, and the CRC-32 of all that. Writing again makes another such folder and removes the earlier one.
"""

import collections
import json
import re
import shutil
import uuid
import weakref
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

from stratagem._base.dtype_names import named_dtype
from stratagem._base.errors import DataLossError, InvalidArgumentError, NotFoundError, OpError
from stratagem._base.files import atomic_write
from stratagem._base.paths import file_errors
from stratagem._core.values import TensorSpec
from stratagem._data.caching._cache_file import CacheIndex, CacheWriter, elements_from, read_index
from stratagem._data.elements._nest import Array, packer
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import Stage, StageIterator

_DESCRIPTION, _SEAL = "dataset.json", "crc32"
_FOLDER, _SHARD = re.compile(r"[0-9a-f]{32}"), re.compile(r"[0-9]{20}\.shard")
_COMPRESSED = {None: False, "": False, "NONE": False, "AUTO": False, "GZIP": True, "SNAPPY": True}


@final
@dataclass(frozen=True)
class SavedDataset:
    """A dataset in a folder. spec: of its elements. shards: their plans, by the shards' numbers. count: of all elements."""

    spec: Any
    shards: list[Stage]
    count: int


def read_saved(path: str) -> SavedDataset | None:
    """The dataset in a folder; None if there is none.

    Raises:
        InvalidArgumentError: its description was written by something else.
        DataLossError: it is damaged.
        NotFoundError: a shard is not there.
    """
    found = _described(Path(path))
    if found is None:
        return None
    folder = Path(path) / found["folder"]
    try:
        spec = _spec_of_json(found["spec"])
    except (ValueError, TypeError, KeyError, RecursionError) as error:
        raise DataLossError(f"{Path(path) / _DESCRIPTION} is damaged: its elements are of no kind: {error}") from error
    shards = [SavedShardStage(folder / name, spec) for name in found["files"]]
    return SavedDataset(spec, list(shards), sum(shard.cardinality for shard in shards))


def _described(path: Path) -> dict[str, Any] | None:
    try:
        found = json.loads((path / _DESCRIPTION).read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    except (ValueError, RecursionError):
        found = None
    # The names must be those that a writer gives: what is there earlier is removed when the dataset is saved again.
    if (
        not isinstance(found, dict)
        or not {"spec", "folder", "files"} <= found.keys()
        or found.pop(_SEAL, None) not in (None, _checksum(found))
        or not _FOLDER.fullmatch(str(found["folder"]))
        or not isinstance(found["files"], list)
        or not all(_SHARD.fullmatch(str(name)) for name in found["files"])
    ):
        raise InvalidArgumentError(f"{path / _DESCRIPTION} is damaged, or does not describe a saved dataset.")
    return found


def _checksum(description: dict[str, Any]) -> str:
    return f"{zlib.crc32(json.dumps(description, sort_keys=True).encode()):08x}"


def is_compressed(compression: str | None) -> bool:
    """Returns whether elements are to be compressed. AUTO does not; SNAPPY stands for the one compression that there is.

    Raises:
        InvalidArgumentError: TensorFlow has no such compression.
    """
    if compression not in _COMPRESSED:
        raise InvalidArgumentError(f'compression must be None, "AUTO", "GZIP" or "SNAPPY", got {compression!r}.')
    return _COMPRESSED[compression]


@final
class SavedDatasetWriter:
    """Writes a dataset to a folder, which holds the earlier one, if any, until `complete`."""

    def __init__(self, path: str, spec: Any, *, compress: bool) -> None:
        self._path = Path(path)
        self._description = {"spec": _json_of_spec(spec), "folder": uuid.uuid4().hex}
        self._folder = self._path / str(self._description["folder"])
        self._compress = compress
        self._shards: dict[int, CacheWriter] = {}
        with file_errors(path):
            self._folder.mkdir(parents=True)
        self._remove = weakref.finalize(self, shutil.rmtree, self._folder, ignore_errors=True)

    def write(self, element: Any, shard: int = 0) -> None:
        """Appends an element to a shard."""
        if shard not in self._shards:
            name = f"{shard % (1 << 64):020}.shard"  # negative numbers are last, as in TensorFlow
            self._shards[shard] = CacheWriter(self._folder / name, [], {}, compress=self._compress)
        self._shards[shard].write(element)

    def complete(self, *, if_first: bool = False) -> None:
        """Makes what was written the dataset of the folder.

        if_first: unless there is one by now, which another worker has written.
        """
        for writer in self._shards.values():
            writer.complete()
        files = sorted(file.name for file in self._folder.iterdir())
        earlier = _described(self._path)
        try:
            with atomic_write(self._path / _DESCRIPTION, exclusive=if_first) as written:
                description = {**self._description, "files": files}
                written.write_text(json.dumps({**description, _SEAL: _checksum(description)}), encoding="utf-8")
        except FileExistsError:
            self.abandon()
            return
        self._remove.detach()
        if earlier is not None:
            shutil.rmtree(self._path / earlier["folder"], ignore_errors=True)

    def abandon(self) -> None:
        """Removes what was written."""
        for writer in self._shards.values():
            writer.abandon()
        self._remove()


@final
class SavedShardStage(Stage):
    """The elements of one shard."""

    def __init__(self, file: Path, spec: Any) -> None:
        self.file = file
        self._spec = spec
        index = read_index(file)
        if index is None:
            raise NotFoundError(f"{file}, a part of a saved dataset, does not exist. Save the dataset again.")
        self.index = index

    @property
    def spec(self) -> Any:
        return self._spec

    @property
    def cardinality(self) -> int:
        return self.index.count

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return True

    def walk(self) -> StageIterator:
        return _ShardIterator(self.file, self.index, self._spec)

    def example(self) -> Any:
        return next(self.walk())


@final
class _ShardIterator(StageIterator):
    def __init__(self, file: Path, index: CacheIndex, spec: Any) -> None:
        super().__init__()
        self._file, self._index = file, index
        self._pack = packer(spec)
        self._read_from(0)

    def _read_from(self, position: int) -> None:
        self._position = position
        self._stored: Iterator[list[Array]] = elements_from(self._file, self._index, position)

    def __next__(self) -> Any:
        try:
            element = self._pack(next(self._stored))
        except OpError:
            self._read_from(self._position + 1)  # the next call continues after the damaged element
            raise
        self._position += 1
        return element

    def get_state(self) -> State:
        return {"position": self._position}

    def set_state(self, state: State) -> None:
        self._read_from(state["position"])


def _json_of_spec(spec: Any) -> Any:
    """The specs of elements as JSON.

    Raises:
        TypeError: the elements hold datasets, or ragged or sparse tensors.
    """
    if spec is None:
        return None
    if isinstance(spec, TensorSpec):
        shape = None if spec.shape.rank is None else list(spec.shape)
        return {"tensor": [np.dtype(spec.dtype).name, shape]}
    if isinstance(spec, dict):
        return {"dict": [[key, _json_of_spec(part)] for key, part in spec.items()]}
    if not isinstance(spec, tuple):
        raise TypeError(
            f"Elements with {type(spec).__name__} cannot be saved. Make tensors of them first: `tf.sparse.to_dense` of "
            "SparseTensors, `to_tensor` of RaggedTensors, `dataset.flat_map(lambda window: window.batch(size))` of datasets."
        )
    fields = [type(spec).__name__, list(spec._fields)] if hasattr(spec, "_fields") else None
    return {"tuple": [_json_of_spec(part) for part in spec], "named": fields}


def _spec_of_json(written: Any) -> Any:
    if written is None:
        return None
    if "tensor" in written:
        dtype, shape = written["tensor"]
        return TensorSpec(shape, named_dtype(dtype))
    if "dict" in written:
        return {key: _spec_of_json(part) for key, part in written["dict"]}
    parts = [_spec_of_json(part) for part in written["tuple"]]
    if written["named"] is None:
        return tuple(parts)
    name, fields = written["named"]
    return collections.namedtuple(name, fields)(*parts)  # its fields are those of the file
