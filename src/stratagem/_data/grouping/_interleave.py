"""Datasets made from elements, iterated a few at a time: flat_map and interleave."""

import copy
import dataclasses
import functools
from typing import Any, Self, final

from stratagem._base.errors import InvalidArgumentError
from stratagem._data._dataset_base import as_int, stage_of
from stratagem._data.elements._spec import DatasetSpec
from stratagem._data.functions._draws import FunctionSeeds, places
from stratagem._data.functions._map_mode import PythonMapMode
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._options import AUTOTUNE
from stratagem._data.stages._order import State
from stratagem._data.stages._read_ahead import ReadAheadIterator, ThreadExecutor
from stratagem._data.stages._seeds import seeded_by
from stratagem._data.stages._stage import Stage, StageIterator, UnaryStage, non_file_sources

# Fixed, because TensorFlow's choice, the number of cores, makes the order differ between machines.
_AUTOTUNE_CYCLE = 8


@final
class DatasetFunction:
    """A user function that makes a dataset from an element. It belongs to the plan and serves all iterations."""

    def __init__(self, function: UserFunction) -> None:
        self.function = function
        self.draws = FunctionSeeds()

    def of_worker(self, worker: int) -> Self:
        """The same function, whose datasets have seeds of one worker alone, as `EpochSeeds.of_worker`."""
        own = copy.copy(self)
        own.draws = self.draws.of_worker(worker)
        return own

    def stage(self, element: Any, facts: State, number: int) -> Stage:
        """The plan made from the element with this number in the iteration that `facts` describe.

        Its random numbers depend on the iteration and the number, so that it can be made again.

        Raises:
            TypeError: the function did not return a dataset.
        """
        try:
            with seeded_by(facts["seed"], facts["epoch"], number):
                result = self.function(element, self.draws.seed, places(facts, number, 1))
            return stage_of(result, self._error(type(result)))
        except Exception as error:
            error.add_note(f"{self.function.what} raised at element {number} (counted from 0).")
            raise

    def example(self, element: Any) -> Stage:
        """The plan made from some element, outside of any iteration."""
        with seeded_by(0):
            result = self.function(element)
        return stage_of(result, self._error(type(result)))

    def spec(self, parent: Stage) -> Any:
        """The specs of the elements of the datasets made from elements of `parent`."""
        with seeded_by(0):
            found = PythonMapMode(self.function).spec(parent)
        if not isinstance(found, DatasetSpec):
            raise self._error(found)
        return found.element_spec

    def _error(self, found: Any) -> TypeError:
        return TypeError(
            f"The `{self.function.what}` argument must return a `Dataset` object. Got {found}. Use `map` for functions "
            "that return tensors."
        )


@final
class InterleaveStage(UnaryStage):
    """The elements of the datasets that a function makes, from `cycle_length` of them in turn, `block_length` each.

    parallel: how many of these datasets make their elements ahead, in a thread each.
    """

    def __init__(
        self, parent: Stage, opener: DatasetFunction, cycle_length: int, block_length: int, parallel: int
    ) -> None:
        super().__init__(parent)
        self.opener = opener
        self.cycle_length, self.block_length = cycle_length, block_length
        self.parallel = parallel

    @functools.cached_property
    def _inner(self) -> Stage | None:
        """The plan made from some element; None when there is none."""
        try:
            return self.opener.example(self._parent.example())
        except StopIteration:
            return None

    @functools.cached_property
    def spec(self) -> Any:
        return self.opener.spec(self._parent)

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return None if self._inner is None else self._inner.batch_size

    @property
    def reads_files(self) -> bool:
        # The function is called with an example, which must not be drawn from a source that would then lose it.
        return self._parent.pure and self._inner is not None and not non_file_sources(self._inner)

    @property
    def pure(self) -> bool:
        return False

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        return _InterleaveIterator(self, self._parent.walk())

    def example(self) -> Any:
        if self._inner is None:
            raise StopIteration
        return self._inner.example()


@final
@dataclasses.dataclass(frozen=True)
class _OpenDataset:
    """An open dataset: the number of its element, the parent's state before that element, and the iterator."""

    number: int
    origin: State
    walk: StageIterator


@final
class _InterleaveIterator(StageIterator):
    """Takes elements from the open datasets in turn, one in each slot. A slot is empty until its turn comes.

    A dataset that has ended passes its turn on, and its slot is filled the next time. Restoring makes the open
    datasets again, from their elements, and restores their iterators.
    """

    def __init__(self, stage: InterleaveStage, parent: StageIterator) -> None:
        super().__init__(parent)
        self._stage = stage
        self._source = parent
        self._epoch_facts = stage.opener.draws.begin()
        self._open: dict[int, _OpenDataset] = {}
        self._slot = self._taken = self._drawn = 0
        self._ended = False

    def __next__(self) -> Any:
        while self._open or not self._ended:
            inner = self._open.get(self._slot)
            if inner is None:
                if self._ended:
                    self._next_slot()
                else:
                    self._fill()
                continue
            for element in inner.walk:
                self._taken += 1
                if self._taken == self._stage.block_length:
                    self._next_slot()
                return element
            inner.walk.close()
            del self._open[self._slot]
            self._next_slot()
        raise StopIteration

    def _next_slot(self) -> None:
        self._slot, self._taken = (self._slot + 1) % self._stage.cycle_length, 0

    def _fill(self) -> None:
        origin = self._source.get_state()
        try:
            element = next(self._source)
        except StopIteration:
            self._ended = True
            return
        self._drawn += 1
        self._open[self._slot] = _OpenDataset(self._drawn - 1, origin, self._walk(element, self._drawn - 1, self._slot))

    def _walk(self, element: Any, number: int, slot: int) -> StageIterator:
        inner = self._stage.opener.stage(element, self._epoch_facts, number)
        walk = inner.walk()
        if slot >= self._stage.parallel or inner.cheap:
            return walk
        return ReadAheadIterator(walk, max(2, self._stage.block_length), ThreadExecutor())

    def get_state(self) -> State:
        return {
            "draws": self._stage.opener.draws.now(self._epoch_facts),
            "slot": self._slot,
            "taken": self._taken,
            "drawn": self._drawn,
            "ended": self._ended,
            "open": [[s, o.number, o.origin, o.walk.get_state()] for s, o in self._open.items()],
            "parent": self._source.get_state(),
        }

    def set_state(self, state: State) -> None:
        self._close()
        self._epoch_facts = state["draws"]
        self._stage.opener.draws.restore(self._epoch_facts)
        next_number: int | None = None
        for slot, number, origin, saved in sorted(state["open"], key=lambda entry: entry[1]):
            if number != next_number:
                self._source.set_state(origin)
            walk = self._walk(next(self._source), number, slot)
            walk.set_state(saved)
            self._open[slot] = _OpenDataset(number, origin, walk)
            next_number = number + 1
        if state["ended"] or next_number != state["drawn"]:
            self._source.set_state(state["parent"])
        self._slot, self._taken, self._drawn = state["slot"], state["taken"], state["drawn"]
        self._ended = state["ended"]

    def _close(self) -> None:
        for inner in self._open.values():
            inner.walk.close()
        self._open = {}

    def close(self) -> None:
        """Stops the threads of the open datasets and closes the parent iterators."""
        self._close()
        super().close()


def interleaved(
    stage: Stage, function: UserFunction, cycle_length: Any, block_length: Any, num_parallel_calls: Any
) -> Stage:
    """The stage of `interleave`.

    Raises:
        InvalidArgumentError: an argument is out of its range.
    """
    cycle = AUTOTUNE if cycle_length is None else as_int(cycle_length, "cycle_length")
    block = 1 if block_length is None else as_int(block_length, "block_length")
    parallel = 0 if num_parallel_calls is None else as_int(num_parallel_calls, "num_parallel_calls")
    if cycle < 1 and cycle != AUTOTUNE:
        raise InvalidArgumentError(f"cycle_length must be greater than zero or AUTOTUNE, got {cycle}.")
    if block < 1:
        raise InvalidArgumentError(f"block_length must be greater than zero, got {block}.")
    if num_parallel_calls is not None and parallel < 1 and parallel != AUTOTUNE:
        raise InvalidArgumentError(f"num_parallel_calls must be greater than zero or AUTOTUNE, got {parallel}.")
    cycle = _AUTOTUNE_CYCLE if cycle == AUTOTUNE else cycle
    return InterleaveStage(stage, DatasetFunction(function), cycle, block, cycle if parallel == AUTOTUNE else parallel)
