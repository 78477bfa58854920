"""KeyReadings: what the key of a function was made of, and whether that is still so."""

import types
import weakref
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any, final

from stratagem._base.types import UserFunction

_NONE, _NOTHING = object(), object()
Reference = Callable[[], Any]


def reference(value: Any) -> Reference:
    """Returns a function that returns the object: weakly, if its class allows that, and then None after its collection."""
    try:
        return weakref.ref(value)
    except TypeError:
        return lambda: value


def _seen(value: Any) -> Reference:
    """Returns a reference to what was read. None has a stand-in, to differ from an object that was collected."""
    return reference(_NONE if value is None else value)


def function_given(value: Any) -> types.FunctionType | types.MethodType | None:
    """Returns the function given to `tf.function`, if the value is its result. Does not call a `__getattr__` of the user's."""
    try:
        inner = object.__getattribute__(value, "python_function")
    except AttributeError:
        return None
    return inner if isinstance(inner, types.FunctionType | types.MethodType) else None


def maker_of(decorated: Any) -> UserFunction:
    """Returns what `tf.function` made: of a method of an instance, the function of its class."""
    return getattr(decorated, "made", decorated)


def content(cell: types.CellType) -> Any:
    """Returns what a cell holds; a value of its own for an empty cell, of a name that is assigned later."""
    try:
        return cell.cell_contents
    except ValueError:
        return _NOTHING


@final
@dataclass(frozen=True)
class FunctionReading:
    """A function as a key has it: its code, captured and global variables, and defaults.

    cells: captured variables, by their number. keywords: keyword-only defaults, by name.
    """

    function: Reference
    code: types.CodeType
    cells: tuple[tuple[int, Reference], ...]
    names: tuple[tuple[str, Reference], ...]
    defaults: tuple[Reference, ...]
    keywords: tuple[tuple[str, Reference], ...]

    @classmethod
    def of(cls, fn: types.FunctionType, captured: Iterable[str], names: Iterable[str]) -> "FunctionReading":
        """Reads the function. captured, names: the captured and global variables that its key has."""
        cells, captured = fn.__closure__ or (), frozenset(captured)
        numbers = [i for i, name in enumerate(fn.__code__.co_freevars) if name in captured]
        home = fn.__globals__
        return cls(
            weakref.ref(fn),
            fn.__code__,
            tuple((i, _seen(content(cells[i]))) for i in numbers),
            tuple((name, _seen(home.get(name, _NOTHING))) for name in names),
            tuple(map(_seen, fn.__defaults__ or ())),
            tuple((name, _seen(value)) for name, value in (fn.__kwdefaults__ or {}).items()),
        )

    def holds(self) -> bool:
        """Returns whether all of it is the same object as before. Asked at every call of the function."""
        fn = self.function()
        if fn is None or fn.__code__ is not self.code:
            return False
        cells, home = fn.__closure__ or (), fn.__globals__
        for number, before in self.cells:
            now = content(cells[number])
            if before() is not (_NONE if now is None else now):
                return False
        for name, before in self.names:
            now = home.get(name, _NOTHING)
            if before() is not (_NONE if now is None else now):
                return False
        if not (self.defaults or self.keywords):
            return not fn.__defaults__ and not fn.__kwdefaults__
        return self._defaults_hold(fn.__defaults__ or (), fn.__kwdefaults__ or {})

    def _defaults_hold(self, defaults: tuple[Any, ...], keywords: dict[str, Any]) -> bool:
        if len(defaults) != len(self.defaults) or len(keywords) != len(self.keywords):
            return False
        values = [*defaults, *(keywords.get(name, _NOTHING) for name, _ in self.keywords)]
        before = [*self.defaults, *(seen for _, seen in self.keywords)]
        return all(b() is (_NONE if v is None else v) for b, v in zip(before, values, strict=True))


@final
@dataclass(frozen=True)
class DecoratedReading:
    """A value that `tf.function` made, as a key has it: by the function that was given to it."""

    value: Reference
    function: Reference

    @classmethod
    def of(cls, value: Any, function: types.FunctionType | types.MethodType) -> "DecoratedReading":
        """Notes the value and its function."""
        return cls(reference(value), reference(function))

    def holds(self) -> bool:
        """Returns whether it is still that function. (The value itself is read where the key found it.)"""
        return function_given(self.value()) is self.function()


@final
@dataclass
class KeyReadings:
    """All that a key was made of.

    lasting: False if a part of the key may change while it stays the same object, so that none of this can be relied on.
    """

    functions: list[FunctionReading] = field(default_factory=list)
    decorated: list[DecoratedReading] = field(default_factory=list)
    lasting: bool = True

    def hold(self) -> bool:
        """Returns whether a key that is made now would be equal."""
        return (
            self.lasting
            and all(map(FunctionReading.holds, self.functions))
            and all(map(DecoratedReading.holds, self.decorated))
        )
