"""Places where Python code finds values: attributes, items, globals, cells; read, and filled for a while, without user code."""

import contextlib
import functools
import sysconfig
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

MISSING = type("Missing", (), {"__repr__": lambda self: "nothing"})()

_LIBRARIES = frozenset(
    (
        "stratagem",
        "keras",
        "jax",
        "jaxlib",
        "numpy",
        "tensorflow",
        "torch",
        "grain",
        "datasets",
        "absl",
        "optree",
        "scipy",
    )
)
_INSTALLED = tuple(
    {
        f"{path}/"
        for kind in ("stdlib", "platstdlib", "purelib", "platlib")
        if (path := sysconfig.get_paths().get(kind)) is not None
    }
)
# Descriptors of C: reading them runs nothing of the user's.
_SAFE = (types.MemberDescriptorType, type(types.SimpleNamespace.__dict__["__dict__"]))


class OtherKind(Exception):
    """What is found at a place is of another kind than the plan was made for."""


@functools.lru_cache(maxsize=4096)
def in_library(code: types.CodeType, module: str) -> bool:
    """True for code that is not the user's: of this library, of those below it, or of Python itself."""
    return module.split(".")[0] in _LIBRARIES or code.co_filename.startswith((*_INSTALLED, "<frozen"))


def of_library(cls: type) -> bool:
    """True for types whose attributes are a library's business."""
    return cls.__module__.split(".")[0] in _LIBRARIES


def is_users(function: Any) -> bool:
    """True for a Python function of the user's."""
    return type(function) is types.FunctionType and not in_library(
        function.__code__, str(function.__globals__.get("__name__", ""))
    )


def of_users_module(module: types.ModuleType) -> bool:
    """True for a module that is no library's."""
    file = getattr(module, "__file__", None) or ""
    return module.__name__.split(".")[0] not in _LIBRARIES and not file.startswith(_INSTALLED) and bool(file)


def found_on(cls: type, name: str) -> tuple[type | None, Any]:
    """The class in the order of resolution that has this attribute, and what it has, as it is."""
    for owner in cls.__mro__:
        if name in owner.__dict__:
            return owner, owner.__dict__[name]
    return None, MISSING


def is_plain(raw: Any) -> bool:
    """True if reading an instance's attribute runs no code where its class has this one of the same name."""
    return isinstance(raw, _SAFE) or not hasattr(type(raw), "__get__")


@dataclass(frozen=True)
class Place:
    """One place: a name or key in what another place holds, or one of a call's roots.

    parent: the number of the place of the owner. kind: "root", "attr", "item", "global", "cell" or "each" (the shape).
    """

    parent: int
    kind: str
    label: Any
    name: str

    def getter(self, owner: Any) -> Callable[[Any], Any]:
        """A function from such an owner to what it has here now. It raises OtherKind for an owner of another type."""
        return _GETTERS[self.kind](type(owner), self.label, owner)


def _attribute(kind: type, name: str, owner: Any) -> Callable[[Any], Any]:
    plain = isinstance(owner, type | types.ModuleType) or not hasattr(kind, "__getattr__")

    def get(o: Any) -> Any:
        if type(o) is not kind:
            raise OtherKind
        return getattr(o, name, MISSING)

    def get_beside(o: Any) -> Any:  # a `__getattr__` of the user's is not to be called
        if type(o) is not kind:
            raise OtherKind
        try:
            return object.__getattribute__(o, name)
        except AttributeError:
            return MISSING

    return get if plain else get_beside


def _item(kind: Any, key: Any, owner: Any) -> Callable[[Any], Any]:
    def get(o: Any) -> Any:
        if type(o) is not kind:
            raise OtherKind
        return dict.get(o, key, MISSING)

    def get_at(o: Any) -> Any:
        if type(o) is not kind:
            raise OtherKind
        return o[key] if -len(o) <= key < len(o) else MISSING

    return get if issubclass(kind, dict) else get_at


def _shape(kind: type, label: Any, owner: Any) -> Callable[[Any], Any]:
    """Which items there are: another number of them, or another key, is another plan."""
    expected = tuple(owner) if isinstance(owner, dict) else len(owner)
    measure: Callable[[Any], Any] = tuple if isinstance(owner, dict) else len

    def get(o: Any) -> Any:
        if type(o) is not kind or measure(o) != expected:
            raise OtherKind
        return None

    return get


def _global(kind: type, name: str, owner: Any) -> Callable[[Any], Any]:
    return lambda o: o.__globals__.get(name, MISSING)


def _cell(kind: type, index: int, owner: Any) -> Callable[[Any], Any]:
    def get(o: Any) -> Any:
        try:
            return o.__closure__[index].cell_contents
        except ValueError:  # a name that is assigned later
            return MISSING

    return get


_GETTERS: dict[str, Callable[[type, Any, Any], Callable[[Any], Any]]] = {
    "attr": _attribute,
    "item": _item,
    "each": _shape,
    "global": _global,
    "cell": _cell,
}


def _set(place: Place, owner: Any, value: Any) -> None:
    """Put a value where `place` found one. For what cannot be changed, TypeError or AttributeError."""
    if place.kind == "global":
        owner.__globals__[place.label] = value
    elif place.kind == "cell":
        owner.__closure__[place.label].cell_contents = value
    elif place.kind == "item" and isinstance(owner, dict):
        dict.__setitem__(owner, place.label, value)
    elif place.kind == "item":
        owner[place.label] = value
    elif isinstance(owner, types.FunctionType | types.ModuleType):
        setattr(owner, place.label, value)
    else:
        _set_attribute(owner, place.label, value)


def _set_attribute(owner: Any, name: str, value: Any) -> None:
    if isinstance(owner, type):
        _set_in_class(found_on(owner, name), name, value)
        return
    holder, raw = found_on(type(owner), name)
    own = getattr(owner, "__dict__", {})
    if name in own:
        own[name] = value
    elif isinstance(raw, types.MemberDescriptorType):
        raw.__set__(owner, value)
    else:
        _set_in_class((holder, raw), name, value)


def _set_in_class(found: tuple[type | None, Any], name: str, value: Any) -> None:
    holder, raw = found
    if holder is None or hasattr(type(raw), "__get__"):
        raise TypeError(f"{name} is computed")
    type.__setattr__(holder, name, value)


def _rebuilt(whole: tuple[Any, ...], index: int, value: Any) -> tuple[Any, ...]:
    """The tuple, or named tuple, with another value in it."""
    items = [*whole[:index], value, *whole[index:][1:]]
    return tuple.__new__(type(whole), items)


def _write(places: list[Place], objects: list[Any], number: int, value: Any) -> Iterator[tuple[Place, Any, Any, Any]]:
    """Set a place; tuples on the way to it are made anew, with the value in them. Yields what has been set where."""
    place = places[number]
    if isinstance(objects[place.parent], tuple) and place.kind == "item":
        whole = objects[place.parent]
        made = _rebuilt(whole, place.label % len(whole), value)
        yield from _write(places, objects, place.parent, made)
        objects[place.parent] = made
        return
    owner, before = objects[place.parent], objects[number]
    _set(place, owner, value)
    objects[number] = value
    yield place, owner, before, value


@contextlib.contextmanager
def filled(places: list[Place], objects: list[Any], values: dict[int, Any]) -> Iterator[None]:
    """In the body, other values are at these places, by their numbers. What the body itself puts there stays.

    objects: what is at every place, at the place's number.
    """
    objects = list(objects)
    done: list[tuple[Place, Any, Any, Any]] = []
    try:
        for number, value in values.items():
            done.extend(_write(places, objects, number, value))
        yield
    finally:
        for place, owner, before, value in reversed(done):
            if place.getter(owner)(owner) is value:
                _set(place, owner, before)
