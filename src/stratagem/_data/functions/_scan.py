"""Stages whose function depends on the elements so far: scan and take_while."""

import base64
import functools
from typing import Any, final

import numpy as np

from stratagem._data.elements._nest import Array, kinds_of, leaves, map_leaves, packer, spec_of
from stratagem._data.functions._applied import AppliedFunction
from stratagem._data.functions._map_filter import FunctionIterator, FunctionStage, check_answer
from stratagem._data.functions._relaxed_spec import of_any_size
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._order import State
from stratagem._data.stages._stage import ParentIterator, Stage, StageIterator, UnaryStage


@final
class ScanInputStage(UnaryStage):
    """Pairs of a state and an element, as the parent of a scan's function. Only its spec and example are used."""

    def __init__(self, parent: Stage, initial: Any) -> None:
        super().__init__(parent)
        self._initial = initial

    @property
    def spec(self) -> Any:
        return (spec_of(self._initial), self._parent.spec)

    def walk(self) -> StageIterator:
        raise NotImplementedError("The states of a scan are known only to its walk.")

    def example(self) -> Any:
        return (self._initial, self._parent.example())


@final
class ScanStage(UnaryStage):
    """The outputs of `function(state, element) -> (state, output)`, called for one element after another."""

    def __init__(self, parent: Stage, initial: Any, function: UserFunction) -> None:
        super().__init__(parent)
        self._initial = initial
        self._applied = AppliedFunction(ScanInputStage(parent, initial), function)
        if self._applied.traced is not None:
            _ = self.spec

    @functools.cached_property
    def spec(self) -> Any:
        state, output = _as_pair(self._applied.spec)
        initial = spec_of(self._initial)
        _check_types(initial, state)
        # If the state may change its size, so may every output.
        return output if state == initial else map_leaves(of_any_size, output)

    @property
    def batch_size(self) -> int | None:
        return None

    @property
    def pure(self) -> bool:
        return self._parent.pure and self._applied.traced is not None

    @property
    def cheap(self) -> bool:
        return False

    def walk(self) -> StageIterator:
        return _ScanIterator(self._parent.walk(), self._initial, self._applied)

    def example(self) -> Any:
        return _as_pair(self._applied((self._initial, self._parent.example()), {}, 0))[1]


@final
class _ScanIterator(ParentIterator):
    def __init__(self, parent: StageIterator, initial: Any, applied: AppliedFunction) -> None:
        super().__init__(parent)
        self._applied = applied
        self._state, self._spec = initial, spec_of(initial)
        self._draws = applied.begin()
        self._position = 0

    def __next__(self) -> Any:
        element = next(self._source)
        self._position += 1
        result = self._applied((self._state, element), self._draws, self._position - 1)
        state, output = _as_pair(result)
        _check_types(self._spec, spec_of(state))
        self._state = state
        return output

    def _own_state(self) -> State:
        return {"draws": self._draws, "position": self._position, "state": [_saved(a) for a in leaves(self._state)]}

    def _set_own_state(self, state: State) -> None:
        self._draws, self._position = state["draws"], state["position"]
        self._applied.restore(self._draws)
        self._state = packer(self._state)(map(_restored, state["state"]))


@final
class TakeWhileStage(FunctionStage):
    """The elements before the first one that a predicate rejects."""

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    def walk(self) -> StageIterator:
        return _TakeWhileIterator(self._parent.walk(), self._applied)


@final
class _TakeWhileIterator(FunctionIterator):
    def __init__(self, parent: StageIterator, applied: AppliedFunction) -> None:
        super().__init__(parent, applied)
        self._ended = False

    def __next__(self) -> Any:
        if self._ended:
            raise StopIteration
        element, answer = self._next()
        check_answer(spec_of(answer))
        if not answer:
            self._ended = True
            raise StopIteration
        return element

    def _own_state(self) -> State:
        return {**super()._own_state(), "ended": self._ended}

    def _set_own_state(self, state: State) -> None:
        super()._set_own_state(state)
        self._ended = state["ended"]


def taken_while(stage: Stage, function: UserFunction) -> Stage:
    """The stage of `take_while`.

    Raises:
        ValueError: the predicate does not return a bool scalar, if that is known before it runs.
    """
    applied = AppliedFunction(stage, function)
    if applied.traced is not None:
        check_answer(applied.traced.program.trace.spec)
    return TakeWhileStage(stage, applied)


def _as_pair(result: Any) -> tuple[Any, Any]:
    if not isinstance(result, tuple) or len(result) != 2:
        found = spec_of(result) if any(isinstance(leaf, np.ndarray) for leaf in leaves(result)) else result
        raise TypeError(
            "Invalid `scan_func`. `scan_func` should return a pair consisting of new state and the output value but its "
            f"return type is {found}."
        )
    return result


def _check_types(initial: Any, state: Any) -> None:
    if kinds_of(initial) != kinds_of(state):
        raise TypeError(
            "Invalid `scan_func`. The element types for the new state must match the initial state. Expected "
            f"{initial}; got {state}."
        )


def _saved(array: Array) -> dict[str, Any]:
    """Converts an array to JSON."""
    if array.dtype == object:
        return {
            "shape": list(array.shape),
            "strings": [base64.b64encode(text).decode() for text in array.ravel().tolist()],
        }
    raw = base64.b64encode(np.ascontiguousarray(array).tobytes()).decode()
    return {"shape": list(array.shape), "dtype": array.dtype.name, "raw": raw}


def _restored(saved: dict[str, Any]) -> Array:
    if "strings" in saved:
        strings = np.empty(len(saved["strings"]), object)
        strings[:] = [base64.b64decode(text) for text in saved["strings"]]
        return strings.reshape(saved["shape"])
    return np.frombuffer(base64.b64decode(saved["raw"]), np.dtype(saved["dtype"])).reshape(saved["shape"])
