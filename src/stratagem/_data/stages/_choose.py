"""Stages that choose from several datasets, one element at a time, and random numbers to choose with."""

from collections.abc import Sequence
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import map_leaves
from stratagem._data.elements._spec import merged
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._seeds import EpochSeeds, generator
from stratagem._data.stages._stage import Stage, StageIterator


@final
class ChooseStage(Stage):
    """Takes each element from the stage whose index the selector gives.

    stop_on_empty: end when a chosen stage has ended, instead of leaving it out.
    """

    def __init__(self, selector: Stage, stages: Sequence[Stage], *, stop_on_empty: bool) -> None:
        self._parents = (selector, *stages)
        self._stop_on_empty = stop_on_empty

    @property
    def spec(self) -> Any:
        spec, *others = (stage.spec for stage in self._parents[1:])
        for other in others:
            spec = map_leaves(merged, spec, other)
        return spec

    @property
    def cardinality(self) -> int:
        sizes = [stage.cardinality for stage in self._parents[1:]]
        return INFINITE if INFINITE in sizes and self._parents[0].cardinality == INFINITE else UNKNOWN

    @property
    def batch_size(self) -> int | None:
        sizes = {stage.batch_size for stage in self._parents[1:]}
        return sizes.pop() if len(sizes) == 1 else None

    @property
    def pure(self) -> bool:
        return all(stage.pure for stage in self._parents)

    @property
    def parents(self) -> tuple[Stage, ...]:
        return self._parents

    def with_parents(self, *parents: Stage) -> "ChooseStage":
        return ChooseStage(parents[0], parents[1:], stop_on_empty=self._stop_on_empty)

    def walk(self) -> StageIterator:
        return _ChooseIterator([stage.walk() for stage in self._parents], stop_on_empty=self._stop_on_empty)

    def example(self) -> Any:
        for stage in self._parents[1:-1]:
            try:
                return stage.example()
            except StopIteration:
                continue
        return self._parents[-1].example()


@final
class _ChooseIterator(StageIterator):
    def __init__(self, walks: list[StageIterator], *, stop_on_empty: bool) -> None:
        super().__init__(walks)
        self._selector, *self._walks = walks
        self._stop_on_empty = stop_on_empty
        self._ended: set[int] = set()

    def __next__(self) -> Any:
        while len(self._ended) < len(self._walks):
            number = int(next(self._selector))
            if not 0 <= number < len(self._walks):
                raise InvalidArgumentError(f"Selector index out of range: {number} >= {len(self._walks)}.")
            if number in self._ended:
                continue
            for element in self._walks[number]:
                return element
            self._ended.update(range(len(self._walks)) if self._stop_on_empty else {number})
        raise StopIteration

    def get_state(self) -> State:
        states = [walk.get_state() for walk in (self._selector, *self._walks)]
        return {"ended": sorted(self._ended), "parents": states}

    def set_state(self, state: State) -> None:
        self._ended = set(state["ended"])
        for walk, saved in zip((self._selector, *self._walks), state["parents"], strict=True):
            walk.set_state(saved)


@final
class RandomStage(Stage):
    """Random int64 scalars without end: below 2^32, or, with weights, indices of the weights.

    weights: (n,), the relative frequency of each index, or None.
    """

    def __init__(self, seeds: EpochSeeds, weights: Sequence[float] | None = None) -> None:
        self._seeds = seeds
        self._weights = weights

    @property
    def spec(self) -> Any:
        return TensorSpec((), np.int64)

    @property
    def cardinality(self) -> int:
        return INFINITE

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
        return _RandomNumberIterator(self._seeds, self._weights)

    def example(self) -> Any:
        return np.asarray(0, np.int64)


@final
class _RandomNumberIterator(StageIterator):
    """Draws blocks, each with its own generator, so that any position can be reached at once."""

    _BLOCK = 1024

    def __init__(self, seeds: EpochSeeds, weights: Sequence[float] | None) -> None:
        super().__init__()
        self._seeds = seeds
        self._epoch_facts = seeds.begin()
        self._ends = None if weights is None else np.cumsum(np.asarray(weights, np.float64) / sum(weights))
        self._position = 0
        self._drawn: list[int] = []

    def __next__(self) -> Any:
        place = self._position % self._BLOCK
        if place == 0 or not self._drawn:
            self._drawn = self._draw(self._position // self._BLOCK)
        self._position += 1
        return np.asarray(self._drawn[place], np.int64)

    def _draw(self, block: int) -> list[int]:
        random = generator(self._epoch_facts, block)
        if self._ends is None:
            numbers: list[int] = random.integers(0, 1 << 32, self._BLOCK).tolist()
            return numbers
        found = np.searchsorted(self._ends, random.random(self._BLOCK), side="right")
        return np.minimum(found, len(self._ends) - 1).tolist()

    def get_state(self) -> State:
        return {"random": self._seeds.now(self._epoch_facts), "position": self._position}

    def set_state(self, state: State) -> None:
        self._epoch_facts, self._position, self._drawn = state["random"], state["position"], []
        self._seeds.restore(self._epoch_facts)
