"""The places that code can reach from the objects that it meets: attributes, items, methods, without running any code."""

import enum
import functools
import types
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from stratagem.step._places import MISSING, Place, found_on, is_plain, is_users, of_library, of_users_module

Nodes = tuple[int, ...]
_MAX_ITEMS = 64
_ITEMS: tuple[Any, ...] = (list.__getitem__, tuple.__getitem__, dict.__getitem__)
_ITERATIONS: tuple[Any, ...] = (list.__iter__, tuple.__iter__, dict.__iter__, OrderedDict.__iter__)


def is_container(value: Any) -> bool:
    """True for a list, tuple, named tuple or dict, whose items can be read without running code of the user's."""
    kind = type(value)
    return isinstance(value, list | tuple | dict) and kind.__getitem__ in _ITEMS and kind.__iter__ in _ITERATIONS


class Objects:
    """Places by number, with what is there now.

    values: what is at every place. used: places whose value matters; others only lead there. unclear: names of what cannot
    be followed. owners: of a function that is a method, the places of what it gets first.
    """

    def __init__(self, roots: dict[str, Any], follow: Callable[[int], Nodes]) -> None:
        """follow: called with the place of a property's function, which has an owner; returns what it returns."""
        self.places: list[Place] = []
        self.values: list[Any] = []
        self.used: dict[int, None] = {}
        self.unclear: dict[str, None] = {}
        self.owners: dict[int, tuple[Nodes, ...]] = {}
        self._index: dict[tuple[int, str, Any], int] = {}
        self._follow = follow
        for name, value in roots.items():
            self.places.append(Place(-1, "root", name, name))
            self.values.append(value)

    def place(self, parent: int, kind: str, label: Any, name: str) -> int:
        """The number of a place."""
        key = (parent, kind, (type(label), label))
        if key not in self._index:
            place = Place(parent, kind, label, name)
            value = place.getter(self.values[parent])(self.values[parent])
            self._index[key] = len(self.places)
            self.places.append(place)
            self.values.append(value)
        return self._index[key]

    def use(self, node: int) -> None:
        """The value at this place matters."""
        self.used[node] = None

    def contents(self, node: int) -> Nodes:
        """Everything in a container; nothing if it is too large."""
        value, name = self.values[node], self.places[node].name
        if len(value) > _MAX_ITEMS:
            self.unclear[f"{name} (more than {_MAX_ITEMS} items)"] = None
            return ()
        self.place(node, "each", None, name)
        keys = list(value) if isinstance(value, dict) else range(len(value))
        return tuple(self.place(node, "item", key, f"{name}[{key!r}]") for key in keys if is_constant(key))

    def opaque(self, node: int) -> Nodes:
        """What is at a place matters as a whole, and leads to nothing that is followed."""
        self.use(node)
        return ()

    def attribute(self, node: int, name: str) -> Nodes:
        """The places that `.name` of what is at a place leads to."""
        value, text = self.values[node], f"{self.places[node].name}.{name}"
        kind = type(value)
        if isinstance(value, types.ModuleType):
            return (self.place(node, "attr", name, text),) if of_users_module(value) else self.opaque(node)
        if isinstance(value, type):
            return self._class_attribute(node, name, text)
        raw = found_on(kind, name)[1]
        if type(raw).__name__ == "_tuplegetter":
            return self.item(node, value._fields.index(name))
        is_method = hasattr(type(raw), "__get__")
        if is_container(value) and is_method and not is_users(raw):
            return self.opaque(node)
        if value is MISSING or of_library(kind) or isinstance(value, enum.Enum):
            return self.opaque(node)
        return self._instance_attribute(node, name, text)

    def _class_attribute(self, node: int, name: str, text: str) -> Nodes:
        value = self.values[node]
        raw = found_on(value, name)[1]
        usual = found_on(type(value), "__getattribute__")[0] is type and not issubclass(value, enum.Enum)
        if of_library(value) or not usual or not (is_plain(raw) or isinstance(raw, types.FunctionType)):
            return self.opaque(node)
        return (self.place(node, "attr", name, text),)

    def _instance_attribute(self, node: int, name: str, text: str) -> Nodes:
        value = self.values[node]
        kind = type(value)
        owner, raw = found_on(kind, name)
        own = name in getattr(value, "__dict__", ())
        if not isinstance(kind.__getattribute__, types.WrapperDescriptorType):  # one of the user's
            return self._lost(node, text)
        if isinstance(raw, property):
            return self._property(node, raw, text)
        if isinstance(raw, types.FunctionType) and not own:
            return self._bound(node, name, ((node,),), text)
        if isinstance(raw, staticmethod) and not own:
            return self._bound(node, name, (), text)
        if isinstance(raw, classmethod) and not own:
            return self._bound(node, name, ((),), text)
        if raw is MISSING and not own and hasattr(kind, "__getattr__"):
            if found_on(kind, "__getattr__")[1] in _ITEMS:
                return self.item(node, name)
            return self.opaque(node) if of_library(found_on(kind, "__getattr__")[0] or kind) else self._lost(node, text)
        if isinstance(raw, functools.cached_property) and not own:
            return self.opaque(node)
        if raw is not MISSING and not is_plain(raw) and (not own or hasattr(type(raw), "__set__")):
            return self.opaque(node) if owner is None or of_library(owner) else self._lost(node, text)
        return (self.place(node, "attr", name, text),)

    def _bound(self, node: int, name: str, first: tuple[Nodes, ...], text: str) -> Nodes:
        """A method: the function that the class has, which gets the owner as its first argument."""
        cls = self.place(node, "attr", "__class__", text)
        found = self.place(cls, "attr", name, text)
        if first == ((),):
            found = self.place(found, "attr", "__func__", text)
        self.owners[found] = first
        return (found,)

    def _property(self, node: int, raw: property, text: str) -> Nodes:
        """A property of the user's is followed like a method, and never run."""
        if not is_users(raw.fget):
            return self.opaque(node)
        cls = self.place(node, "attr", "__class__", text)
        getter = self.place(self.place(cls, "attr", text.rpartition(".")[2], text), "attr", "fget", text)
        self.owners[getter] = ((node,),)
        return self._follow(getter)

    def _lost(self, node: int, text: str) -> Nodes:
        self.unclear[text] = None
        return self.opaque(node)

    def item(self, node: int, key: Any) -> Nodes:
        """The places that `[key]` of what is at a place leads to."""
        value, text = self.values[node], f"{self.places[node].name}[{key!r}]"
        if is_container(value) and is_constant(key) and (isinstance(value, dict) or type(key) is int):
            return (self.place(node, "item", key, text),)
        if isinstance(value, dict) and type(value).__getitem__ is dict.__getitem__ and is_constant(key):
            return (self.place(node, "item", key, text),)
        method = found_on(type(value), "__getitem__")[1]
        return self._lost(node, text) if is_users(method) else self.opaque(node)


def is_constant(key: Any) -> bool:
    """True for a key whose comparison runs no code of the user's."""
    return isinstance(key, str | int | float | bytes | bool | types.NoneType | enum.Enum)
