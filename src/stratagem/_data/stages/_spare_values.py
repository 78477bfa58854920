"""Spare values in ragged tensors, so that batches of many numbers of values have few programs."""

from typing import Any, final

from stratagem._core.values import CompositeTensor
from stratagem._data.elements._composites import composite_rows, values_in_rows, with_room
from stratagem._data.elements._nest import map_leaves
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import StageIterator, UnaryStage


@final
class SpareValuesStage(UnaryStage):
    """The same elements. Each size of an array needs a program; with room, ragged tensors have arrays of few sizes."""

    @property
    def counts_rows(self) -> bool:
        return self._parent.counts_rows

    def walk(self) -> StageIterator:
        return _SpareValuesIterator(self._parent.walk())


@final
class _SpareValuesIterator(StageIterator):
    """An iterator whose state is that of the parent alone, so that states of iterators without room stay valid."""

    def __init__(self, parent: StageIterator) -> None:
        super().__init__(parent)
        self._source = parent

    def __next__(self) -> Any:
        return map_leaves(_with_room, next(self._source))

    def get_state(self) -> State:
        return self._source.get_state()

    def set_state(self, state: State) -> None:
        self._source.set_state(state)


def _with_room(leaf: Any) -> Any:
    if not isinstance(leaf, CompositeTensor):
        return leaf
    return with_room(leaf, values_in_rows(leaf, 0, composite_rows(leaf)))
