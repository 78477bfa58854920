"""Stages that make new elements from others: batch, unbatch."""

from typing import Any, final

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import CompositeTensor, TensorShape
from stratagem._data.elements._nest import leaves, map_leaves, rows_in, rows_of, stacked
from stratagem._data.elements._spec import NestedDataset, with_rows, without_rows
from stratagem._data.stages._cardinality import UNKNOWN, batched
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage


@final
class BatchStage(UnaryStage):
    """Stacks consecutive elements."""

    def __init__(self, parent: Stage, batch_size: int, *, drop_remainder: bool) -> None:
        super().__init__(parent)
        self._batch_size = batch_size
        self._drop_remainder = drop_remainder

    @property
    def spec(self) -> Any:
        rows = self._batch_size if self._drop_remainder else None
        return map_leaves(lambda spec: with_rows(spec, rows), self._parent.spec)

    @property
    def cardinality(self) -> int:
        return batched(self._parent.cardinality, self._batch_size, drop_remainder=self._drop_remainder)

    @property
    def batch_size(self) -> int:
        return self._batch_size

    @property
    def counts_rows(self) -> bool:
        return True

    def walk(self) -> StageIterator:
        size, drop = self._batch_size, self._drop_remainder
        together = self._parent.walk_batches(size, drop_remainder=drop)
        return _BatchIterator(self._parent.walk(), size, drop_remainder=drop) if together is None else together

    def example(self) -> Any:
        return stacked([self._parent.example()] * self._batch_size)


@final
class _BatchIterator(ParentIterator):
    def __init__(self, parent: StageIterator, batch_size: int, *, drop_remainder: bool) -> None:
        super().__init__(parent)
        self._batch_size = batch_size
        self._min_size = batch_size if drop_remainder else 1

    def __next__(self) -> Any:
        return self._source.next_batch(self._batch_size, self._min_size)

    def next_batch(self, size: int, least: int) -> Any:
        state = self._source.get_state()
        rows = self._source.next_batch(size * self._batch_size, 1)
        count, rest = divmod(rows_in(rows), self._batch_size)
        if rest or count < least or any(isinstance(leaf, CompositeTensor) for leaf in leaves(rows)):
            self._source.set_state(state)  # what is left for the last batches has no one shape
            return super().next_batch(size, least)
        return map_leaves(lambda leaf: leaf.reshape(count, self._batch_size, *leaf.shape[1:]), rows)

    def _own_state(self) -> State:
        return {}

    def _set_own_state(self, state: State) -> None:
        pass


@final
class UnbatchStage(UnaryStage):
    """The rows of every element, one by one."""

    def __init__(self, parent: Stage) -> None:
        super().__init__(parent)
        # The spec of user code is found out by running it; such elements are checked when they arrive.
        if parent.pure:
            _check_rows([s.shape for s in leaves(parent.spec)])

    @property
    def spec(self) -> Any:
        return map_leaves(without_rows, self._parent.spec)

    @property
    def cardinality(self) -> int:
        if not self._parent.pure:
            return UNKNOWN
        sizes, batches = _known_rows([s.shape for s in leaves(self._parent.spec)]), self._parent.cardinality
        if not sizes:
            return UNKNOWN
        return batches if batches < 0 else batches * sizes[0]

    @property
    def batch_size(self) -> int | None:
        return None

    def walk(self) -> StageIterator:
        return _UnbatchIterator(self._parent.walk())

    def example(self) -> Any:
        return rows_of(self._parent.example())[0]


@final
class _UnbatchIterator(ParentIterator):
    def __init__(self, parent: StageIterator) -> None:
        super().__init__(parent)
        self._origin = parent.get_state()
        self._rows: list[Any] = []
        self._position = 0

    def __next__(self) -> Any:
        while self._position == len(self._rows):
            # Done first, so that the state is right even if there is no next element.
            self._origin, self._rows, self._position = self._source.get_state(), [], 0
            self._rows = equal_rows(next(self._source))
        self._position += 1
        return self._rows[self._position - 1]

    def get_state(self) -> State:
        return {"parent": self._origin, **self._own_state()}

    def set_state(self, state: State) -> None:
        self._source.set_state(state["parent"])
        self._set_own_state(state)

    def _own_state(self) -> State:
        return {"position": self._position}

    def _set_own_state(self, state: State) -> None:
        self._origin, self._rows, self._position = state["parent"], [], 0
        for _ in range(state["position"]):
            next(self)


def equal_rows(element: Any) -> list[Any]:
    """Returns the rows of an element. Raises InvalidArgumentError unless its components have equally many."""
    arrays = leaves(element)
    if any(isinstance(array, NestedDataset) for array in arrays):
        raise _no_rows()
    _check_rows([TensorShape(array.shape) for array in arrays])
    return rows_of(element)


def _known_rows(shapes: list[TensorShape]) -> list[int]:
    """The numbers of rows, where they are known."""
    return [rows for shape in shapes if shape.rank and (rows := shape[0]) is not None]


def _check_rows(shapes: list[TensorShape]) -> None:
    """Raises an error unless tensors of these shapes have rows, and equally many, as far as that is known."""
    if any(shape.rank == 0 for shape in shapes):
        raise _no_rows()
    if len(set(_known_rows(shapes))) > 1:
        raise InvalidArgumentError(
            f"Cannot unbatch components with different numbers of rows: their shapes are {', '.join(map(str, shapes))}."
        )


def _no_rows() -> ValueError:
    return ValueError("Cannot unbatch an input with scalar components. `unbatch` takes batches apart into rows.")
