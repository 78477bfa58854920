"""Stages that buffer elements: a list, a cache, and shuffling of elements that are not rows in memory."""

from collections.abc import Callable, Sequence
from typing import Any, final

import numpy as np

from stratagem._data.elements._nest import map_leaves
from stratagem._data.stages._order import State
from stratagem._data.stages._seeds import EpochSeeds, generator
from stratagem._data.stages._stage import RestartingIterator, Stage, StageIterator, UnaryStage


@final
class ListStage(Stage):
    """Elements in memory, whose shapes may differ."""

    def __init__(self, elements: Sequence[Any], spec: Callable[[], Any]) -> None:
        self.elements = elements
        self._spec = spec

    @property
    def spec(self) -> Any:
        return self._spec()

    @property
    def cardinality(self) -> int:
        return len(self.elements)

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return True

    @property
    def cheap(self) -> bool:
        return True

    def walk(self) -> StageIterator:
        return _ListIterator(self.elements)

    def example(self) -> Any:
        if not self.elements:
            raise StopIteration
        return self.elements[0]


@final
class _ListIterator(StageIterator):
    def __init__(self, elements: Sequence[Any]) -> None:
        super().__init__()
        self._elements = elements
        self._position = 0

    def __next__(self) -> Any:
        if self._position == len(self._elements):
            raise StopIteration
        self._position += 1
        return self._elements[self._position - 1]

    def get_state(self) -> State:
        return {"position": self._position}

    def set_state(self, state: State) -> None:
        self._position = state["position"]


@final
class CacheStage(UnaryStage):
    """Caches all elements at the end of the first complete iteration; later iterations reuse them."""

    def __init__(self, parent: Stage) -> None:
        super().__init__(parent)
        self._elements: list[Any] | None = None
        self._origin: State = {}

    @property
    def cheap(self) -> bool:
        return self._elements is not None

    def with_parents(self, *parents: Stage) -> "CacheStage":
        return CacheStage(*parents)  # an empty cache: other parents may give other elements

    def walk(self) -> StageIterator:
        return _CacheIterator(self, self._parent)

    def filled(self) -> tuple[list[Any], State] | None:
        """The elements, and the state in which the iteration that made them began; None before the cache is complete."""
        return None if self._elements is None else (self._elements, self._origin)

    def fill(self, elements: list[Any], origin: State) -> None:
        """Stores the elements of a complete iteration that began in the state `origin`."""
        self._origin = origin
        self._elements = elements

    def forget(self) -> None:
        """Empties the cache, so that the next complete iteration fills it."""
        self._elements = None


@final
class _CacheIterator(RestartingIterator):
    """Returns the cached elements, or fills the cache.

    The cached elements are not saved: a restore starts where the filling began, which makes the same elements again.
    """

    def __init__(self, cache: CacheStage, parent: Stage) -> None:
        super().__init__(parent)
        self._cache = cache
        self._position = 0
        self._known: list[Any] | None = None
        self._seen: list[Any] = []
        filled = cache.filled()
        if filled is None:
            self._fill_from(self._start().get_state())
        else:
            self._known, self._origin = filled

    def _fill_from(self, origin: State) -> None:
        self._origin = origin
        self._known, self._seen = None, []

    def __next__(self) -> Any:
        if self._known is None and not self._seen:
            self._use_filled()
        if self._known is None:
            return self._read_on()
        if self._position == len(self._known):
            raise StopIteration
        self._position += 1
        return self._known[self._position - 1]

    def _use_filled(self) -> None:
        """Uses the cache if another iteration has filled it since this one was created."""
        filled = self._cache.filled()
        if filled is not None:
            self._known, self._origin = filled

    def _read_on(self) -> Any:
        assert self._source is not None
        try:
            element = map_leaves(_cacheable, next(self._source))
        except StopIteration:
            if self._cache.filled() is None:
                self._cache.fill(self._seen, self._origin)
            self._known = self._seen
            raise
        self._seen.append(element)
        self._position += 1
        return element

    def get_state(self) -> State:
        return {"position": self._position, "origin": self._origin}

    def set_state(self, state: State) -> None:
        filled = self._cache.filled()
        if filled is not None and filled[1] == state["origin"]:
            (self._known, self._origin), self._position = filled, state["position"]
            return
        self._cache.forget()  # the state comes from another process, which cached other elements
        source = self._start()
        source.set_state(state["origin"])
        self._fill_from(state["origin"])
        self._position = 0
        while self._position < state["position"]:
            self._read_on()


@final
class ShuffleStage(UnaryStage):
    """Elements drawn at random from a buffer."""

    def __init__(self, parent: Stage, buffer_size: int, seeds: EpochSeeds) -> None:
        super().__init__(parent)
        self._buffer_size = buffer_size
        self._seeds = seeds

    def walk(self) -> StageIterator:
        return _ShuffleIterator(self._parent, self._buffer_size, self._seeds)


@final
class _ShuffleIterator(RestartingIterator):
    """Reads one element of the parent for each one returned: they may be costly, so none is made too early."""

    _BLOCK = 1024

    def __init__(self, parent: Stage, buffer_size: int, seeds: EpochSeeds) -> None:
        super().__init__(parent)
        self._buffer_size = buffer_size
        self._seeds = seeds
        self._begin(self._start(), seeds.begin())

    def _begin(self, source: StageIterator, facts: dict[str, int]) -> None:
        self._epoch_facts = facts
        self._drawing = source
        # A restore starts again from here: buffered elements may be large and are not saved.
        self._origin = source.get_state()
        self._generator = generator(facts)
        self._slots: list[int] = []
        self._buffer: list[Any] = []
        self._full = True
        self._emitted = 0

    def __next__(self) -> Any:
        if self._full:
            self._fill()
        if not self._buffer:
            raise StopIteration
        self._emitted += 1
        if not self._full:
            return self._buffer.pop()
        if not self._slots:
            self._slots = self._generator.integers(0, self._buffer_size, self._BLOCK).tolist()
        slot = self._slots.pop()
        element, self._buffer[slot] = self._buffer[slot], self._buffer[-1]
        self._buffer.pop()
        return element

    def _fill(self) -> None:
        """Fills the buffer; once the source has ended, shuffles the remaining elements."""
        while len(self._buffer) < self._buffer_size:
            try:
                self._buffer.append(next(self._drawing))
            except StopIteration:
                self._full = False
                self._buffer = [self._buffer[i] for i in self._generator.permutation(len(self._buffer))]
                return

    def get_state(self) -> State:
        return {"shuffle": self._seeds.now(self._epoch_facts), "emitted": self._emitted, "origin": self._origin}

    def set_state(self, state: State) -> None:
        source = self._start()
        source.set_state(state["origin"])
        self._seeds.restore(state["shuffle"])
        self._begin(source, state["shuffle"])
        for _ in range(state["emitted"]):
            next(self)


def _cacheable(leaf: Any) -> Any:
    """A leaf that can be returned again and again: read-only, and not a view that keeps a whole block alive."""
    if not isinstance(leaf, np.ndarray):
        return leaf
    leaf = leaf if leaf.base is None else leaf.copy()
    leaf.setflags(write=False)
    return leaf
