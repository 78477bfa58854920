"""Python numbers that are inputs of a program: what Python does with them is noted in a trace, and done again at each call."""

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

ROOM = 16  # numbers that one program takes: in one array, since each costs a transfer
_INT32 = 2**31
_NOTHING = np.zeros(ROOM, np.float64)
_NOTHING.flags.writeable = False


class GrownError(Exception):
    """A trace of a program needs more of its numbers than the calls that run it already know of."""


@dataclass(frozen=True)
class _Operation:
    """A function of values before; its result is the next value, always of this type."""

    function: Callable[..., Any]
    operands: tuple[int, ...]
    kind: type

    def replay(self, values: list[Any], vector: np.ndarray) -> bool:
        """False if the type of the result is another one."""
        result = self.function(*[values[i] for i in self.operands])
        values.append(result)
        return type(result) is self.kind


@dataclass(frozen=True)
class _Answer:
    """Python has asked for a value, and this was the answer."""

    operand: int
    answer: tuple[type, str]

    def replay(self, values: list[Any], vector: np.ndarray) -> bool:
        """False if the answer is another one."""
        return exactly(values[self.operand]) == self.answer


@dataclass(frozen=True)
class _Entry:
    """A value that goes into the program as a tensor."""

    operand: int
    place: int

    def replay(self, values: list[Any], vector: np.ndarray) -> bool:
        """False if the value has no room there."""
        value = values[self.operand]
        vector[self.place] = value
        return _fits(value)


def exactly(value: Any) -> tuple[type, str]:
    """What is equal for values of the same type and the same bits: 0.0 and -0.0 are two, a NaN is as any other."""
    return type(value), repr(value)


def _fits(value: Any) -> bool:
    return type(value) is float or -_INT32 <= value < _INT32


@final
@dataclass
class Arithmetic:
    """What the traces of one program did with its numbers, in order: their arithmetic, what Python asked, what became tensors.

    closed: no trace may add to it any more, for there are calls that have replayed it.
    """

    closed: bool = False
    _notes: list[_Operation | _Answer | _Entry] = field(default_factory=list)
    _known: dict[Hashable, int] = field(default_factory=dict)
    _entries: int = 0

    def replay(self, given: Sequence[Any]) -> tuple[list[Any], np.ndarray] | None:
        """All values that follow from these numbers, and the array that the program takes; None if Python would do otherwise.

        Also where Python would raise: it does so again where the code of the step is traced with these numbers.
        """
        values, vector = list(given), np.zeros(ROOM, np.float64) if self._notes else _NOTHING
        try:
            fine = all(note.replay(values, vector) for note in self._notes)
        except Exception:  # whatever the arithmetic of these numbers raises
            return None
        return (values, vector) if fine else None

    def operation(
        self, key: Hashable, function: Callable[..., Any], operands: tuple[int, ...], kind: type
    ) -> int | None:
        """The position of the result among the values, if it was noted before; else note it, and return None."""
        if key in self._known:
            return self._known[key]
        self._add(_Operation(function, operands, kind))
        return None

    def keep(self, key: Hashable, position: int) -> None:
        """Remember where a result is."""
        self._known[key] = position

    def answer(self, operand: int, value: Any) -> None:
        """Python has asked for this value."""
        if ("answer", operand) not in self._known:
            self._add(_Answer(operand, exactly(value)))
            self._known["answer", operand] = operand

    def entry(self, operand: int, value: Any) -> int | None:
        """The place in the array of a value that becomes a tensor; None if there is no room for it."""
        found = self._known.get(("entry", operand))
        if found is not None:
            return found
        if self._entries == ROOM or not _fits(value):
            return None
        self._add(_Entry(operand, self._entries))
        self._known["entry", operand] = self._entries
        self._entries += 1
        return self._entries - 1

    def _add(self, note: _Operation | _Answer | _Entry) -> None:
        if self.closed:
            raise GrownError
        self._notes.append(note)


@final
class Tracing:
    """One trace of a program that takes numbers. given: the tracer of the array. values, vector: as replayed for the call."""

    def __init__(self, arithmetic: Arithmetic, given: Any, values: list[Any], vector: np.ndarray) -> None:
        self.arithmetic, self.given, self.values, self.vector = arithmetic, given, values, vector
        self._thread: int | None = threading.get_ident()
        self.grown = False

    def number(self, position: int) -> "Number":
        """What stands for the number at this position among those of the call."""
        return self._stand_in(position)

    def close(self) -> None:
        """The trace is over: what stood for numbers is these numbers from now on."""
        self._thread = None

    @property
    def here(self) -> bool:
        """True in the thread that traces, as long as it does."""
        return self._thread == threading.get_ident()

    def apply(self, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """`function(*operands)`, with stand-ins among the operands: another stand-in if that is a number, else known."""
        result = function(*map(plain, operands))
        if result is NotImplemented:
            return result
        position = self._result(function, operands, result)
        return self._stand_in(position) if type(result) in (int, float) else self.known(position)

    def ask(self, function: Callable[..., Any], operands: Sequence[Any]) -> Any:
        """`function(*operands)`, which Python asks for: another result would be another program."""
        return self.known(self._result(function, operands, function(*map(plain, operands))))

    def _result(self, function: Callable[..., Any], operands: Sequence[Any], result: Any) -> int:
        positions = tuple(map(self._position, operands))
        return self._noted(
            (getattr(function, "__module__", ""), function.__name__, positions), function, positions, result
        )

    def known(self, position: int) -> Any:
        """The value, which Python asks for."""
        with self._growing():
            self.arithmetic.answer(position, self.values[position])
        return self.values[position]

    def tensor(self, position: int) -> Any:
        """The scalar of 64 bits that stands for a value; None if there is no room: then it is part of the program."""
        value = self.values[position]
        with self._growing():
            place = self.arithmetic.entry(position, value)
        if place is None:
            self.known(position)
            return None
        self.vector[place] = value
        return self.given[place]

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
            position = self.arithmetic.operation(key, function, operands, type(result))
        if position is None:
            position = len(self.values)
            self.values.append(result)
            self.arithmetic.keep(key, position)
        return position

    @contextlib.contextmanager
    def _growing(self) -> Iterator[None]:
        try:
            yield
        except GrownError:
            self.grown = True  # code of the user's may catch it
            raise


def plain(value: Any) -> Any:
    """The number itself, for what stands for one; anything else as it is."""
    return value.value if is_stand_in(value) else value


class Number:
    """In a trace, in place of a number that was read. To other threads, and after the trace, it is the number itself."""

    __slots__ = ("position", "tracing", "value")

    def __init__(self, tracing: Tracing, position: int, value: Any) -> None:
        self.tracing, self.position, self.value = tracing, position, value

    @property
    def dtype(self) -> type:
        """For Keras' promotion: the type of a Python number, which gives way to tensors'. To others it has none."""
        if not sys._getframe(1).f_globals.get("__name__", "").startswith("keras."):
            raise AttributeError("dtype")
        return type(self.value)

    def tensor(self, dtype: Any) -> jax.Array:
        """The scalar input of the program, of a dtype."""
        found = self.tracing.tensor(self.position) if self.tracing.here else None
        return jnp.asarray(self.value, dtype) if found is None else jax.lax.convert_element_type(found, dtype)

    def __jax_array__(self) -> jax.Array:
        """The scalar input of the program, with a type that gives way to other tensors', as that of a Python number."""
        found = self.tracing.tensor(self.position) if self.tracing.here else None
        if found is None:
            return jnp.asarray(self.value)
        return weakly(found, "float64" if type(self.value) is float else "int32")

    def known(self) -> Any:
        """The number, which the program then depends on."""
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
    """For a float."""

    __slots__ = ()
    __class__ = property(lambda self: float)  # so that isinstance says what it said


@final
class IntNumber(Number):
    """For an int."""

    __slots__ = ()
    __class__ = property(lambda self: int)


def is_stand_in(value: Any) -> bool:
    """True for what stands for a number."""
    return type(value) is FloatNumber or type(value) is IntNumber


_OPERATORS = "add sub mul truediv floordiv mod pow lshift rshift and_ or_ xor"
_ONE = (operator.neg, operator.pos, operator.abs, operator.invert, math.floor, math.ceil, math.trunc, round)


def _binary(function: Callable[..., Any], *, reflected: bool) -> Callable[..., Any]:
    def both(self: Number, other: Any) -> Any:
        if not (is_stand_in(other) or type(other) in (int, float, bool)):
            other_number = isinstance(other, numbers.Number | Decimal) and not isinstance(other, np.generic)
            mine = self.known() if other_number else None
            return (function(other, mine) if reflected else function(mine, other)) if other_number else NotImplemented
        operands = (other, self) if reflected else (self, other)
        here = next((o.tracing for o in operands if is_stand_in(o) and o.tracing.here), None)
        return function(*map(plain, operands)) if here is None else here.apply(function, operands)

    return both


def _unary(function: Callable[..., Any]) -> Callable[..., Any]:
    def one(self: Number, *others: Any) -> Any:
        operands = (self, *others)
        return self.tracing.apply(function, operands) if self.tracing.here else function(*map(plain, operands))

    return one


def _asking(function: Callable[..., Any]) -> Callable[..., Any]:
    def asked(self: Number, *others: Any) -> Any:
        return self.tracing.ask(function, (self, *others)) if self.tracing.here else function(self.value, *others)

    return asked


def _install() -> None:
    """Give Number Python's arithmetic, comparisons and conversions."""
    for name in _OPERATORS.split():
        function = getattr(operator, name)
        setattr(Number, f"__{name.strip('_')}__", _binary(function, reflected=False))
        setattr(Number, f"__r{name.strip('_')}__", _binary(function, reflected=True))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Number, f"__{name}__", _binary(getattr(operator, name), reflected=False))
    for function in _ONE:
        setattr(Number, f"__{function.__name__}__", _unary(function))
    asking: tuple[Callable[..., Any], ...] = (float, int, operator.index, complex, bool, hash, str, format)
    for function in asking:
        setattr(Number, f"__{function.__name__}__", _asking(function))


_install()


# --- Python's module of functions of numbers --------------------------------------------------------------------------


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


MATH = _math()  # as `math`, whose functions take stand-ins as well: the result is one, too
IN_MATH = {id(math): MATH} | {
    id(value): getattr(MATH, name) for name, value in vars(math).items() if isinstance(value, types.BuiltinFunctionType)
}
