"""The interface of a plan: a stage describes its elements without making them, and starts iterations over them."""

import abc
import copy
import functools
import itertools
from typing import Any, Self, final

import grain
import jax
import numpy as np

from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import map_leaves, rows_of, stacked
from stratagem._data.elements._spec import with_rows
from stratagem._data.stages._columns import Columns
from stratagem._data.stages._order import Indices, Order, State


class StageIterator(grain.DatasetIterator, abc.ABC):  # type: ignore[misc]  # Grain carries no types
    """One iteration over the elements of a stage. It is a Grain iterator, so Grain can save and prefetch it.

    Elements are nests of NumPy arrays. After its end it keeps raising StopIteration.
    """

    @abc.abstractmethod
    def __next__(self) -> Any: ...

    def next_batch(self, size: int, least: int) -> Any:
        """The next `size` elements, stacked; at the end, if there are at least `least`, those that are left.

        Raises StopIteration if there are fewer. An error in place of an element is raised; the elements before it are lost.
        """
        elements = list(itertools.islice(self, size))
        if len(elements) < least:
            raise StopIteration
        return stacked(elements)

    @abc.abstractmethod
    def get_state(self) -> State:
        """The position, as JSON. It does not change when the iteration continues."""

    @abc.abstractmethod
    def set_state(self, state: State) -> None:
        """Moves to the position of another iteration over the same stage."""


class Stage(abc.ABC):
    """One step of a plan, with everything before it. Immutable, except for what outlives an iteration (seeds, caches)."""

    @property
    @abc.abstractmethod
    def spec(self) -> Any:
        """The specs of an element, like TensorFlow's `element_spec`."""

    @property
    @abc.abstractmethod
    def cardinality(self) -> int:
        """The number of elements, INFINITE or UNKNOWN."""

    @property
    @abc.abstractmethod
    def batch_size(self) -> int | None:
        """The number of rows that all elements but the last have, or None if the plan does not determine it."""

    @property
    @abc.abstractmethod
    def pure(self) -> bool:
        """True if an iteration runs no user code and waits for nothing: drawing ahead then has no side effect.

        The spec of such a stage is known without running user code.
        """

    @property
    def counts_rows(self) -> bool:
        """True if a position counts rows and no batches: it is then one of the same plan with other batch sizes, too."""
        return False

    @property
    def cheap(self) -> bool:
        """True if making an element costs less than handing it over from a thread."""
        return False

    @property
    def knows_spec(self) -> bool:
        """Returns whether `spec` is known before an element is read."""
        return all(parent.knows_spec for parent in self.parents)

    @property
    def reads_files(self) -> bool:
        """True if the parent's elements name the files that the elements of this stage come from."""
        return False

    @property
    def parents(self) -> "tuple[Stage, ...]":
        """The stages before this one; a source has none."""
        return ()

    def with_parents(self, *parents: "Stage") -> "Stage":
        """The same step with other parents, which have elements of the same spec: this is how a plan is sharded."""
        if parents:
            raise TypeError(f"{type(self).__name__} is a source: it has no parents that could be replaced.")
        return self

    @abc.abstractmethod
    def walk(self) -> StageIterator:
        """Starts a new iteration from the beginning."""

    def walk_batches(self, size: int, *, drop_remainder: bool) -> StageIterator | None:
        """Starts an iteration over batches of elements, if the stage makes these at once; None if elements must be stacked."""
        return None

    @abc.abstractmethod
    def example(self) -> Any:
        """Some element, made without starting an epoch. Raises StopIteration if there is none."""


def non_file_sources(stage: Stage) -> list[Stage]:
    """The sources of a plan whose elements are not the names of files that it reads."""
    if stage.reads_files:
        return []
    return [source for parent in stage.parents for source in non_file_sources(parent)] if stage.parents else [stage]


class FileNameSource(Stage):
    """A source of file names: FILE sharding gives every worker some of them, before any shuffling."""

    @property
    @abc.abstractmethod
    def files(self) -> tuple[str, ...]:
        """The names, in their original order."""

    @abc.abstractmethod
    def with_files(self, files: tuple[str, ...]) -> "FileNameSource":
        """The same source with only these files."""


class UnaryStage(Stage):
    """A stage with one parent; by default everything but the number of elements is unchanged."""

    def __init__(self, parent: Stage) -> None:
        self._parent = parent

    @property
    def spec(self) -> Any:
        return self._parent.spec

    @property
    def cardinality(self) -> int:
        return self._parent.cardinality

    @property
    def batch_size(self) -> int | None:
        return self._parent.batch_size

    @property
    def pure(self) -> bool:
        return self._parent.pure

    @property
    def cheap(self) -> bool:
        return self._parent.cheap

    @property
    def parents(self) -> tuple[Stage, ...]:
        return (self._parent,)

    def with_parents(self, *parents: Stage) -> Self:
        (parent,) = parents
        step = copy.copy(self)
        step._parent = parent
        return step

    def example(self) -> Any:
        return self._parent.example()


@final
class OrderedRowsStage(Stage):
    """The rows of columns in some order, one by one. No row is accessed before it is needed."""

    def __init__(self, columns: Columns, order: Order) -> None:
        self.columns = columns
        self.order = order

    @functools.cached_property
    def spec(self) -> Any:
        return self.columns.spec

    @property
    def cardinality(self) -> int:
        return self.order.length

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return self.columns.pure

    @property
    def knows_spec(self) -> bool:
        return self.columns.pure

    @property
    def cheap(self) -> bool:
        return self.columns.cheap

    def walk(self) -> StageIterator:
        return _RowsIterator(self)

    def example(self) -> Any:
        if self.columns.length == 0:
            raise StopIteration
        return rows_of(self.columns.gather(np.zeros(1, np.int64)))[0]


@final
class _RowsIterator(StageIterator):
    """Gathers a block of rows at a time and returns them as views."""

    _BLOCK_BYTES = 1 << 20

    def __init__(self, stage: OrderedRowsStage) -> None:
        super().__init__()
        self._stage = stage
        self._cursor = stage.order.cursor()
        self._block_rows = max(1, min(stage.columns.read_ahead_rows, self._BLOCK_BYTES // _bytes_of_row(stage.spec)))
        self._origin = self._cursor.get_state()
        self._rows: list[Any] = []
        self._position = 0

    def __next__(self) -> Any:
        if self._position == len(self._rows):
            self._origin = self._cursor.get_state()
            indices = self._cursor.read(self._block_rows)
            self._rows = rows_of(self._stage.columns.gather(indices)) if len(indices) else []
            self._position = 0
            if not self._rows:
                raise StopIteration
        self._position += 1
        return self._rows[self._position - 1]

    def get_state(self) -> State:
        return {"block": self._origin, "position": self._position}

    def set_state(self, state: State) -> None:
        self._cursor.set_state(state["block"])
        self._cursor.discard(state["position"])
        # The next block begins in the middle of the old one; its origin is recorded when it is read.
        self._origin, self._rows, self._position = self._cursor.get_state(), [], 0


@final
class BatchedRowsStage(Stage):
    """Batches of in-memory rows, gathered one batch at a time."""

    def __init__(
        self, columns: Columns, order: Order, batch_size: int, cardinality: int, *, drop_remainder: bool
    ) -> None:
        self.columns = columns
        self.order = order
        self.drop_remainder = drop_remainder
        self._batch_size = batch_size
        self._cardinality = cardinality

    @functools.cached_property
    def spec(self) -> Any:
        rows = self._batch_size if self.drop_remainder else None
        return map_leaves(lambda spec: with_rows(spec, rows), self.columns.spec)

    @property
    def cardinality(self) -> int:
        return self._cardinality

    @property
    def batch_size(self) -> int:
        return self._batch_size

    @property
    def counts_rows(self) -> bool:
        return True

    @property
    def pure(self) -> bool:
        return self.columns.pure

    @property
    def knows_spec(self) -> bool:
        return self.columns.pure

    @property
    def cheap(self) -> bool:
        return self.columns.cheap

    def walk(self) -> StageIterator:
        return BatchedRowsIterator(self)

    def example(self) -> Any:
        if self.columns.length == 0:
            raise StopIteration
        return self.columns.gather(np.zeros(self._batch_size, np.int64))


@final
class BatchedRowsIterator(StageIterator):
    """Reads the order a batch at a time."""

    def __init__(self, stage: BatchedRowsStage) -> None:
        super().__init__()
        self._stage = stage
        self._cursor = stage.order.cursor()

    def __next__(self) -> Any:
        return self._stage.columns.gather(self.read())

    def read(self) -> Indices:
        """The row indices of the next batch. Raises StopIteration at the end."""
        stage = self._stage
        indices = self._cursor.read(stage.batch_size)
        if len(indices) == 0 or (stage.drop_remainder and len(indices) < stage.batch_size):
            raise StopIteration
        return indices

    def get_state(self) -> State:
        return {"rows": self._cursor.get_state()}

    def set_state(self, state: State) -> None:
        self._cursor.set_state(state["rows"])


class ParentIterator(StageIterator):
    """An iterator over a parent iterator, whose state is the parent's together with its own."""

    def __init__(self, parent: StageIterator) -> None:
        super().__init__(parent)
        self._source = parent

    def get_state(self) -> State:
        return {**self._own_state(), "parent": self._source.get_state()}

    def set_state(self, state: State) -> None:
        self._set_own_state(state)
        self._source.set_state(state["parent"])

    @abc.abstractmethod
    def _own_state(self) -> State: ...

    @abc.abstractmethod
    def _set_own_state(self, state: State) -> None: ...


class RestartingIterator(StageIterator):
    """An iterator that starts iterations over one stage itself, one after another."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self._stage = stage
        self._source: StageIterator | None = None

    def _start(self) -> StageIterator:
        if self._source is not None:
            self._source.close()  # its threads and files are no longer needed
        self._source = self._stage.walk()
        return self._source

    def close(self) -> None:
        if self._source is not None:
            self._source.close()
        super().close()


def _bytes_of_row(spec: Any) -> int:
    specs: list[TensorSpec] = jax.tree.leaves(spec)
    return max(1, sum((s.shape.num_elements() or 0) * int(s.dtype.itemsize) for s in specs))
