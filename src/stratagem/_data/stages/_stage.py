"""The contract of a plan: a stage knows facts about its elements without making them, and starts walks over them."""

import abc
import copy
import functools
from typing import Self, final

import grain
import jax
import numpy as np

from stratagem._data.elements._nest import Nest, map_leaves, rows_of
from stratagem._data.elements._spec import TensorSpec, with_rows
from stratagem._data.stages._columns import Columns
from stratagem._data.stages._order import Indices, Order, State


class StageIterator(grain.DatasetIterator, abc.ABC):  # type: ignore[misc]  # Grain carries no types
    """One walk over the elements of a stage. It is a Grain iterator, so what saves or prefetches those works on it.

    Elements are nests of NumPy arrays. After its end a walk keeps raising StopIteration.
    """

    @abc.abstractmethod
    def __next__(self) -> Nest: ...

    @abc.abstractmethod
    def get_state(self) -> State:
        """Where the walk is, as JSON. It does not change when the walk goes on."""

    @abc.abstractmethod
    def set_state(self, state: State) -> None:
        """Go to where another walk over the same stage was."""


class Stage(abc.ABC):
    """One step of a plan, with everything before it. Immutable, but for what outlives a walk (seeds, caches)."""

    @property
    @abc.abstractmethod
    def spec(self) -> Nest:
        """The specs of an element, as TensorFlow's `element_spec`."""

    @property
    @abc.abstractmethod
    def cardinality(self) -> int:
        """The number of elements, INFINITE or UNKNOWN."""

    @property
    @abc.abstractmethod
    def batch_size(self) -> int | None:
        """The rows that all elements but the last have in the plan, or None when it does not tell."""

    @property
    @abc.abstractmethod
    def pure(self) -> bool:
        """True when no Python of the user's runs in a walk and it waits for nobody: drawing ahead has no side effect.

        The spec of such a stage is known without running anything of the user's.
        """

    @property
    def cheap(self) -> bool:
        """True when making an element costs less than handing it over from a thread."""
        return False

    @property
    def reads_files(self) -> bool:
        """True when the parent's elements name the files that the elements of this stage come from."""
        return False

    @property
    def parents(self) -> "tuple[Stage, ...]":
        """The stages before this one; a source has none."""
        return ()

    def over(self, *parents: "Stage") -> "Stage":
        """The same step over other parents, which give elements of the same spec: how a plan is sharded."""
        if parents:
            raise TypeError(f"{type(self).__name__} is a source: it has no parents that could be replaced.")
        return self

    @abc.abstractmethod
    def walk(self) -> StageIterator:
        """A new walk, from the beginning."""

    @abc.abstractmethod
    def example(self) -> Nest:
        """Some element, made without starting an epoch; StopIteration when there is none."""


def not_read(stage: Stage) -> list[Stage]:
    """The sources of a plan whose elements are not the names of files that it reads."""
    if stage.reads_files:
        return []
    return [source for parent in stage.parents for source in not_read(parent)] if stage.parents else [stage]


class FileSource(Stage):
    """A source of names of files: FILE sharding gives every worker some of them, before any shuffling."""

    @property
    @abc.abstractmethod
    def files(self) -> tuple[str, ...]:
        """The names, in their own order."""

    @abc.abstractmethod
    def with_files(self, files: tuple[str, ...]) -> "FileSource":
        """The same source with these files only."""


class UnaryStage(Stage):
    """A stage with one stage before it; as written here it changes nothing about the elements but their number."""

    def __init__(self, parent: Stage) -> None:
        self._parent = parent

    @property
    def spec(self) -> Nest:
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

    def over(self, *parents: Stage) -> Self:
        (parent,) = parents
        step = copy.copy(self)
        step._parent = parent
        return step

    def example(self) -> Nest:
        return self._parent.example()


@final
class OrderedRows(Stage):
    """Rows of columns in some order, one by one. No row is touched before it is needed."""

    def __init__(self, columns: Columns, order: Order) -> None:
        self.columns = columns
        self.order = order

    @functools.cached_property
    def spec(self) -> Nest:
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
    def cheap(self) -> bool:
        return self.columns.cheap

    def walk(self) -> StageIterator:
        return _RowsIterator(self)

    def example(self) -> Nest:
        if self.columns.length == 0:
            raise StopIteration
        return rows_of(self.columns.gather(np.zeros(1, np.int64)))[0]


@final
class _RowsIterator(StageIterator):
    """Gathers a block of rows at a time and hands them out as views."""

    _BLOCK_BYTES = 1 << 20

    def __init__(self, stage: OrderedRows) -> None:
        super().__init__()
        self._stage = stage
        self._cursor = stage.order.cursor()
        self._block_rows = max(1, min(stage.columns.ahead, self._BLOCK_BYTES // _bytes_of_row(stage.spec)))
        self._origin = self._cursor.get_state()
        self._rows: list[Nest] = []
        self._position = 0

    def __next__(self) -> Nest:
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
        # The new block begins in mid-block; its own origin is taken when it is read.
        self._origin, self._rows, self._position = self._cursor.get_state(), [], 0


@final
class BatchedRows(Stage):
    """Batches of in-memory rows: one gather each."""

    def __init__(
        self, columns: Columns, order: Order, batch_size: int, cardinality: int, *, drop_remainder: bool
    ) -> None:
        self.columns = columns
        self.order = order
        self.drop_remainder = drop_remainder
        self._batch_size = batch_size
        self._cardinality = cardinality

    @functools.cached_property
    def spec(self) -> Nest:
        rows = self._batch_size if self.drop_remainder else None
        return map_leaves(lambda spec: with_rows(spec, rows), self.columns.spec)

    @property
    def cardinality(self) -> int:
        return self._cardinality

    @property
    def batch_size(self) -> int:
        return self._batch_size

    @property
    def pure(self) -> bool:
        return self.columns.pure

    @property
    def cheap(self) -> bool:
        return self.columns.cheap

    def walk(self) -> StageIterator:
        return BatchedRowsIterator(self)

    def example(self) -> Nest:
        if self.columns.length == 0:
            raise StopIteration
        return self.columns.gather(np.zeros(self._batch_size, np.int64))


@final
class BatchedRowsIterator(StageIterator):
    """Reads the order a batch at a time."""

    def __init__(self, stage: BatchedRows) -> None:
        super().__init__()
        self._stage = stage
        self._cursor = stage.order.cursor()

    def __next__(self) -> Nest:
        return self._stage.columns.gather(self.read())

    def read(self) -> Indices:
        """Which rows the next batch has; StopIteration at the end."""
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
    """A walk over another walk, whose state is the other's and its own facts."""

    def __init__(self, parent: StageIterator) -> None:
        super().__init__(parent)
        self._source = parent

    def get_state(self) -> State:
        return {**self._facts(), "parent": self._source.get_state()}

    def set_state(self, state: State) -> None:
        self._set_facts(state)
        self._source.set_state(state["parent"])

    @abc.abstractmethod
    def _facts(self) -> State: ...

    @abc.abstractmethod
    def _set_facts(self, state: State) -> None: ...


class RestartingIterator(StageIterator):
    """A walk over walks that it starts itself, one after another, over the same stage."""

    def __init__(self, stage: Stage) -> None:
        super().__init__()
        self._stage = stage
        self._source: StageIterator | None = None

    def _start(self) -> StageIterator:
        if self._source is not None:
            self._source.close()  # its threads and files are of no more use
        self._source = self._stage.walk()
        return self._source

    def close(self) -> None:
        if self._source is not None:
            self._source.close()
        super().close()


def _bytes_of_row(spec: Nest) -> int:
    specs: list[TensorSpec] = jax.tree.leaves(spec)
    return max(1, sum((s.shape.num_elements() or 0) * int(s.dtype.itemsize) for s in specs))
