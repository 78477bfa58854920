"""Stages that hold elements: cache, and shuffle of elements that are not rows in memory."""

from typing import final

import jax

from stratagem.pipeline._nest import Array, Nest
from stratagem.pipeline._order import State
from stratagem.pipeline._seeds import EpochSeeds, generator
from stratagem.pipeline._stage import RestartingWalk, Stage, Step, Walk


@final
class CacheStage(Step):
    """Remembers all elements once a walk came to its end; later walks repeat them without asking for them again."""

    def __init__(self, parent: Stage) -> None:
        super().__init__(parent)
        self.elements: list[Nest] | None = None

    def over(self, *parents: Stage) -> "CacheStage":
        return CacheStage(*parents)  # with nothing remembered yet: other parents may give other elements

    def walk(self) -> Walk:
        return _CacheWalk(self, self._parent)


@final
class _CacheWalk(RestartingWalk):
    def __init__(self, cache: CacheStage, parent: Stage) -> None:
        super().__init__(parent)
        self._cache = cache
        self._seen: list[Nest] = []
        self._position = 0

    def __next__(self) -> Nest:
        known = self._cache.elements
        if known is not None and self._source is None:
            if self._position == len(known):
                raise StopIteration
            self._position += 1
            return known[self._position - 1]
        return self._read_on()

    def _read_on(self) -> Nest:
        try:
            element = jax.tree.map(_kept, next(self._source or self._start()))
        except StopIteration:
            self._cache.elements = self._seen
            raise
        self._seen.append(element)
        self._position += 1
        return element

    def get_state(self) -> State:
        return {"position": self._position}

    def set_state(self, state: State) -> None:
        self._source, self._seen, self._position = None, [], 0
        # What was cached is not saved: the elements up to here are made, and cached, again.
        if self._cache.elements is not None:
            self._position = state["position"]
            return
        while self._position < state["position"]:
            self._read_on()


@final
class ShuffleStep(Step):
    """Elements drawn at random from a buffer."""

    def __init__(self, parent: Stage, buffer_size: int, seeds: EpochSeeds) -> None:
        super().__init__(parent)
        self._buffer_size = buffer_size
        self._seeds = seeds

    def walk(self) -> Walk:
        return _ShuffleWalk(self._parent, self._buffer_size, self._seeds)


@final
class _ShuffleWalk(RestartingWalk):
    """Reads one element of the parent for every one handed out: they may be costly, so none is made too early."""

    _BLOCK = 1024

    def __init__(self, parent: Stage, buffer_size: int, seeds: EpochSeeds) -> None:
        super().__init__(parent)
        self._buffer_size = buffer_size
        self._seeds = seeds
        self._begin(self._start(), seeds.begin())

    def _begin(self, source: Walk, facts: dict[str, int]) -> None:
        self._facts = facts
        self._drawing = source
        # A restore starts here again: buffered elements may be large and are not saved.
        self._origin = source.get_state()
        self._generator = generator(facts)
        self._slots: list[int] = []
        self._buffer: list[Nest] = []
        self._full = True
        self._emitted = 0

    def __next__(self) -> Nest:
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
        """Fill up the buffer; once the source has ended, put what is left in a random order."""
        while len(self._buffer) < self._buffer_size:
            try:
                self._buffer.append(next(self._drawing))
            except StopIteration:
                self._full = False
                self._buffer = [self._buffer[i] for i in self._generator.permutation(len(self._buffer))]
                return

    def get_state(self) -> State:
        return {"shuffle": self._facts, "emitted": self._emitted, "origin": self._origin}

    def set_state(self, state: State) -> None:
        source = self._start()
        source.set_state(state["origin"])
        self._seeds.restore(state["shuffle"])
        self._begin(source, state["shuffle"])
        for _ in range(state["emitted"]):
            next(self)


def _kept(leaf: Array) -> Array:
    """A leaf that can be handed out again and again: read-only, and no view that keeps a whole block alive."""
    leaf = leaf if leaf.base is None else leaf.copy()
    leaf.setflags(write=False)
    return leaf
