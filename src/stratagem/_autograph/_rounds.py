"""Loops of compiled functions that Python drives, over data for example: each round of one is one compiled program."""

import functools
import types
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, final

import jax
import numpy as np
from malt.operators.variables import Undefined

from stratagem._autograph._leaked_tensors import LeakDetector, contents
from stratagem._autograph._loop_values import GetState, SetState
from stratagem._base.types import UserFunction
from stratagem._core.context import current, recording
from stratagem._core.step import INTERRUPTS, default_mesh, execute, function_key, is_source, names_of
from stratagem._core.values import is_per_replica
from stratagem._ops import is_tensor, tensor
from stratagem._ops.flow import is_array
from stratagem._private import KerasVariable

Test = Callable[[], Any]


def is_driven() -> bool:
    """Returns whether the present code is that of a compiled function which Python runs, and not a trace of it."""
    context = current()
    return context.recorder is None and bool(context.host) and context.autograph


def elements(iterated: Any) -> Iterable[Any] | None:
    """Returns what a loop whose rounds can be programs is over: data, or the rows of a tensor. None for other objects."""
    if isinstance(iterated, jax.Array) and iterated.ndim:
        return iterated
    if type(iterated) is enumerate:
        arguments: Any = iterated.__reduce__()[1]
        inner, start = arguments
        return _numbered(inner, start) if hasattr(type(inner), "element_spec") else None
    return iterated if hasattr(type(iterated), "element_spec") else None


def _numbered(data: Iterator[Any], start: int) -> Iterator[tuple[Any, Any]]:
    """Numbers data as TensorFlow does, by tensors of 64 bits: a Python number would be a program of its own in every round."""
    return ((np.asarray(number, np.int64), element) for number, element in enumerate(data, start))


class _PythonRound(Exception):
    """A round that cannot be compiled has been asked for as Python: the loop goes on without programs."""


@final
class Rounds:
    """The rounds of one loop, as long as they can be compiled; from the first that cannot on, Python runs the body."""

    def __init__(
        self,
        body: Callable[..., None],
        test: Test | None,
        get_state: GetState,
        set_state: SetState,
        names: Sequence[str],
    ) -> None:
        """test: says after a round whether another follows, if it could be the last. names: of the values of `get_state`."""
        assert isinstance(body, types.FunctionType), "the body of a loop is a function in converted code"
        self._body, self._test = body, test
        self._get_state, self._set_state = get_state, set_state
        self._cells = _captured(body, names)
        self._given = {name: cell.cell_contents for name, cell in self._cells.items() if _is_input(cell)}
        carried = [c for n, c in zip(body.__code__.co_freevars, body.__closure__ or (), strict=True) if n in names]
        inputs = [self._cells[name] for name in self._given]
        self._key = function_key(_without(body, {id(cell) for cell in (*carried, *inputs)}, {}))
        self._name = f"the loop at {body.__code__.co_filename}:{body.__code__.co_firstlineno}"
        self._compiled = True
        self._unset = {i: _unset(v.symbol_name) for i, v in enumerate(get_state()) if isinstance(v, Undefined)}

    def run(self, *row: Any) -> Any:
        """Runs a round, `body(*row)`; returns what the test says after it, True without one."""
        if self._compiled:
            try:
                return self._run_program(row)
            except _PythonRound:
                self._compiled = False
        self._body(*row)
        return True if self._test is None else self._test()

    def _run_program(self, row: tuple[Any, ...]) -> Any:
        before = self._get_state()
        strategy = current().strategy
        mesh = default_mesh() if strategy is None else strategy.mesh
        values = [self._unset.get(i) or _argument(v) for i, v in enumerate(before)]
        args = values, self._given, list(map(_argument, row))
        found, more = execute(self._round, self._key, self._name, args, {}, mesh)
        self._set_state([old if isinstance(new, _Unset) else new for old, new in zip(before, found, strict=True)])
        return more

    def _round(self, values: list[Any], given: dict[str, Any], row: list[Any]) -> tuple[list[Any], Any]:
        """Runs a round as a function of what it reads. Returns what is carried, and whether another round follows."""
        if current().recorder is None:
            raise _PythonRound
        before = self._get_state()
        leaks = LeakDetector(self._body)
        try:
            self._fill(given)
            self._set_state([Undefined(v.name) if isinstance(v, _Unset) else v for v in values])
            self._body(*row)
            more = True if self._test is None else self._test()
            return [_argument(v) for v in self._get_state()], more
        except INTERRUPTS:
            raise
        except Exception as error:  # Python meets it again, or has no difficulty with it
            _end_trace(f"a round of a loop cannot be compiled: {type(error).__name__}: {error}")
        finally:
            self._set_state(before)
            self._fill(self._given)
            if leaks.undo():
                _end_trace("a round of a loop keeps a tensor in a list, a dict, an object or a function's variable")

    def _fill(self, values: dict[str, Any]) -> None:
        for name, value in values.items():
            self._cells[name].cell_contents = value


def as_round(function: UserFunction) -> UserFunction:
    """Returns a function of tensors that runs as one program, as the round of a loop does: for a loop that calls it again."""
    result: Any = None

    def body(args: tuple[Any, ...]) -> None:
        nonlocal result
        result = function(*args)

    def set_result(values: Sequence[Any]) -> None:
        nonlocal result
        (result,) = values

    rounds = Rounds(body, None, lambda: (result,), set_result, ("result",))

    def call(*args: Any) -> Any:
        set_result([None])
        rounds.run(args)
        return result

    return call


def _end_trace(reason: str) -> NoReturn:
    recording().need_host(reason)
    raise AssertionError("the trace of a round goes on although it needs Python")


@final
@dataclass(frozen=True)
class _Unset:
    """Stands for a name without a value before the loop: a program that was made without it never reads it."""

    name: str


@functools.cache
def _unset(name: str) -> _Unset:
    """Returns the same object at every call: arguments that are no tensors are known by their identity."""
    return _Unset(name)


def _argument(value: Any) -> Any:
    """Returns a value that a loop carries as an argument or result."""
    return _unset(value.symbol_name) if isinstance(value, Undefined) else jax.tree.map(_number, value, is_leaf=_is_leaf)


def _is_leaf(value: Any) -> bool:
    return is_per_replica(value) or is_array(value)


def _number(value: Any) -> Any:
    """Returns a tensor for a number, which as an argument would be part of the program."""
    is_number = type(value) in (bool, int, float) or isinstance(value, np.generic)
    return tensor(value) if is_number else value


def _captured(body: types.FunctionType, names: Sequence[str]) -> dict[str, types.CellType]:
    """Returns the variables that the body captures, except for those that the loop carries.

    So are those that local functions capture which it calls, unless these assign them; their names have dots.
    """
    found: dict[str, types.CellType] = {}
    own = dict(zip(body.__code__.co_freevars, body.__closure__ or (), strict=True))
    seen = {id(cell) for name, cell in own.items() if name in names}

    assigned: set[int] = set()

    def visit(function: types.FunctionType, prefix: str) -> None:
        stored = names_of(function.__code__).stored
        for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
            if name in stored:
                assigned.add(id(cell))
            if id(cell) not in seen:
                seen.add(id(cell))
                found[prefix + name] = cell
                if isinstance(inner := contents(cell), types.FunctionType):
                    visit(inner, f"{prefix}{name}.")

    visit(body, "")
    return {name: cell for name, cell in found.items() if id(cell) not in assigned}


def _without(function: types.FunctionType, inputs: set[int], made: dict[int, Any]) -> types.FunctionType:
    """Returns a function with other cells in place of those that are inputs of its program, for its key.

    made: by the ids of functions, what was returned for them; an empty cell where one calls itself.
    """
    made[id(function)] = None

    def cell_of(cell: types.CellType) -> types.CellType:
        inner = contents(cell)
        if id(cell) in inputs:
            return types.CellType()
        if not isinstance(inner, types.FunctionType):
            return cell
        known = made[id(inner)] if id(inner) in made else _without(inner, inputs, made)
        return types.CellType() if known is None else types.CellType(known)

    closure = tuple(map(cell_of, function.__closure__ or ()))
    found = types.FunctionType(
        function.__code__, function.__globals__, function.__name__, function.__defaults__, closure
    )
    found.__kwdefaults__ = function.__kwdefaults__
    made[id(function)] = found
    return found


def _is_input(cell: types.CellType) -> bool:
    value = contents(cell)
    if isinstance(value, KerasVariable):
        return False
    return (
        is_tensor(value)
        or isinstance(value, np.ndarray)
        or is_per_replica(value)
        or is_source(value)
        or is_array(value)
    )
