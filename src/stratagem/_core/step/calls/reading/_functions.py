"""Visitors of functions: of their code, captured variables, defaults and globals."""

import contextlib
import functools
import sys
import types
from typing import Any

from stratagem._core.step.calls.reading._code import CodeNames, names_of, of_user
from stratagem._core.step.calls.reading._leaf_values import by_identity
from stratagem._core.step.calls.reading._places import Place
from stratagem._core.step.calls.reading._walk import Path, Reachable, named


def partial(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    walk.visit(value.func, path, None)
    walk.visit(value.args, path, None)
    walk.visit(value.keywords, path, None)


def method(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    walk.visit(value.__func__, path, None)
    walk.visit(value.__self__, (None, "name", "self"), None)


def builtin(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a function or method written in C, such as `append` of a list."""
    owner = getattr(value, "__self__", None)
    if isinstance(owner, types.ModuleType | None):
        by_identity(walk, value, path, place)
    else:
        walk.plain.append(value.__name__)
        walk.visit(owner, path, None)


def decorated(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Notes a tf.function by identity: its trace stays valid whatever its Python reads."""
    walk.held.append(value)


def function(walk: Reachable, value: types.FunctionType, path: Path, place: Place | None) -> None:
    """Visits a function of the user's; a library's counts by identity, except for functions of the user's that it wraps.

    Two functions with the same code that read the same values count as equal.
    """
    if not is_users(walk, value):
        by_identity(walk, value, path, place)
        if (value.__closure__ or value.__dict__) and walk.descends(value, path):
            _wrapped(walk, value, path)
        return
    users_function(walk, value, path)


def users_function(walk: Reachable, value: types.FunctionType, path: Path) -> None:
    """Visits a function whose code is the user's, or belongs to a class that the user has derived from."""
    code = value.__code__
    walk.held.append(code)
    if not walk.descends(value, path):
        return
    if code not in walk.known.codes:
        walk.new_codes.append(code)
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
        except ValueError:  # an empty cell, of a name that is assigned later
            walk.plain.append(name)
        else:
            walk.visit(content, (None, "name", name), ("cell", cell, None))
    _globals(walk, value.__globals__, names_of(code))
    walk.depth -= 1


def _wrapped(walk: Reachable, value: types.FunctionType, path: Path) -> None:
    """Visits functions of the user's that a library's function captures: it may have been made by a decorator."""
    inner = value.__dict__.get("__wrapped__")
    if isinstance(inner, types.FunctionType | types.MethodType):
        walk.visit(inner, path, None)
    for cell in value.__closure__ or ():
        with contextlib.suppress(ValueError):  # an empty cell, of a name that is assigned later
            content = cell.cell_contents
            if isinstance(content, types.FunctionType | types.MethodType | functools.partial):
                walk.visit(content, path, None)


def wrapper(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a library's callable that wraps a function of the user's, for example by `functools.lru_cache` or `jax.jit`."""
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
                walk.plain.append(name)  # a builtin name, which a new global of that name would hide
    for name in names.imports:
        if name in sys.modules:
            walk.visit(sys.modules[name], (None, "name", name), None)
