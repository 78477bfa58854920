"""Grain's datasets and its DataLoader, with Grain's own states."""

import json
import sys
from typing import Any, final

import grain

from stratagem._data.foreign._elements import ElementConventions
from stratagem._data.foreign._stage import Source, Stream
from stratagem._data.stages._cardinality import INFINITE, UNKNOWN
from stratagem._data.stages._order import State

GRAIN_TYPES = (grain.MapDataset, grain.IterDataset, grain.DataLoader)


@final
class GrainSource(Source):
    """Iterated by Grain, whose threads read a MapDataset ahead; elements that it has filtered out (None) are skipped."""

    def __init__(self, dataset: Any, conventions: ElementConventions) -> None:
        super().__init__(conventions)
        self._dataset = dataset

    @property
    def cardinality(self) -> int:
        # How many elements of other datasets are filtered out is known only when they are made.
        repeated = isinstance(self._dataset, grain.MapDataset) and len(self._dataset) == sys.maxsize
        return INFINITE if repeated else UNKNOWN

    def stream(self) -> Stream:
        return _GrainStream(self._dataset)


@final
class _GrainStream(Stream):
    def __init__(self, dataset: Any) -> None:
        self._dataset = dataset
        self._iterator = iter(dataset)

    def __next__(self) -> Any:
        return next(self._iterator)

    def get_state(self) -> State:
        state = self._iterator.get_state()
        return {"grain": json.loads(state) if isinstance(state, bytes) else state}

    def set_state(self, state: State, position: int) -> None:
        saved = state["grain"]
        self._iterator.set_state(json.dumps(saved).encode() if isinstance(self._dataset, grain.DataLoader) else saved)

    def close(self) -> None:
        if isinstance(self._iterator, grain.DatasetIterator):
            self._iterator.close()
