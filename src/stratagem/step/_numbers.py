"""A Python number that is an input of a program: Python does its arithmetic at every call, the value goes in as a tensor."""

import math
import operator
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import jax
import numpy as np

from stratagem._private import weakly
from stratagem.values import is_per_replica

_ROOM = 16  # numbers that one program takes: in one array, since each costs a transfer
_LIBRARIES = {"stratagem", "keras", "jax", "jaxlib", "numpy", "optree", "typing", "abc", "collections", "contextlib"}


class NumberNeeded(Exception):
    """Python wants to know a number that was to become an input of the program."""


class Slots:
    """The numbers that a program takes, in the order in which its traces met them, and how they follow from what was read."""

    def __init__(self) -> None:
        self.made: dict[Any, tuple[Callable[[Any], Any], type, int]] = {}
        self._given: Any = None
        self._vector = np.zeros(_ROOM, np.float64)
        self._wide = False
        self.needed: set[Any] = set()
        self._handed: dict[Any, Handed] = {}

    def vector(self, numbers: Any) -> np.ndarray:
        """What a call with these numbers passes to the program. Those that its trace meets first are filled in there.

        Raises what Python raises; NumberNeeded if the type of a number is another one than the program was made for.
        """
        self._vector = np.zeros(_ROOM, np.float64)  # a new one: the program before may not have read its own yet
        for compute, kind, place in self.made.values():
            self._put(place, compute(numbers), kind)
        return self._vector

    def _put(self, place: int, value: Any, kind: type[Any]) -> None:
        fits = kind is not int or -(2**31) <= value < 2**31
        if type(value) is not kind or not fits:
            raise NumberNeeded
        self._vector[place] = value

    def begin(self, given: Any, *, wide: bool) -> None:
        """Start a trace with the tracer of the vector. wide: the program computes with 64 bits."""
        self._given, self._wide, self.needed = given, wide, set()

    def tensor(self, key: Any, compute: Callable[[Any], Any], value: Any) -> Any:
        """The tensor that stands for a number in the present trace, with the type that a Python number has beside tensors."""
        kind = type(value)
        if key not in self.made:
            if len(self.made) == _ROOM or kind not in (float, int, bool):
                self.need(key)
            self._put(len(self.made), value, kind)
            self.made[key] = (compute, kind, len(self.made))
        given = self._given[self.made[key][2]]
        if kind is bool:
            return given != 0
        return weakly(given, "int32" if kind is int else "float64" if self._wide else "float32")

    def need(self, key: Any) -> NoReturn:
        """Raise NumberNeeded, and remember which numbers: user code may catch it."""
        self.needed |= set(_read_by(key))
        raise NumberNeeded

    def handed(self, number: "Number") -> "Handed":
        """In place of a number among the results of a trace."""
        return self._handed.setdefault(number._key, Handed(number._compute))

    def handed_out(self, result: Any, numbers: Any) -> Any:
        """The results of a call with these numbers among them, which Python computes."""
        if not self._handed:
            return result
        return jax.tree.map(lambda v: v.compute(numbers) if type(v) is Handed else v, result, is_leaf=is_per_replica)


@dataclass(frozen=True, eq=False)
class Handed:
    """A number that a function returns: Python computes it at every call."""

    compute: Callable[[Any], Any]


def _read_by(key: Any) -> Iterator[Any]:
    """The keys of the numbers that one was computed from: positions, or ("argument", position)."""
    if isinstance(key, int) or (isinstance(key, tuple) and key[0] == "argument"):
        yield key
    elif isinstance(key, tuple):
        for part in key[1:]:
            if not isinstance(part, str):
                yield from _read_by(part)


class Number:
    """In a trace, in place of a number that was read. To other threads it is the number itself."""

    __slots__ = ("_compute", "_key", "_slots", "_thread", "_value")
    __array_ufunc__ = None

    def __init__(self, slots: Slots, key: Any, compute: Callable[[Any], Any], value: Any) -> None:
        self._slots, self._key, self._compute, self._value = slots, key, compute, value
        self._thread = threading.get_ident()

    @classmethod
    def read(cls, slots: Slots, key: Any, value: Any) -> "Number":
        """The number with this key among those that are read."""
        return cls(slots, key, operator.itemgetter(key), value)

    def _foreign(self) -> bool:
        return threading.get_ident() != self._thread

    def __jax_array__(self) -> jax.Array:
        """The input of the program."""
        if self._foreign():
            return jax.numpy.asarray(self._value)
        tensor: jax.Array = self._slots.tensor(self._key, self._compute, self._value)
        return tensor

    def _made(self, function: Callable[..., Any], *others: Any) -> Any:
        """`function(*others)` with this and other Numbers among them."""
        if any(type(o) not in (Number, int, float, bool) for o in others):
            return NotImplemented
        value = function(*(o._value if type(o) is Number else o for o in others))
        if self._foreign():
            return value
        parts = [o._compute if type(o) is Number else _constant(o) for o in others]
        # 1, 1.0 and True, 0.0 and -0.0 are equal as keys, and other operands.
        keys = tuple(o._key if type(o) is Number else f"{type(o).__name__} {o!r}" for o in others)
        return Number(
            self._slots,
            (function.__name__, *keys),
            lambda numbers: function(*(part(numbers) for part in parts)),
            value,
        )

    def _known(self) -> Any:
        if not self._foreign():
            self._slots.need(self._key)
        return self._value

    @property  # type: ignore[misc]
    def __class__(self) -> type:
        """Its type, to libraries; code of the user's that asks for it takes a decision."""
        caller = sys._getframe(1).f_globals.get("__name__", "").split(".")[0]
        return Number if caller in _LIBRARIES and not self._foreign() else type(self._known())

    def __float__(self) -> float:
        return float(self._known())

    def __int__(self) -> int:
        return int(self._known())

    def __index__(self) -> int:
        return operator.index(self._known())

    def __complex__(self) -> complex:
        return complex(self._known())

    def __bool__(self) -> bool:
        return bool(self._known())

    def __hash__(self) -> int:
        return hash(self._known())

    def __str__(self) -> str:
        return str(self._known())

    def __format__(self, spec: str) -> str:
        return format(self._known(), spec)

    def __repr__(self) -> str:
        return f"<a number that is {self._value} now>"

    def __deepcopy__(self, memo: Any) -> "Number":
        return self


def _constant(value: Any) -> Callable[[Any], Any]:
    return lambda numbers: value


def _operators() -> None:
    """Give Number Python's arithmetic and comparisons."""

    def both(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, other: self._made(function, self, other)

    def reflected(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, other: self._made(function, other, self)

    def alone(function: Callable[..., Any]) -> Callable[..., Any]:
        return lambda self, *others: self._made(function, self, *others)

    for name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow"):
        setattr(Number, f"__{name}__", both(getattr(operator, name)))
        setattr(Number, f"__r{name}__", reflected(getattr(operator, name)))
    for name in ("lt", "le", "gt", "ge", "eq", "ne"):
        setattr(Number, f"__{name}__", both(getattr(operator, name)))
    for function in (operator.neg, operator.pos, operator.abs, math.floor, math.ceil, math.trunc, round):
        setattr(Number, f"__{function.__name__}__", alone(function))


_operators()
