"""Stages that pass elements on unchanged: take, skip, shard, repeat, concatenate, zip, enumerate, prefetch."""

from typing import Any, final

import numpy as np

from stratagem._base.errors import FailedPreconditionError
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import leaves, map_leaves, packer
from stratagem._data.elements._spec import merged
from stratagem._data.stages._cardinality import UNKNOWN, concatenated, repeated, shard_length, skipped, taken, zipped
from stratagem._data.stages._order import State
from stratagem._data.stages._read_ahead import ReadAheadIterator, ThreadExecutor
from stratagem._data.stages._stage import ParentIterator, RestartingIterator, Stage, StageIterator, UnaryStage


@final
class SliceStage(UnaryStage):
    """Every `step`-th element from `start` on, at most `count` (-1: all): take, skip and shard."""

    def __init__(self, parent: Stage, *, start: int = 0, step: int = 1, count: int = -1) -> None:
        super().__init__(parent)
        self.cut = (start, step, count)

    @property
    def cardinality(self) -> int:
        start, step, count = self.cut
        return taken(shard_length(skipped(self._parent.cardinality, start), step, 0), count)

    def walk(self) -> StageIterator:
        return _SliceIterator(self._parent.walk(), *self.cut)


@final
class _SliceIterator(ParentIterator):
    def __init__(self, parent: StageIterator, start: int, step: int, count: int) -> None:
        super().__init__(parent)
        self._to_skip, self._step, self._left = start, step, count

    def __next__(self) -> Any:
        if self._left == 0:
            raise StopIteration
        while self._to_skip > 0:
            next(self._source)
            self._to_skip -= 1
        element = next(self._source)
        # The elements in between are made at the next call, if there is one: they may be costly or never arrive.
        self._to_skip = self._step - 1
        self._left -= self._left > 0
        return element

    def _own_state(self) -> State:
        return {"skip": self._to_skip, "left": self._left}

    def _set_own_state(self, state: State) -> None:
        self._to_skip, self._left = state["skip"], state["left"]


@final
class ShardHint(UnaryStage):
    """Marks where `shard(SHARD_HINT, ...)` requests a worker's shard, which is known only when the dataset is distributed."""

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    def resolved(self, num_shards: int, index: int) -> Stage:
        """The shard of one worker."""
        return SliceStage(self._parent, start=index, step=num_shards)

    def walk(self) -> StageIterator:
        raise FailedPreconditionError(
            "`tf.data.Dataset.shard(SHARD_HINT, ...)` can only be used in "
            "`tf.distribute.Strategy.experimental_distribute_dataset()` with AutoShardPolicy.HINT, found another policy "
            "or a dataset that is not distributed."
        )


@final
class RepeatStage(UnaryStage):
    """Repeats all elements of the parent; a `count` of -1 repeats forever."""

    def __init__(self, parent: Stage, count: int) -> None:
        super().__init__(parent)
        self._count = count

    @property
    def cardinality(self) -> int:
        return repeated(self._parent.cardinality, self._count)

    @property
    def counts_rows(self) -> bool:
        return self._parent.counts_rows

    def walk(self) -> StageIterator:
        return _RepeatIterator(self._parent, self._count)


@final
class _RepeatIterator(RestartingIterator):
    def __init__(self, stage: Stage, count: int) -> None:
        super().__init__(stage)
        self._left = count
        # Started here and kept until the end, so that every state includes the seeds of the shuffles in the parent.
        self._epoch = self._start()
        self._empty = True

    def __next__(self) -> Any:
        while self._left != 0:
            for element in self._epoch:
                self._empty = False
                return element
            # Repeating an empty stage forever would never return.
            self._left = 0 if self._empty else self._left - 1
            if self._left != 0:
                self._epoch, self._empty = self._start(), True
        raise StopIteration

    def get_state(self) -> State:
        return {"left": self._left, "empty": self._empty, "epoch": self._epoch.get_state()}

    def set_state(self, state: State) -> None:
        self._left, self._empty = state["left"], state["empty"]
        self._epoch = self._start()
        self._epoch.set_state(state["epoch"])


@final
class PrefetchStage(UnaryStage):
    """Elements made ahead by a thread; `grows` is `ReadAheadIterator`'s."""

    def __init__(self, parent: Stage, depth: int, *, grows: bool = False) -> None:
        super().__init__(parent)
        self._depth, self._grows = depth, grows

    @property
    def counts_rows(self) -> bool:
        return self._parent.counts_rows

    def walk(self) -> StageIterator:
        return ReadAheadIterator(self._parent.walk(), self._depth, ThreadExecutor(), grows=self._grows)


@final
class ConcatenateStage(Stage):
    """The elements of one stage, then those of another."""

    def __init__(self, first: Stage, second: Stage) -> None:
        self._parents = (first, second)

    @property
    def spec(self) -> Any:
        return map_leaves(merged, *(p.spec for p in self._parents))

    @property
    def cardinality(self) -> int:
        return concatenated(*(p.cardinality for p in self._parents))

    @property
    def batch_size(self) -> int | None:
        first, second = (p.batch_size for p in self._parents)
        return first if first == second else None

    @property
    def pure(self) -> bool:
        return all(p.pure for p in self._parents)

    @property
    def cheap(self) -> bool:
        return all(p.cheap for p in self._parents)

    @property
    def parents(self) -> tuple[Stage, ...]:
        return self._parents

    def with_parents(self, *parents: Stage) -> "ConcatenateStage":
        return ConcatenateStage(*parents)

    def walk(self) -> StageIterator:
        return _ConcatenateIterator([p.walk() for p in self._parents])

    def example(self) -> Any:
        try:
            return self._parents[0].example()
        except StopIteration:
            return self._parents[1].example()


class _ManyWalks(StageIterator):
    """An iterator over several others."""

    def __init__(self, walks: list[StageIterator]) -> None:
        super().__init__(walks)
        self._walks = walks

    def get_state(self) -> State:
        return {"parents": [w.get_state() for w in self._walks]}

    def set_state(self, state: State) -> None:
        for walk, saved in zip(self._walks, state["parents"], strict=True):
            walk.set_state(saved)


@final
class _ConcatenateIterator(_ManyWalks):
    def __next__(self) -> Any:
        for walk in self._walks:
            for element in walk:
                return element
        raise StopIteration


@final
class ZipStage(Stage):
    """The elements of several stages side by side, until the first one ends."""

    def __init__(self, nest: Any) -> None:
        self._nest = nest

    @property
    def spec(self) -> Any:
        return map_leaves(lambda stage: stage.spec, self._nest)

    @property
    def cardinality(self) -> int:
        return zipped(stage.cardinality for stage in self.parents)

    @property
    def batch_size(self) -> int | None:
        sizes = {stage.batch_size for stage in self.parents}
        return sizes.pop() if len(sizes) == 1 else None

    @property
    def pure(self) -> bool:
        return all(stage.pure for stage in self.parents)

    @property
    def cheap(self) -> bool:
        return all(stage.cheap for stage in self.parents)

    @property
    def parents(self) -> tuple[Stage, ...]:
        return tuple(leaves(self._nest))

    def with_parents(self, *parents: Stage) -> "ZipStage":
        return ZipStage(packer(self._nest)(parents))

    def walk(self) -> StageIterator:
        return _ZipIterator(self._nest)

    def example(self) -> Any:
        return map_leaves(lambda stage: stage.example(), self._nest)


@final
class _ZipIterator(_ManyWalks):
    def __init__(self, nest: Any) -> None:
        self._pack = packer(nest)
        super().__init__([stage.walk() for stage in leaves(nest)])

    def __next__(self) -> Any:
        # A list, because `map` or a generator would end silently when one iterator ends.
        return self._pack([next(walk) for walk in self._walks])


@final
class EnumerateStage(UnaryStage):
    """Pairs of an increasing int64 number and an element."""

    def __init__(self, parent: Stage, start: int) -> None:
        super().__init__(parent)
        self._start = start

    @property
    def spec(self) -> Any:
        return (TensorSpec((), np.int64), self._parent.spec)

    @property
    def batch_size(self) -> int | None:
        return None

    def walk(self) -> StageIterator:
        return _EnumerateIterator(self._parent.walk(), self._start)

    def example(self) -> Any:
        return (np.asarray(self._start, np.int64), self._parent.example())


@final
class _EnumerateIterator(ParentIterator):
    def __init__(self, parent: StageIterator, start: int) -> None:
        super().__init__(parent)
        self._number = start

    def __next__(self) -> Any:
        element = next(self._source)
        self._number += 1
        return (np.asarray(self._number - 1, np.int64), element)

    def _own_state(self) -> State:
        return {"number": self._number}

    def _set_own_state(self, state: State) -> None:
        self._number = state["number"]
