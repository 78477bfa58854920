"""Divides batches into pieces, one per replica: an element of this stage is the input of one replica in one step."""

import abc
from itertools import accumulate
from typing import Any, final

import jax

from stratagem._core.values import CompositeTensor
from stratagem._data.distribution._per_replica_sizes import check_batched, piece_sizes, piece_spec
from stratagem._data.elements._composites import values_in_rows, with_room
from stratagem._data.elements._nest import leaves, map_leaves, rows_in, slice_rows
from stratagem._data.stages._cardinality import repeated
from stratagem._data.stages._columns import Columns
from stratagem._data.stages._order import Indices, State
from stratagem._data.stages._stage import BatchedRowsIterator, BatchedRowsStage, Stage, StageIterator, UnaryStage


@final
class ReplicaBatchesStage(UnaryStage):
    """Every batch of n rows as `replicas` pieces of ceil(n / replicas) rows, from its actual size.

    The last pieces may be short or empty. Only the pieces in `own` are elements, and only their rows are gathered.
    """

    def __init__(self, parent: Stage, replicas: int, own: range) -> None:
        super().__init__(parent)
        self._replicas = replicas
        self._own = own

    @property
    def spec(self) -> Any:
        if self._replicas == 1:
            return self._parent.spec
        return jax.tree.map(lambda spec: piece_spec(spec, self._replicas), self._parent.spec)

    @property
    def cardinality(self) -> int:
        return repeated(self._parent.cardinality, len(self._own))

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def counts_rows(self) -> bool:
        return self._parent.counts_rows

    def walk(self) -> StageIterator:
        columns = self._parent.columns if isinstance(self._parent, BatchedRowsStage) else None
        return ReplicaBatchesIterator(self._parent.walk(), columns, self._replicas, self._own)


class _SliceableBatch(abc.ABC):
    """A batch of which possibly not all rows are needed."""

    rows: int

    @abc.abstractmethod
    def part(self, start: int, stop: int) -> Any:
        """The rows from `start` up to but excluding `stop`."""


@final
class _MaterializedBatch(_SliceableBatch):
    """A batch whose rows exist."""

    def __init__(self, batch: Any) -> None:
        for array in leaves(batch):
            check_batched(array)
        self._batch = batch
        self.rows = rows_in(batch)

    def part(self, start: int, stop: int) -> Any:
        return slice_rows(self._batch, start, stop)


@final
class _IndexedBatch(_SliceableBatch):
    """A batch of rows in memory, of which those of other workers are never gathered."""

    def __init__(self, columns: Columns, indices: Indices) -> None:
        self._columns = columns
        self._indices = indices
        self.rows = len(indices)

    def part(self, start: int, stop: int) -> Any:
        return self._columns.gather(self._indices[start:stop])


@final
class ReplicaBatchesIterator(StageIterator):
    """Tracks the state before the current batch, and how many of its pieces and rows have been returned."""

    def __init__(self, batches: StageIterator, columns: Columns | None, replicas: int, own: range) -> None:
        super().__init__(batches)
        self._source = batches
        self._columns = columns
        self._replicas = replicas
        self._own = own
        self._forget(self._source.get_state())

    def _forget(self, origin: State) -> None:
        self._origin = origin
        self._pieces: list[tuple[int, int]] = []
        self._given = self._used = 0

    sizes: tuple[int, ...] = ()  # the rows of every replica's piece of the last batch

    def _draw(self) -> _SliceableBatch:
        if self._columns is not None and isinstance(self._source, BatchedRowsIterator):
            return _IndexedBatch(self._columns, self._source.read())
        return _MaterializedBatch(next(self._source))

    def _cut(self, batch: _SliceableBatch, used: int) -> None:
        """Gathers this worker's rows of a batch, after the first `used` ones, and records where its pieces are in them."""
        self._used = used
        self.sizes = tuple(piece_sizes(batch.rows - used, self._replicas))
        ends = list(accumulate(self.sizes, initial=used))
        start, stop = ends[self._own.start], ends[self._own.stop]
        self._part = batch.part(start, stop)
        self._pieces = [(ends[i] - start, ends[i + 1] - start) for i in self._own]
        self._first = start

    def __next__(self) -> Any:
        if self._replicas == 1 and not self._pieces:  # unless there is a rest of a batch that was divided for several
            element = next(self._source)  # nothing to divide: any element will do, even a scalar
            self._forget(self._source.get_state())
            return element
        if not self._pieces:
            self._cut(self._draw(), 0)
        piece = map_leaves(self._piece, self._part)
        self._given += 1
        if self._given == len(self._pieces):
            self._forget(self._source.get_state())
        return piece

    def _piece(self, leaf: Any) -> Any:
        """This replica's rows. Ragged ones have room for as many values as those of any other replica of this worker."""
        piece = slice_rows(leaf, *self._pieces[self._given])
        if not isinstance(leaf, CompositeTensor):
            return piece
        return with_room(piece, max(values_in_rows(leaf, start, stop) for start, stop in self._pieces))

    def get_state(self) -> State:
        rows = self._first + self._pieces[self._given - 1][1] if self._given else 0
        cut = {"replicas": self._replicas, "used": self._used, "given": self._given, "rows": rows}
        return {"batch": self._origin, **cut}

    def set_state(self, state: State) -> None:
        self._source.set_state(state["batch"])
        self._forget(state["batch"])
        if state["given"] == 0:
            return
        if state["replicas"] == self._replicas:
            self._cut(self._draw(), state["used"])
            self._given = state["given"]
        else:
            # Another number of replicas: the rest of the batch is divided among them.
            self._cut(self._draw(), state["rows"])
