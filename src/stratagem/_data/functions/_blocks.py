"""An iterator that runs a compiled function on blocks of another iterator's elements."""

import abc
import itertools
from typing import Any, final

from stratagem._data.elements._nest import rows_of, stacked
from stratagem._data.functions._applied import AppliedFunction
from stratagem._data.functions._compiled import CompiledFunction
from stratagem._data.functions._draws import places
from stratagem._data.functions._mapped import block_size
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import StageIterator


class BlockIterator(StageIterator):
    """Reads a block of elements ahead, and returns the function's results one by one.

    Only for parents without side effects. An error of the parent is raised at its position, after the results before it.
    """

    def __init__(self, parent: StageIterator, applied: AppliedFunction, program: CompiledFunction, specs: Any) -> None:
        super().__init__(parent)
        self._source = parent
        self._applied = applied
        self._program = program
        self._size = block_size(specs)
        self._epoch_facts = applied.begin()
        self._start(0)

    def _start(self, first: int) -> None:
        """Begins a block at the parent's current element, whose number is `first`."""
        self._origin, self._first, self._read = self._source.get_state(), first, 0
        self._results: list[Any] = []
        self._position = 0
        self._failure: Exception | None = None

    @abc.abstractmethod
    def _chosen(self, elements: list[Any], results: Any) -> list[Any]:
        """The elements to return for these inputs and the function's stacked results."""

    def __next__(self) -> Any:
        while self._position == len(self._results):
            failure = self._failure
            self._start(self._first + self._read)
            if failure is not None:
                raise failure
            self._next_block()
        self._position += 1
        return self._results[self._position - 1]

    def _next_block(self) -> None:
        elements: list[Any] = []
        try:
            elements.extend(itertools.islice(self._source, self._size))
        except Exception as error:
            self._failure = error
        self._read = len(elements)
        if not elements:
            if self._failure is None:
                raise StopIteration
            return
        # Always the same size: sums may differ in their last digit between sizes, and a restored iterator has other blocks.
        block = stacked(elements + [elements[-1]] * (self._size - len(elements)))
        drawing = (
            (self._applied.draws.seed, places(self._epoch_facts, self._first, self._size)) if self._epoch_facts else ()
        )
        self._results = self._chosen(elements, self._program.many(block, self._size, *drawing))

    def get_state(self) -> State:
        return {"parent": self._origin, "first": self._first, "position": self._position, "draws": self._epoch_facts}

    def set_state(self, state: State) -> None:
        self._source.set_state(state["parent"])
        self._epoch_facts = state["draws"]
        self._applied.restore(self._epoch_facts)
        self._start(state["first"])
        if state["position"]:
            self._next_block()
            self._position = state["position"]


@final
class MapBlockIterator(BlockIterator):
    """Returns the function's results."""

    def _chosen(self, elements: list[Any], results: Any) -> list[Any]:
        return rows_of(results)[: len(elements)]


@final
class FilterBlockIterator(BlockIterator):
    """Returns the elements that the function accepts."""

    def _chosen(self, elements: list[Any], results: Any) -> list[Any]:
        return [element for element, accepted in zip(elements, results, strict=False) if accepted]
