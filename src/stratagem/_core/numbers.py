"""Python numbers as inputs of a program: a trace records what Python does with them, and every call replays it."""

import contextlib
import functools
import math
import numbers
import operator
import sys
import threading
import types
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, final

import jax
import jax.numpy as jnp
import numpy as np

from stratagem._private import weakly

ROOM = 16  # numbers that one program takes, in one array, since each array costs a transfer
_INT32 = 2**31
_NO_INPUTS = np.zeros(ROOM, np.float64)
_NO_INPUTS.flags.writeable = False


class UnrecordedNumberError(Exception):
    """A trace uses more of a program's numbers than earlier calls of the program have replayed."""


@dataclass(frozen=True)
class _Operation:
    """A function of earlier values. Its result is the next value, always of type `kind`."""

    function: Callable[..., Any]
    operands: tuple[int, ...]
    kind: type

    def replay(self, values: list[Any], vector: np.ndarray) -> bool:
        """Appends the result to the values; returns False if it has another type."""
        result = self.function(*[values[i] for i in self.operands])
        values.append(result)
        return type(result) is self.kind


@dataclass(frozen=True)
class _Answer:
    """The answer that Python got when it asked for a value."""

    operand: int
    answer: tuple[type, str]

    def replay(self, values: list[Any], vector: np.ndarray) -> bool:
        """Returns False if the answer is another one now."""
        return exactly(values[self.operand]) == self.answer


@dataclass(frozen=True)
class _ProgramInput:
    """A value that enters the program as a tensor, at this index of the array."""

    operand: int
    index: int

    def replay(self, values: list[Any], vector: np.ndarray) -> bool:
        """Writes the value into the array; returns False if the array cannot hold it."""
        value = values[self.operand]
        vector[self.index] = value
        return _fits(value)


def exactly(value: Any) -> tuple[type, str]:
    """Returns a key that is equal for values of the same type and bits: 0.0 and -0.0 differ, all NaNs are equal."""
    return type(value), repr(value)


def _fits(value: Any) -> bool:
    return type(value) is float or -_INT32 <= value < _INT32


@final
@dataclass
class NumberOperationLog:
    """A recording, in order, of what the traces of one program did with its numbers.

    It has their arithmetic, the values that Python asked for, and the values that became tensors. closed: nothing may
    be added any more, for calls have replayed the recording.
    """

    closed: bool = False
    _records: list[_Operation | _Answer | _ProgramInput] = field(default_factory=list)
    _known: dict[Hashable, int] = field(default_factory=dict)
    _entries: int = 0

    def replay(self, inputs: Sequence[Any]) -> tuple[list[Any], np.ndarray] | None:
        """Returns all values that follow from these numbers, and the program's array; None if Python would act differently.

        Returns None also if Python would raise: it raises again when the step is traced with these numbers.
        """
        values, vector = list(inputs), np.zeros(ROOM, np.float64) if self._records else _NO_INPUTS
        try:
            valid = all(record.replay(values, vector) for record in self._records)
        except Exception:  # the arithmetic of these numbers may raise anything
            return None
        return (values, vector) if valid else None

    def operation(
        self, key: Hashable, function: Callable[..., Any], operands: tuple[int, ...], kind: type
    ) -> int | None:
        """Returns the position of the result if the operation is recorded; otherwise records it and returns None."""
        if key in self._known:
            return self._known[key]
        self._add(_Operation(function, operands, kind))
        return None

    def store(self, key: Hashable, position: int) -> None:
        """Stores the position of an operation's result."""
        self._known[key] = position

    def answer(self, operand: int, value: Any) -> None:
        """Records that Python has asked for this value."""
        if ("answer", operand) not in self._known:
            self._add(_Answer(operand, exactly(value)))
            self._known["answer", operand] = operand

    def entry(self, operand: int, value: Any) -> int | None:
        """Returns the index in the array of a value that becomes a tensor; None if the array cannot hold it."""
        found = self._known.get(("entry", operand))
        if found is not None:
            return found
        if self._entries == ROOM or not _fits(value):
            return None
        self._add(_ProgramInput(operand, self._entries))
        self._known["entry", operand] = self._entries
        self._entries += 1
        return self._entries - 1

    def _add(self, record: _Operation | _Answer | _ProgramInput) -> None:
        if self.closed:
            raise UnrecordedNumberError
        self._records.append(record)


@final
class NumberTrace:
    """One trace of a program that takes numbers. array: its tracer. values, vector: as replayed for the call."""

    def __init__(self, log: NumberOperationLog, array: Any, values: list[Any], vector: np.ndarray) -> None:
        self.log, self.array, self.values, self.vector = log, array, values, vector
        self._thread: int | None = threading.get_ident()
        self.grown = False

    def number(self, position: int) -> "Number":
        """Returns a stand-in for the number at this position among those of the call."""
        return self._stand_in(position)

    def close(self) -> None:
        """Ends the trace: from now on, stand-ins behave as their numbers."""
        self._thread = None

    @property
    def here(self) -> bool:
        """True if the calling thread is the one that traces, and the trace has not ended."""
        return self._thread == threading.get_ident()

    def apply(self, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """Returns `function(*operands)` for stand-ins: a stand-in if the result is an int or a float, else the result."""
        result = function(*map(plain, operands))
        if result is NotImplemented:
            return result
        position = self._result(function, operands, result)
        return self._stand_in(position) if type(result) in (int, float) else self.known(position)

    def ask(self, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """Returns `function(*operands)` for Python itself: a call with another result needs another program."""
        return self.known(self._result(function, operands, function(*map(plain, operands))))

    def _result(self, function: Callable[..., Any], operands: Sequence[Any], result: Any) -> int:
        positions = tuple(map(self._position, operands))
        return self._noted(
            (getattr(function, "__module__", ""), function.__name__, positions), function, positions, result
        )

    def known(self, position: int) -> Any:
        """Returns the value for Python itself: a call with another value needs another program."""
        with self._growing():
            self.log.answer(position, self.values[position])
        return self.values[position]

    def tensor(self, position: int) -> Any:
        """Returns a value as a 64-bit scalar of the array; None if that cannot hold it: then it is part of the program."""
        value = self.values[position]
        with self._growing():
            index = self.log.entry(position, value)
        if index is None:
            self.known(position)
            return None
        self.vector[index] = value
        return self.array[index]

    def _stand_in(self, position: int) -> "Number":
        value = self.values[position]
        return (FloatNumber if type(value) is float else IntNumber)(self, position, value)

    def _position(self, operand: Any) -> int:
        if is_stand_in(operand) and operand.tracing is self:
            return operand.position
        value = plain(operand)
        return self._noted(("constant", exactly(value)), lambda: value, (), value)

    def _noted(self, key: Hashable, function: Callable[..., Any], operands: tuple[int, ...], result: Any) -> int:
        with self._growing():
            position = self.log.operation(key, function, operands, type(result))
        if position is None:
            position = len(self.values)
            self.values.append(result)
            self.log.store(key, position)
        return position

    @contextlib.contextmanager
    def _growing(self) -> Iterator[None]:
        try:
            yield
        except UnrecordedNumberError:
            self.grown = True  # noted, because code of the user's may catch the error
            raise


def plain(value: Any) -> Any:
    """Returns the number of a stand-in; other values as they are."""
    return value.value if is_stand_in(value) else value


class Number:
    """A stand-in for a number that was read in a trace. To other threads, and after the trace, it is the number itself."""

    __slots__ = ("position", "tracing", "value")

    def __init__(self, tracing: NumberTrace, position: int, value: Any) -> None:
        self.tracing, self.position, self.value = tracing, position, value

    @property
    def dtype(self) -> type:
        """The type of a Python number, for Keras' dtype promotion; other callers get AttributeError."""
        if not sys._getframe(1).f_globals.get("__name__", "").startswith("keras."):
            raise AttributeError("dtype")
        return type(self.value)

    def tensor(self, dtype: Any) -> jax.Array:
        """Returns the scalar input of the program, converted to a dtype."""
        found = self.tracing.tensor(self.position) if self.tracing.here else None
        return jnp.asarray(self.value, dtype) if found is None else jax.lax.convert_element_type(found, dtype)

    def __jax_array__(self) -> jax.Array:
        """Returns the scalar input of the program, weakly typed as a Python number is."""
        found = self.tracing.tensor(self.position) if self.tracing.here else None
        if found is None:
            return jnp.asarray(self.value)
        return weakly(found, "float64" if type(self.value) is float else "int32")

    def known(self) -> Any:
        """Returns the number, on which the program then depends."""
        return self.tracing.known(self.position) if self.tracing.here else self.value

    def __array__(self, dtype: Any = None, copy: Any = None) -> np.ndarray:
        return np.asarray(self.known(), dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **others: Any) -> Any:
        return getattr(ufunc, method)(*(i.known() if is_stand_in(i) else i for i in inputs), **others)

    def __getattr__(self, name: str) -> Any:
        if not hasattr(type(self.value), name):
            raise AttributeError(f"{type(self.value).__name__!r} object has no attribute {name!r}")
        return getattr(self.known(), name)

    def __reduce_ex__(self, protocol: Any) -> Any:
        return type(self.value), (self.known(),)

    def __repr__(self) -> str:
        return repr(self.known())

    def __divmod__(self, other: Any) -> Any:
        return self // other, self % other

    def __rdivmod__(self, other: Any) -> Any:
        return other // self, other % self


@final
class FloatNumber(Number):
    """A stand-in for a float."""

    __slots__ = ()
    __class__ = property(lambda self: float)  # so that isinstance(…, float) is true


@final
class IntNumber(Number):
    """A stand-in for an int."""

    __slots__ = ()
    __class__ = property(lambda self: int)


def is_stand_in(value: Any) -> bool:
    """Returns whether a value is a stand-in for a number."""
    return type(value) is FloatNumber or type(value) is IntNumber


_OPERATORS = "add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor"
_UNARY = (operator.neg, operator.pos, operator.abs, operator.invert, math.floor, math.ceil, math.trunc, round)


def _binary(function: Callable[..., Any], *, reflected: bool) -> Callable[..., Any]:
    def operate(self: Number, other: Any) -> Any:
        if not (is_stand_in(other) or type(other) in (int, float, bool)):
            other_number = isinstance(other, numbers.Number | Decimal) and not isinstance(other, np.generic)
            mine = self.known() if other_number else None
            return (function(other, mine) if reflected else function(mine, other)) if other_number else NotImplemented
        operands = (other, self) if reflected else (self, other)
        here = next((o.tracing for o in operands if is_stand_in(o) and o.tracing.here), None)
        return function(*map(plain, operands)) if here is None else here.apply(function, operands)

    return operate


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    def operate(self: Number, *others: Any) -> Any:
        operands = (self, *others)
        return self.tracing.apply(function, operands) if self.tracing.here else function(*map(plain, operands))

    return operate


def _asking(function: Callable[..., Any]) -> Callable[..., Any]:
    def asked(self: Number, *others: Any) -> Any:
        return self.tracing.ask(function, (self, *others)) if self.tracing.here else function(self.value, *others)

    return asked


def _install() -> None:
    """Adds Python's arithmetic, comparisons and conversions to Number."""
    for name in _OPERATORS.split():
        function = getattr(operator, name)
        setattr(Number, f"__{name.strip('_')}__", _binary(function, reflected=False))
        setattr(Number, f"__r{name.strip('_')}__", _binary(function, reflected=True))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Number, f"__{name}__", _binary(getattr(operator, name), reflected=False))
    for function in _UNARY:
        setattr(Number, f"__{function.__name__}__", _unary(function))
    asking: tuple[Callable[..., Any], ...] = (float, int, operator.index, complex, bool, hash, str, format)
    for function in asking:
        setattr(Number, f"__{function.__name__}__", _asking(function))


_install()


# --- The module `math` ------------------------------------------------------------------------------------------------


def _function_of_numbers(function: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(function)
    def applied(*args: Any, **kwargs: Any) -> Any:
        here = next((a.tracing for a in args if is_stand_in(a) and a.tracing.here), None)
        if here is None or kwargs or not all(is_stand_in(a) or type(a) in (int, float, bool) for a in args):
            return function(*args, **kwargs)
        return here.apply(function, args)

    return applied


def _math() -> types.ModuleType:
    module = types.ModuleType("math", math.__doc__)
    for name, value in vars(math).items():
        setattr(module, name, _function_of_numbers(value) if isinstance(value, types.BuiltinFunctionType) else value)
    return module


MATH = _math()  # the module `math` with functions that accept and return stand-ins
IN_MATH = {id(math): MATH} | {
    id(value): getattr(MATH, name) for name, value in vars(math).items() if isinstance(value, types.BuiltinFunctionType)
}
