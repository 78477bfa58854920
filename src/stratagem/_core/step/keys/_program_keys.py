"""Keys of functions and arguments: two calls with equal keys run the same program."""

import dis
import functools
import re
import types
from collections.abc import Hashable, Iterator
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from stratagem._base.types import UserFunction
from stratagem._core.step.keys._host_values import StringsResult
from stratagem._core.step.keys._key_readings import (
    DecoratedReading,
    FunctionReading,
    KeyReadings,
    content,
    function_given,
    maker_of,
    reference,
)
from stratagem._core.values import Separate, Stacked, TensorShape, TensorSpec
from stratagem._private import KerasVariable

_VALUES = (
    bool,
    int,
    float,
    complex,
    str,
    bytes,
    type(None),
    type,
    np.dtype,
    types.CodeType,
    types.ModuleType,
    StringsResult,
)
_KINDS = {t.__name__ for t in _VALUES} | {"function", "method", "partial", "tf.function", "again", "TensorShape"}
_MAX_DEPTH = 8
_NAME = re.compile(r"[^\W\d][\w.]*(\[|$)")


class IdentityKey:
    """A key that is equal only to that of the same living object. Refers to the object weakly, if its class allows that."""

    __slots__ = ("_number", "_reference")

    def __init__(self, value: Any) -> None:
        self._number = id(value)
        self._reference = reference(value)

    @property
    def value(self) -> Any:
        """The object; None if it was garbage-collected."""
        return self._reference()

    def alive(self) -> bool:
        """Returns False if the object was garbage-collected; a key that contains this can never match again."""
        return self._reference() is not None

    def __hash__(self) -> int:
        return self._number

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, IdentityKey) or self._number != other._number:
            return False
        mine = self._reference()
        return mine is not None and mine is other._reference()

    def __repr__(self) -> str:
        value = self._reference()
        return f"<{type(value).__name__} at {self._number:#x}>"


def alive(key: Any) -> bool:
    """Returns False if the key contains an object that was garbage-collected."""
    if isinstance(key, tuple):
        return all(map(alive, key))
    return key.alive() if isinstance(key, IdentityKey) else True


@final
class _KeyWalk:
    """The way through all that one key is made of.

    home: the globals of the first function. numbers: those of the functions that are part of the key already, by `id`.
    readings: what the key was made of.
    """

    def __init__(self) -> None:
        self.home: dict[str, Any] | None = None
        self.numbers: dict[int, int] = {}
        self.readings = KeyReadings()


def static_key(value: Any) -> Hashable:
    """Returns a key that is equal for values which lead to the same program when the trace meets them as Python objects."""
    return _key(value, 0, _KeyWalk())


def _key(value: Any, depth: int, walk: _KeyWalk) -> Hashable:
    if isinstance(value, float | complex):
        return (type(value).__name__, repr(value))  # 0.0 and -0.0 are different, and all NaNs are the same
    if isinstance(value, _VALUES):
        return (type(value).__name__, value)
    if type(value) is TensorShape:
        return ("TensorShape", repr(value))  # one of unknown rank has no sizes
    if isinstance(value, tuple):  # unlike lists and dicts, which may change, and count by identity
        return (type(value).__name__, *(_key(v, depth, walk) for v in value))
    if isinstance(value, slice):
        return ("slice", *(_key(v, depth, walk) for v in (value.start, value.stop, value.step)))
    if isinstance(value, functools.partial):
        walk.readings.lasting = False  # its keywords are a dict
        bound = (value.func, value.args, tuple(value.keywords.items()))
        return ("partial", _key(bound, depth, walk))
    if isinstance(value, types.MethodType):
        return ("method", _key(value.__func__, depth, walk), IdentityKey(value.__self__))
    inner = function_given(value)
    if inner is not None:
        walk.readings.decorated.append(DecoratedReading.of(value, inner))
        return decorated_key(_key(inner, depth, walk), maker_of(value))
    if isinstance(value, types.FunctionType):
        return _function_key(value, depth, walk)
    return IdentityKey(value)


def _function_key(fn: types.FunctionType, depth: int, walk: _KeyWalk) -> Hashable:
    """Returns the key of code, captured variables, defaults, and the globals that the code names.

    The globals of functions of other modules are not followed: they belong to a library.
    """
    if id(fn) in walk.numbers:
        return ("again", walk.numbers[id(fn)])
    if depth >= _MAX_DEPTH or (walk.home is not None and fn.__globals__ is not walk.home and fn.__closure__ is None):
        return IdentityKey(fn)
    home = walk.home = fn.__globals__ if walk.home is None else walk.home
    walk.numbers[id(fn)] = len(walk.numbers)
    names = read_names(fn.__code__)
    followed = names.globals if fn.__globals__ is home else ()
    walk.readings.functions.append(FunctionReading.of(fn, names.captured, followed))
    free = zip(fn.__code__.co_freevars, fn.__closure__ or (), strict=True)
    cells = tuple((n, _key(content(c), depth + 1, walk)) for n, c in free if n in names.captured)
    defaults = (fn.__defaults__ or (), tuple((fn.__kwdefaults__ or {}).items()))
    named = tuple((n, _key(home[n], depth + 1, walk)) for n in followed if n in home)
    return ("function", fn.__code__, cells, _key(defaults, depth + 1, walk), named)


@dataclass(frozen=True)
class OutsideNames:
    """The outer names that code reads and never assigns: a counter that the code itself advances must not be part of its key.

    globals: of global variables. captured: of variables of enclosing functions.
    """

    globals: tuple[str, ...]
    captured: tuple[str, ...]


@functools.lru_cache(maxsize=4096)
def read_names(code: types.CodeType) -> OutsideNames:
    """Returns the global and captured names that the code, and functions defined in it, read and do not assign."""
    named: dict[str, None] = {}
    stored: set[str] = set()
    for inner in all_code(code):
        for instruction in dis.get_instructions(inner):
            if instruction.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                named[instruction.argval] = None
            elif instruction.opname in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF", "DELETE_DEREF"):
                stored.add(instruction.argval)
    return OutsideNames(
        tuple(n for n in named if n not in stored), tuple(n for n in code.co_freevars if n not in stored)
    )


def all_code(code: types.CodeType) -> Iterator[types.CodeType]:
    """Yields the code and that of everything which is defined in it."""
    yield code
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            yield from all_code(const)


@final
class _FunctionKey(tuple[Hashable, ...]):
    """The key of a function, which is asked for at every call: what has to go through all its parts is done once."""

    @functools.cached_property
    def _hash(self) -> int:
        return super().__hash__()

    def __hash__(self) -> int:
        return self._hash

    @functools.cached_property
    def has_what_may_change(self) -> bool:
        """Says whether a part is an object that may change and stay the same object."""
        return any(map(_has_what_may_change, self))


_FIXED = (jax.Array, KerasVariable, types.FunctionType, types.BuiltinFunctionType)


def decorated_key(key: Hashable, made: UserFunction) -> Hashable:
    """Returns the key of a function that `tf.function` made, from that of the code.

    Made anew, it is traced anew, as in TensorFlow, where what it reads may be another by then: the content of an object that
    the code's key has by identity, such as a dict, a list or a model.
    """
    return ("tf.function", key, IdentityKey(made)) if _has_what_may_change(key) else ("tf.function", key)


def _has_what_may_change(key: Hashable) -> bool:
    """Arrays and functions stay what they are, and variables are inputs of programs."""
    if isinstance(key, _FunctionKey):
        return key.has_what_may_change
    if isinstance(key, tuple):
        return any(map(_has_what_may_change, key))
    return isinstance(key, IdentityKey) and not isinstance(key.value, _FIXED)


def function_key(fn: UserFunction) -> Hashable:
    """Returns the key of a function's code and of all variables that it captures."""
    return static_key(fn)


@final
class RememberedKey:
    """The key of a function that is asked for at every call: made again only if something that it was made of is another.

    Whoever calls the function has it, so that both can be garbage-collected together with what the function reads.
    """

    def __init__(self) -> None:
        self._made: tuple[types.FunctionType, _FunctionKey, KeyReadings] | None = None
        self._decorated: tuple[Hashable, Hashable] | None = None

    def __reduce__(self) -> tuple[type, tuple[()]]:
        return RememberedKey, ()  # a copy, in this process or another, is of another function

    def decorated(self, fn: UserFunction, made: UserFunction) -> Hashable:
        """Returns `decorated_key` of that key. made: what `tf.function` made of the function, or of the class's method."""
        key, found = self.of(fn), self._decorated
        if found is None or found[0] is not key:
            found = self._decorated = key, decorated_key(key, made)
        return found[1]

    def of(self, fn: UserFunction) -> Hashable:
        """Returns `function_key(fn)`, for a function, or for a method of any instance, which is the same one each time."""
        if isinstance(fn, types.MethodType):
            return ("method", self.of(fn.__func__), IdentityKey(fn.__self__))
        if not isinstance(fn, types.FunctionType):
            return function_key(fn)
        made = self._made
        if made is not None and made[0] is fn and made[2].hold():
            return made[1]
        walk = _KeyWalk()
        parts = _function_key(fn, 0, walk)
        assert isinstance(parts, tuple), "no function is met before the first"
        key = _FunctionKey(parts)
        self._made = (fn, key, walk.readings)
        return key


def code_of(key: Any) -> types.CodeType | None:
    """Returns the code of the function that a key is for."""
    if isinstance(key, types.CodeType):
        return key
    return next((code for part in key if (code := code_of(part))), None) if isinstance(key, tuple) else None


def changed_part(before: Any, now: Any, name: str = "it") -> str:
    """Returns in words the first difference between two keys of the same code."""
    if not (isinstance(before, tuple) and isinstance(now, tuple)) or len(before) != len(now):
        return f"{name} changed from {before} to {now}"
    if len(now) == 2 and isinstance(now[0], str) and _NAME.match(now[0]):
        name = name if now[0] in _KINDS else now[0]
    different = next((pair for pair in zip(before, now, strict=True) if pair[0] != pair[1]), None)
    return "nothing" if different is None else changed_part(*different, name)


@dataclass(frozen=True, eq=False)
class ReadingsKey:
    """An argument that is a part of the program: what a function reads besides its arguments, for one program.

    described: names and values, for messages.
    """

    described: tuple[tuple[str, Any], ...]

    @functools.cached_property
    def key(self) -> IdentityKey:
        """A key that is equal to no other object's."""
        return IdentityKey(self)


def is_source(leaf: Any) -> bool:
    """Returns whether a leaf is an iterator that a step can draw from."""
    return hasattr(type(leaf), "peek") and hasattr(type(leaf), "__next__")


def leaf_key(leaf: Any) -> Hashable:
    """Returns the key of one argument: type of tensors and iterators, value of Python numbers and strings, else identity."""
    if isinstance(leaf, jax.Array):
        return (leaf.aval.shape, leaf.dtype)  # the TensorShape that users see would cost more at every call
    if isinstance(leaf, np.ndarray | np.generic):
        return (leaf.shape, leaf.dtype)
    if type(leaf) is ReadingsKey:
        return leaf.key
    if isinstance(leaf, Stacked):
        return ("per replica", leaf.array.aval.shape, leaf.array.dtype, leaf.mesh.devices)
    if isinstance(leaf, Separate):
        return ("per replica", *leaf.shapes, *(v.dtype for v in leaf.values))
    if isinstance(leaf, KerasVariable):
        return IdentityKey(leaf)
    if is_source(leaf):
        return ("iterator", type(leaf))
    return static_key(leaf)


def shown_key(key: Any) -> Any:
    """Returns what a message shows of an argument, given its `leaf_key`: a spec, a value, or the key itself."""
    if not isinstance(key, tuple) or len(key) != 2:
        return key
    if isinstance(key[0], tuple):
        return TensorSpec(*key)
    return key[1] if key[0] in _KINDS else key
