"""The stages of map and filter, which call user functions."""

import abc
from collections.abc import Callable
from typing import Any, final

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.values import TensorSpec
from stratagem._data.elements._nest import spec_of
from stratagem._data.functions._applied import AppliedFunction, check_tensors
from stratagem._data.functions._blocks import FilterBlockIterator, MapBlockIterator
from stratagem._data.functions._draws import NumberedOrder
from stratagem._data.functions._mapped import FilteredOrder, MappedColumns, RowBlockProgram
from stratagem._data.functions._parallel import ParallelIterator, cores
from stratagem._data.functions._split_blocks import BatchRequest, SplitIterator, block_size
from stratagem._data.functions._thread_tuner import ThreadTuner
from stratagem._data.functions._user_code import UserFunction
from stratagem._data.stages._cardinality import UNKNOWN
from stratagem._data.stages._options import AUTOTUNE
from stratagem._data.stages._order import Order, State
from stratagem._data.stages._stage import OrderedRowsStage, ParentIterator, Stage, StageIterator, UnaryStage


def mapped(stage: Stage, map_func: Callable[..., Any], num_parallel_calls: Any = None) -> Stage:
    """The stage that applies `map_func` to every element.

    num_parallel_calls: threads for a function that runs as Python; AUTOTUNE is one per core, or none where that is faster.

    Raises:
        InvalidArgumentError: it returns no tensor, if that is known before it runs.
    """
    applied = AppliedFunction(stage, UserFunction(map_func, "map_func"))
    if applied.traced is not None:
        check_tensors(applied.traced.program.trace.spec)
    tuner = _tuner(num_parallel_calls)
    if isinstance(stage, OrderedRowsStage) and stage.pure and applied.traced is not None:
        order, run = _over_rows(stage, applied)
        return OrderedRowsStage(MappedColumns(run), order)
    return MapStage(stage, applied, tuner)


def filtered(stage: Stage, predicate: Callable[..., Any]) -> Stage:
    """The stage of the elements for which `predicate` returns True.

    Raises:
        ValueError: it does not return a bool scalar, if that is known before it runs.
    """
    applied = AppliedFunction(stage, UserFunction(predicate, "predicate"))
    if applied.traced is not None:
        check_answer(applied.traced.program.trace.spec)
    # Computed rows would be computed twice: for the predicate, and for the consumer.
    if isinstance(stage, OrderedRowsStage) and stage.cheap and applied.traced is not None:
        order, run = _over_rows(stage, applied)
        return OrderedRowsStage(stage.columns, FilteredOrder(order, run))
    return FilterStage(stage, applied)


def _over_rows(stage: OrderedRowsStage, applied: AppliedFunction) -> tuple[Order, RowBlockProgram]:
    """The function as a program on the rows of `stage`, and their order, numbered if the function draws random numbers."""
    assert applied.traced is not None
    columns, program = stage.columns, applied.traced.program
    if not program.trace.draws:
        return stage.order, RowBlockProgram(columns, program)
    return NumberedOrder(stage.order, applied.draws, columns), RowBlockProgram(columns, program, applied.draws)


def _tuner(num_parallel_calls: Any) -> ThreadTuner:
    threads = 1 if num_parallel_calls is None else int(num_parallel_calls)
    if threads != AUTOTUNE and threads < 1:
        raise InvalidArgumentError(f"num_parallel_calls must be greater than zero or AUTOTUNE, got {threads}.")
    tuned = threads == AUTOTUNE
    return ThreadTuner(cores() if tuned else threads, tuned=tuned)


class FunctionStage(UnaryStage):
    """A stage that runs a function on every element."""

    def __init__(self, parent: Stage, applied: AppliedFunction) -> None:
        super().__init__(parent)
        self._applied = applied

    @property
    def pure(self) -> bool:
        return self._parent.pure and self._applied.traced is not None

    @property
    def cheap(self) -> bool:
        return False


@final
class MapStage(FunctionStage):
    """A function applied to every element."""

    def __init__(self, parent: Stage, applied: AppliedFunction, tuner: ThreadTuner) -> None:
        super().__init__(parent, applied)
        self._tuner = tuner

    @property
    def spec(self) -> Any:
        return self._applied.spec

    def walk(self) -> StageIterator:
        applied, parent = self._applied, self._parent
        if applied.for_blocks is not None:
            return MapBlockIterator(parent.walk(), applied, applied.for_blocks, parent.spec)
        if (blocks := self._in_blocks(None)) is not None:
            return blocks
        if applied.in_python and self._tuner.most > 1:
            return ParallelIterator(parent.walk(), applied, self._tuner)
        return _MapIterator(parent.walk(), applied)

    def walk_batches(self, size: int, *, drop_remainder: bool) -> StageIterator | None:
        return self._in_blocks(BatchRequest(size, drop_remainder))

    def _in_blocks(self, batch: BatchRequest | None) -> StageIterator | None:
        """An iteration of a split function over blocks, or over whole batches; None for any other function."""
        mode = self._applied.split
        if mode is None:
            return None
        block = 1 if self._parent.batch_size is not None else block_size(mode)
        return SplitIterator(self._parent.walk(), self._applied, mode, self._tuner, block, batch)

    def example(self) -> Any:
        return self._applied(self._parent.example(), {}, 0)


@final
class FilterStage(FunctionStage):
    """The elements that a predicate accepts."""

    @property
    def cardinality(self) -> int:
        return UNKNOWN

    def walk(self) -> StageIterator:
        applied, parent = self._applied, self._parent
        if applied.for_blocks is not None:
            return FilterBlockIterator(parent.walk(), applied, applied.for_blocks, parent.spec)
        return _FilterIterator(parent.walk(), applied)


class FunctionIterator(ParentIterator, abc.ABC):
    """Requests an element of the parent when one is requested, and runs the function on it alone."""

    def __init__(self, parent: StageIterator, applied: AppliedFunction) -> None:
        super().__init__(parent)
        self._applied = applied
        self._draws = applied.begin()
        self._position = 0

    def _next(self) -> tuple[Any, Any]:
        """The parent's next element and the function's result; can be called again after an error."""
        element = next(self._source)
        self._position += 1
        return element, self._applied(element, self._draws, self._position - 1)

    def _own_state(self) -> State:
        return {"draws": self._draws, "position": self._position}

    def _set_own_state(self, state: State) -> None:
        self._draws, self._position = state["draws"], state["position"]
        self._applied.restore(self._draws)


@final
class _MapIterator(FunctionIterator):
    def __next__(self) -> Any:
        result = self._next()[1]
        check_tensors(result)
        return result


@final
class _FilterIterator(FunctionIterator):
    def __next__(self) -> Any:
        while True:
            element, answer = self._next()
            check_answer(spec_of(answer))
            if answer:
                return element


def check_answer(spec: Any) -> None:
    """Raises ValueError unless a predicate's result, given by its spec, is a bool scalar."""
    if not isinstance(spec, TensorSpec) or spec.dtype != np.bool_ or spec.shape.rank != 0:
        found = f"{spec.dtype} of shape {tuple(spec.shape)}" if isinstance(spec, TensorSpec) else f"a nest: {spec}"
        raise ValueError(f"Invalid `predicate`. `predicate` must return a bool scalar, but it returned {found}.")
