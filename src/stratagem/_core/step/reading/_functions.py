"""Walks through functions: their code, and what their closures, defaults and globals have."""

import contextlib
import functools
import sys
import types
from typing import Any

from stratagem._core.step.reading._code import CodeNames, names_of, of_user
from stratagem._core.step.reading._places import Place
from stratagem._core.step.reading._values import by_identity
from stratagem._core.step.reading._walk import Path, Reachable, named


def partial(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    walk.visit(value.func, path, None)
    walk.visit(value.args, path, None)
    walk.visit(value.keywords, path, None)


def method(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    walk.visit(value.__func__, path, None)
    walk.visit(value.__self__, (None, "name", "self"), None)


def builtin(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A function or a method of an object of C's: of a list's, `append` for example."""
    owner = getattr(value, "__self__", None)
    if isinstance(owner, types.ModuleType | None):
        by_identity(walk, value, path, place)
    else:
        walk.plain.append(value.__name__)
        walk.visit(owner, path, None)


def decorated(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """What tf.function has made: it keeps what it was traced with."""
    walk.held.append(value)


def function(walk: Reachable, value: types.FunctionType, path: Path, place: Place | None) -> None:
    """Another function of the same code, which reads the same, is the same; one of a library's for what it wraps."""
    if not is_users(walk, value):
        by_identity(walk, value, path, place)
        if (value.__closure__ or value.__dict__) and walk.descends(value, path):
            _wrapped(walk, value, path)
        return
    users_function(walk, value, path)


def users_function(walk: Reachable, value: types.FunctionType, path: Path) -> None:
    """One whose code is the user's, or of a class that is part of the user's."""
    code = value.__code__
    walk.held.append(code)
    if not walk.descends(value, path):
        return
    if code not in walk.known.codes:
        walk.fresh.append(code)
    own = value.__dict__
    if own:
        walk.into([(name, own[name]) for name in named(walk, own)], path, "attr", own)
    for position, default in enumerate(value.__defaults__ or ()):
        walk.visit(default, (path, "default", position), None)
    if value.__kwdefaults__:
        walk.into(list(value.__kwdefaults__.items()), path, "default", value.__kwdefaults__)
    walk.depth += 1
    for name, cell in zip(code.co_freevars, value.__closure__ or (), strict=True):
        try:
            content = cell.cell_contents
        except ValueError:  # a name that is assigned later
            walk.plain.append(name)
        else:
            walk.visit(content, (None, "name", name), ("cell", cell, None))
    _globals(walk, value.__globals__, names_of(code))
    walk.depth -= 1


def _wrapped(walk: Reachable, value: types.FunctionType, path: Path) -> None:
    """Functions of the user's that a library's function has in its closure: it may be a decorator's."""
    inner = value.__dict__.get("__wrapped__")
    if isinstance(inner, types.FunctionType | types.MethodType):
        walk.visit(inner, path, None)
    for cell in value.__closure__ or ():
        with contextlib.suppress(ValueError):  # it is assigned later
            content = cell.cell_contents
            if isinstance(content, types.FunctionType | types.MethodType | functools.partial):
                walk.visit(content, path, None)


def wrapper(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """A callable of a library's that has a function of the user's: `functools.lru_cache`, `jax.jit`."""
    by_identity(walk, value, path, place)
    found = getattr(value, "__wrapped__", None)
    if isinstance(found, types.FunctionType | types.MethodType) and walk.descends(value, path):
        walk.visit(found, path, None)


def is_users(walk: Reachable, function: types.FunctionType) -> bool:
    return of_user(function.__code__, str(function.__globals__.get("__name__", "")), walk.known.home)


def _globals(walk: Reachable, namespace: dict[str, Any], names: CodeNames) -> None:
    for name in names.globals:
        key = (id(namespace), name)
        if key not in walk.seen:
            walk.seen[key] = len(walk.seen)
            if name in namespace:
                walk.visit(namespace[name], (None, "name", name), ("item", namespace, name))
            else:
                walk.plain.append(name)  # Python's own: a global of that name would take its place
    for name in names.imports:
        if name in sys.modules:
            walk.visit(sys.modules[name], (None, "name", name), None)
