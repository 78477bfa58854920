"""`group_by_reducer`: one result for every key, made of all elements that have it."""

import functools
from typing import Any, final

import numpy as np

from stratagem._base.exports import exported
from stratagem._base.types import UserFunction as Function
from stratagem._data.elements._nest import kinds_of, map_leaves, spec_of
from stratagem._data.functions._applied import AppliedFunction
from stratagem._data.functions._relaxed_spec import of_any_size
from stratagem._data.functions._scan import ScanInputStage
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.grouping._groups import check_key
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage


@exported("data.experimental.Reducer")
@final
class Reducer:
    """The three functions that make one result of the elements of one key.

    init_func(key) makes a state, reduce_func(state, element) the next one, finalize_func(state) the result.
    """

    def __init__(self, init_func: Function, reduce_func: Function, finalize_func: Function) -> None:
        self._functions = (init_func, reduce_func, finalize_func)

    @property
    def init_func(self) -> Function:
        """Makes the first state, of a key."""
        return self._functions[0]

    @property
    def reduce_func(self) -> Function:
        """Makes the next state, of a state and an element."""
        return self._functions[1]

    @property
    def finalize_func(self) -> Function:
        """Makes the result, of the last state."""
        return self._functions[2]


@final
class ReducerStage(UnaryStage):
    """The results of a reducer, in the order of their keys."""

    def __init__(self, parent: Stage, key: UserFunction, reducer: Reducer) -> None:
        super().__init__(parent)
        self.key = AppliedFunction(parent, key)
        if self.key.traced is not None:
            check_key(self.key.traced.program.trace.spec)
        self._begin = UserFunction(reducer.init_func, "init_func")
        self._first = self.begin(0)
        self.reduce = AppliedFunction(
            ScanInputStage(parent, self._first), UserFunction(reducer.reduce_func, "reduce_func")
        )
        self.finish = UserFunction(reducer.finalize_func, "finalize_func")
        if self.reduce.traced is not None:
            check_state(spec_of(self._first), self.reduce.traced.program.trace.spec)

    def begin(self, key: int) -> Any:
        """The first state of a key."""
        return self._begin(np.asarray(key, np.int64))

    @functools.cached_property
    def spec(self) -> Any:
        spec = spec_of(self.finish(self._first))
        # If the state may change its size, so may the result.
        return spec if self.reduce.spec == spec_of(self._first) else map_leaves(of_any_size, spec)

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return False

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        return _ReducerIterator(self, self._parent.walk())

    def example(self) -> Any:
        return self.finish(self.reduce((self._first, self._parent.example()), {}, 0))


@final
class _ReducerIterator(ParentIterator):
    """Reads everything when the first result is asked for. A restore reads it again: states may be large."""

    def __init__(self, stage: ReducerStage, parent: StageIterator) -> None:
        super().__init__(parent)
        self._stage = stage
        self._draws = [stage.key.begin(), stage.reduce.begin()]
        self._origin = parent.get_state()
        self._given = 0
        self._results: list[Any] | None = None

    def __next__(self) -> Any:
        if self._results is None:
            self._results = [self._stage.finish(state) for _, state in sorted(self._states().items())]
        if self._given == len(self._results):
            raise StopIteration
        self._given += 1
        return self._results[self._given - 1]

    def _states(self) -> dict[int, Any]:
        """The last state of every key."""
        states: dict[int, Any] = {}
        stage = self._stage
        for position, element in enumerate(self._source):
            key = stage.key(element, self._draws[0], position)
            check_key(spec_of(key))
            number = int(key)
            old = states[number] if number in states else stage.begin(number)
            new = stage.reduce((old, element), self._draws[1], position)
            check_state(spec_of(old), spec_of(new))
            states[number] = new
        return states

    def get_state(self) -> State:
        return {"draws": self._draws, "origin": self._origin, "given": self._given}

    def set_state(self, state: State) -> None:
        self._draws, self._origin, self._given = state["draws"], state["origin"], state["given"]
        for applied, facts in zip((self._stage.key, self._stage.reduce), self._draws, strict=True):
            applied.restore(facts)
        self._source.set_state(self._origin)
        self._results = None

    def _own_state(self) -> State:
        return {}

    def _set_own_state(self, state: State) -> None:
        pass


def check_state(old: Any, new: Any) -> None:
    """Raises TypeError unless two specs of states have one structure and equal dtypes."""
    if kinds_of(old) != kinds_of(new):
        raise TypeError(
            f"Invalid `reducer`. The element types for the new state {new} do not match those of the old state {old}."
        )
