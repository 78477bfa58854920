"""The cache in a file: written by the first complete iteration, read by all later ones, including those of later programs."""

import functools
import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, final

from stratagem._base.errors import InvalidArgumentError, OpError
from stratagem._data.caching._cache_file import (
    CacheIndex,
    CacheWriter,
    check_part,
    components_of,
    elements_from,
    read_index,
    same_state,
)
from stratagem._data.elements._nest import Array, packer
from stratagem._data.stages._order import Order, SlicedOrder, State
from stratagem._data.stages._stage import (
    FileNameSource,
    OrderedRowsStage,
    RestartingIterator,
    Stage,
    StageIterator,
    UnaryStage,
)
from stratagem._data.stages._steps import SliceStage


@final
class FileCacheStage(UnaryStage):
    """The elements in the file `filename`.cache or, as long as it does not exist, the parent's, which are written to it."""

    def __init__(self, parent: Stage, filename: str) -> None:
        super().__init__(parent)
        self._filename = filename
        self.path = Path(f"{filename}.cache")

    def with_parents(self, *parents: Stage) -> "FileCacheStage":
        (parent,) = parents
        # A worker's own part of the data needs a file of its own: workers may share a folder.
        return self if parent is self._parent else FileCacheStage(parent, f"{self._filename}.{digest(parent)}")

    @functools.cached_property
    def spec(self) -> Any:
        return self._parent.spec

    @functools.cached_property
    def part(self) -> list[list[int]]:
        """The part of the data that is cached."""
        return _part_of(self._parent)

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        return _FileCacheIterator(self, self._parent)

    def index(self) -> CacheIndex | None:
        """The index of the file; None when there is no file.

        Raises:
            InvalidArgumentError: it holds other elements than this pipeline makes.
        """
        index = read_index(self.path)
        if index is not None and index.count and index.components != components_of(self.spec):
            raise InvalidArgumentError(
                f"The cache file {self.path} was made for other elements: it has {_listed(index.components)}, and this "
                f"dataset has {_listed(components_of(self.spec))}. Delete it, or give `cache` another file name."
            )
        if index is not None:
            check_part(self.path, index, self.part)
        return index


@final
class _FileCacheIterator(RestartingIterator):
    """Reads the file if it exists at the beginning, else makes it.

    Restoring an iteration that was making the file starts where that began, and makes it again.
    """

    def __init__(self, stage: FileCacheStage, parent: Stage) -> None:
        super().__init__(parent)
        self._cache = stage
        self._writer: CacheWriter | None = None
        self._stored: Iterator[list[Array]] | None = None
        self._ended = False
        index = stage.index()
        if index is None:
            self._write_from(self._start().get_state())
        else:
            self._read_from(index, 0)

    def _read_from(self, index: CacheIndex, position: int) -> None:
        self._index = index
        self._origin, self._position = index.origin, position
        self._stored = elements_from(self._cache.path, index, position)
        self._pack = packer(self._cache.spec) if index.count else tuple

    def _write_from(self, origin: State) -> None:
        self._origin, self._position = origin, 0
        self._stored = None
        self._writer = CacheWriter(self._cache.path, self._cache.part, origin)
        self._ended = False

    def __next__(self) -> Any:
        element = self._write_next() if self._stored is None else self._read_next()
        self._position += 1
        return element

    def _read_next(self) -> Any:
        assert self._stored is not None
        try:
            return self._pack(next(self._stored))
        except OpError:
            self._read_from(self._index, self._position + 1)  # the next call continues after the damaged element
            raise

    def _write_next(self) -> Any:
        assert self._source is not None
        if self._ended:
            raise StopIteration
        try:
            element = next(self._source)
        except StopIteration:
            self._ended = True
            if self._writer is not None:
                self._writer.complete()
                self._writer = None
            raise
        if self._writer is not None:
            self._writer.write(element)
        return element

    def get_state(self) -> State:
        return {"position": self._position, "origin": self._origin}

    def set_state(self, state: State) -> None:
        self._abandon()
        index = self._cache.index()
        if index is not None and same_state(index.origin, state["origin"]):
            self._read_from(index, state["position"])
            return
        self._start().set_state(state["origin"])
        self._write_from(state["origin"])
        if index is not None:
            self._abandon()  # the existing file is another program's, in another order
        for _ in range(state["position"]):
            next(self)

    def _abandon(self) -> None:
        if self._writer is not None:
            self._writer.abandon()
            self._writer = None

    def close(self) -> None:
        """Removes an unfinished file, and closes the parent iterators."""
        self._abandon()
        super().close()


def _listed(components: list[list[str]]) -> str:
    return ", ".join(f"{dtype}{f' at {path}' if path else ''}" for path, dtype in components)


def _part_of(stage: Stage) -> list[list[int]]:
    """The start, step and count of every `take`, `skip` and `shard` of a plan, the last one first."""
    here: list[list[int]] = []
    if isinstance(stage, SliceStage):
        here = [list(stage.cut)]
    elif isinstance(stage, OrderedRowsStage):
        order: Order | None = stage.order
        while order is not None:
            here += [list(order.cut)] if isinstance(order, SlicedOrder) else []
            order = order.parent
    return here + [cut for parent in stage.parents for cut in _part_of(parent)]


def digest(stage: Stage) -> str:
    """A short name of the part of the data that a plan takes, and of the files that it reads."""
    return hashlib.sha256(json.dumps([_part_of(stage), _files(stage)]).encode()).hexdigest()[:12]


def _files(stage: Stage) -> list[str]:
    own = list(stage.files) if isinstance(stage, FileNameSource) else []
    return own + [name for parent in stage.parents for name in _files(parent)]
