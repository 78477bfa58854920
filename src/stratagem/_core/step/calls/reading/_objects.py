"""Visitors of objects of the user's, their classes and modules: of the attributes that the code at hand names."""

import argparse
import collections
import configparser
import functools
import optparse
import os
import sys
import threading
import types
from typing import Any

import keras

from stratagem._core.step.calls.reading._code import by_class, of_library
from stratagem._core.step.calls.reading._functions import users_function
from stratagem._core.step.calls.reading._keras import KERAS, settings, sublayers
from stratagem._core.step.calls.reading._leaf_values import by_identity
from stratagem._core.step.calls.reading._places import Place
from stratagem._core.step.calls.reading._walk import Path, Reachable, named

# Classes of Python's library whose objects only hold named values.
_VALUES: tuple[type, ...] = (
    types.SimpleNamespace,
    argparse.Namespace,
    optparse.Values,
    configparser.RawConfigParser,
    configparser.ConfigParser,
)
_VALUES += (
    configparser.SectionProxy,
    collections.UserDict,
    collections.UserList,
    collections.ChainMap,
    threading.Event,
    threading.local,
    type(os.environ),
)
_CHANGING_MODULES = ("random", "time", "secrets")
_MADE_BY_PYTHON = 1 << 9  # Py_TPFLAGS_HEAPTYPE
_MAX_ATTRIBUTES = 64  # of an object whose attributes may have any name
_IGNORED = {"__init__", "__new__", "__repr__", "__str__", "__del__", "__init_subclass__", "__reduce__", "__getstate__"}
_IGNORED |= {"__setstate__", "__copy__", "__deepcopy__", "__dir__", "__post_init__", "__replace__", "__setattr__"}
_CALLED = {"call", "train_step", "test_step", "predict_step", "compute_loss"}  # by Keras


def module(walk: Reachable, value: types.ModuleType, path: Path, place: Place | None) -> None:
    by_identity(walk, value, path, place)
    if of_library(value.__name__):
        return
    if value.__name__ in _CHANGING_MODULES:
        walk.unfollowed.append(path)
        return
    if walk.descends(value, path):
        _attributes(walk, vars(value), path)


def class_object(walk: Reachable, value: type, path: Path, place: Place | None) -> None:
    walk.held.append(value)
    for cls in value.__mro__:
        if is_followed(cls, walk.known.home) and cls not in walk.seen:
            walk.seen[cls] = len(walk.seen)
            _members(walk, cls, path)


def _members(walk: Reachable, cls: type, path: Path) -> None:
    """Visits a class's members whose names are read, and its special methods, which Python calls."""
    walk.depth += 1
    names = walk.known.names
    for name, raw in list(vars(cls).items()):
        special = name.startswith("__") and isinstance(raw, types.FunctionType) and name not in _IGNORED
        special = special and raw.__code__.co_filename != "<string>"  # not methods made by `dataclass`
        called = name in walk.known.called or name in _CALLED
        if special or name in names or (called and (callable(raw) or hasattr(type(raw), "__get__"))):
            found = _unwrapped(raw)
            if found is not None:
                walk.plain.append(name)
                _member(walk, found, (path, "attr", name), ("class", cls, name) if found is raw else None)
    walk.depth -= 1


def _member(walk: Reachable, found: Any, path: Path, place: Place | None) -> None:
    if type(found) is types.FunctionType:
        users_function(walk, found, path)  # also of an installed class, since the object is the user's
    elif isinstance(found, functools.partialmethod):
        walk.visit_made((found.func, found.args, found.keywords), path)
    else:
        walk.visit(found, path, place)


def _unwrapped(raw: Any) -> Any:
    """Returns a class's member, a method or property as its function; None for members that are stored in objects."""
    if isinstance(raw, staticmethod | classmethod):
        return raw.__func__
    if isinstance(raw, property):
        return raw.fget
    if isinstance(raw, functools.cached_property):
        return raw.func
    if isinstance(raw, types.FunctionType) and of_library(str(raw.__globals__.get("__name__", ""))):
        return vars(raw).get("__wrapped__", raw)  # a hook's function around the user's
    return None if isinstance(raw, types.MemberDescriptorType | types.GetSetDescriptorType) else raw


def object_of_users(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits any other object. One that only holds values counts by its contents, for such objects are often made again."""
    if _is_content(type(value)):
        walk.plain.append(type(value))
    else:
        walk.held.append(value)
    if not walk.descends(value, path):
        return
    own_attributes(walk, value, path)
    if issubclass(type(value), KERAS):
        settings(walk, value, path, users_class=True)
        sublayers(walk, vars(value), path)


def member(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a member of an enumeration, and its value, which may be mutable."""
    walk.held.append(value)
    if walk.descends(value, path):
        inner = vars(value).get("_value_")
        if type(inner) not in (int, str):
            walk.visit(inner, (path, "attr", "value"), None)
        own_attributes(walk, value, path)


def text(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a string of a class of the user's, which may have attributes."""
    base: Any = str if isinstance(value, str) else bytes
    walk.plain += (type(value), base.__str__(value))
    if walk.descends(value, path):
        own_attributes(walk, value, path)


def own_attributes(walk: Reachable, value: Any, path: Path) -> None:
    """Visits the attributes of the object itself, in its dict or slots, and those of its class."""
    kind = type(value)
    if not is_followed(kind, walk.known.home):
        return
    any_attribute, walk.any_attribute = walk.any_attribute, walk.any_attribute or _has_any_attribute(kind)
    own = _instance_dict(value)
    if own:
        _attributes(walk, own, path)
    for descriptor in _slots(kind, walk.known.home):
        if descriptor.__name__ in walk.known.names or walk.any_attribute or walk.known.dynamic:
            content = descriptor.__get__(value, kind) if _has(descriptor, value) else None
            walk.visit(content, (path, "attr", descriptor.__name__), ("slot", value, descriptor))
    walk.any_attribute = any_attribute
    class_object(walk, kind, path, None)


def _attributes(walk: Reachable, own: dict[str, Any], path: Path) -> None:
    all_of_them = walk.any_attribute or walk.known.dynamic
    if all_of_them and len(own) > _MAX_ATTRIBUTES:
        walk.unfollowed.append(path)
        return
    walk.depth += 1
    for name in list(own) if all_of_them else named(walk, own):
        walk.plain.append(name)
        walk.visit(own[name], (path, "attr", name), ("item", own, name))
    walk.depth -= 1


def _instance_dict(value: Any) -> dict[str, Any]:
    if type(value) is threading.local:
        return value.__dict__  # of the calling thread
    try:
        found = object.__getattribute__(value, "__dict__")
    except AttributeError:
        return {}
    return found if isinstance(found, dict) else {}


def _has(descriptor: Any, value: Any) -> bool:
    try:
        descriptor.__get__(value, type(value))
    except AttributeError:
        return False
    return True


@by_class
def _slots(kind: type, home: str) -> tuple[Any, ...]:
    """Returns the slots of a class: members that its objects store outside of a dict."""
    members = [m for cls in kind.__mro__ if is_followed(cls, home) for m in vars(cls).values()]
    return tuple(m for m in members if isinstance(m, types.MemberDescriptorType) and not m.__name__.startswith("__"))


@by_class
def _has_any_attribute(kind: type) -> bool:
    """Returns whether any name may be an attribute, wherever the object stores it, as in several configuration libraries."""
    return kind in _VALUES or (
        any({"__getattr__", "__getattribute__"} & vars(cls).keys() for cls in kind.__mro__ if cls is not object)
        and not (issubclass(kind, keras.Layer))
    )


@by_class
def _is_content(kind: type) -> bool:
    return kind in _VALUES or hasattr(kind, "__dataclass_fields__") or not kind.__weakrefoffset__


@by_class
def is_followed(kind: type, home: str) -> bool:
    """Returns whether objects of a class are followed: the user's classes, and library classes that only hold attributes."""
    package = kind.__module__.partition(".")[0]
    if package == home or kind in _VALUES:
        return True
    if package == "builtins":  # also the module of a class in code that `exec` runs without a module name
        return bool(kind.__flags__ & _MADE_BY_PYTHON)
    return not of_library(kind.__module__) and package not in sys.stdlib_module_names
