"""Traced functions over in-memory rows: mapping and filtering become parts of columns and orders, a block at a time."""

from typing import Any, final

import numpy as np
from numpy.typing import NDArray

from stratagem._data.elements._nest import Array, leaves, map_leaves, slice_rows
from stratagem._data.functions._compiled import CompiledFunction
from stratagem._data.functions._draws import FunctionSeeds, number_bits, places_of_numbered, rows_of_numbered
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._columns import Columns
from stratagem._data.stages._order import Cursor, Indices, Order, State

_MAX_ROWS = 64
_MAX_BYTES = 1 << 20
_MIN_ROWS = 8
_NO_INDICES: Indices = np.empty(0, np.int64)


def block_size(specs: Any) -> int:
    """The number of elements of these specs that are processed at once, ahead of their use."""
    size = sum((s.shape.num_elements() or 0) * int(s.dtype.itemsize) for s in leaves(specs))
    return max(1, min(_MAX_ROWS, _MAX_BYTES // max(1, size)))


def padded(count: int, block_rows: int, min_rows: int) -> int:
    """The rows of the program for `count` rows: `block_rows`, a multiple of it, or halves of it down to `min_rows`.

    There are few sizes, as each is compiled once; and sums and products may differ in their last digit between sizes.
    """
    if count > block_rows:
        return -(-count // block_rows) * block_rows
    rows = block_rows
    while rows // 2 >= max(count, min_rows):
        rows //= 2
    return rows


@final
class RowBlockProgram:
    """A traced function over the rows of columns, by their indices.

    draws: the source of random numbers, for a function that draws some; the indices are then numbered (see `Numbered`).
    """

    def __init__(
        self, columns: Columns, program: CompiledFunction, draws: FunctionSeeds | None = None, batch: int | None = None
    ) -> None:
        self.columns = columns
        self.program = program
        self.bits = columns.bits if draws is None else number_bits(columns)
        # Rows that are returned one by one are computed by programs of one size, because the blocks of a resumed
        # iteration begin elsewhere. A part of a batch may be much smaller.
        # A function that reads a variable must see its current value: nothing is computed before it is needed.
        block = 1 if program.trace.variables else block_size(columns.spec)
        self.block_rows = block if batch is None else batch
        self._min_rows = self.block_rows if batch is None else min(batch, _MIN_ROWS)
        self._draws = draws

    def sized(self, rows: int) -> "RowBlockProgram":
        """The same program, prepared for batches of this many rows."""
        return RowBlockProgram(self.columns.sized(rows), self.program, self._draws, rows)

    def __call__(self, indices: Indices) -> Any:
        """The stacked results for the rows at `indices`."""
        count = len(indices)
        if count == 0:
            return map_leaves(lambda s: np.empty((0, *s.shape), s.dtype), self.program.trace.spec)
        rows = padded(count, self.block_rows, self._min_rows)
        if rows > count:
            indices = np.concatenate([indices, np.full(rows - count, indices[-1])])
        elements = self.columns.gather(self.column_indices(indices))
        if self._draws is None or self.bits is None:
            results = self.program.many(elements, rows)
        else:
            results = self.program.many(elements, rows, self._draws.seed, places_of_numbered(indices, self.bits))
        return results if rows == count else slice_rows(results, 0, count)

    def column_indices(self, indices: Indices) -> Indices:
        """The indices to pass to the columns: plain rows, unless the columns draw random numbers as well."""
        plain = self.bits is None or self.columns.bits is not None
        return indices if plain or self.bits is None else rows_of_numbered(indices, self.bits)


@final
class MappedColumns(Columns):
    """The results of a traced function for the rows of other columns, computed when they are needed."""

    def __init__(self, run: RowBlockProgram) -> None:
        self._run = run

    @property
    def length(self) -> int:
        return self._run.columns.length

    @property
    def spec(self) -> Any:
        return self._run.program.trace.spec

    @property
    def cheap(self) -> bool:
        return False

    @property
    def read_ahead_rows(self) -> int:
        return min(self._run.block_rows, self._run.columns.read_ahead_rows)

    @property
    def repeatable(self) -> bool:
        trace = self._run.program.trace
        return not trace.variables and not trace.draws and self._run.columns.repeatable

    @property
    def bits(self) -> int | None:
        return self._run.bits

    def sized(self, rows: int) -> Columns:
        return MappedColumns(self._run.sized(rows))

    def gather(self, indices: Indices) -> Any:
        return self._run(indices)


@final
class MemoColumns(Columns):
    """Columns whose rows are computed once, when they are first needed."""

    def __init__(self, columns: Columns) -> None:
        self._columns = columns
        self._known: NDArray[np.bool_] = np.zeros(columns.length, np.bool_)
        self._rows = map_leaves(lambda s: np.empty((columns.length, *s.shape), s.dtype), columns.spec)

    @property
    def length(self) -> int:
        return self._columns.length

    @property
    def spec(self) -> Any:
        return self._columns.spec

    def gather(self, indices: Indices) -> Any:
        missing = indices[~self._known[indices]]
        for first in range(0, len(missing), self._columns.read_ahead_rows):
            self._fill(missing[first : first + self._columns.read_ahead_rows])
        return map_leaves(lambda rows: rows[indices], self._rows)

    def _fill(self, indices: Indices) -> None:
        def store(rows: Array, new: Array) -> None:
            rows[indices] = new

        map_leaves(store, self._rows, self._columns.gather(indices))
        self._known[indices] = True  # last: a thread that reads this too early only computes the rows once more


@final
class FilteredOrder(Order):
    """The indices of another order whose rows a traced predicate accepts."""

    def __init__(self, parent: Order, accepts: RowBlockProgram) -> None:
        self._parent = parent
        self._accepts = accepts

    @property
    def length(self) -> int:
        return UNKNOWN

    @property
    def parent(self) -> Order:
        return self._parent

    def cursor(self) -> Cursor:
        return _FilteredCursor(self._parent.cursor(), self._accepts)


@final
class _FilteredCursor(Cursor):
    """Evaluates the predicate on a block of indices at a time."""

    def __init__(self, parent: Cursor, accepts: RowBlockProgram) -> None:
        self._parent = parent
        self._accepts = accepts
        self._size = accepts.block_rows
        self._begin_block()

    def _begin_block(self) -> None:
        self._origin = self._parent.get_state()
        self._accepted = _NO_INDICES
        self._position = 0

    def read(self, count: int) -> Indices:
        parts = [_NO_INDICES]
        while count > 0:
            if self._position == len(self._accepted) and not self._next_block():
                break
            parts.append(self._accepted[self._position : self._position + count])
            self._position += len(parts[-1])
            count -= len(parts[-1])
        return np.concatenate(parts)

    def _next_block(self) -> bool:
        """Determines which of the next indices are accepted; returns False at the end."""
        self._begin_block()
        indices = self._parent.read(self._size)
        self._accepted = self._accepts.column_indices(indices)[self._accepts(indices)]
        return len(indices) > 0

    def get_state(self) -> State:
        return {"block": self._origin, "position": self._position}

    def set_state(self, state: State) -> None:
        self._parent.set_state(state["block"])
        self._begin_block()
        self.discard(state["position"])
