"""Visitors of Keras objects: of the settings that they were made with, and of sublayers."""

import inspect
import operator
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import keras

from stratagem._core.step.calls.reading._code import by_class, of_library
from stratagem._core.step.calls.reading._functions import is_users
from stratagem._core.step.calls.reading._leaf_values import by_identity, by_value, number
from stratagem._core.step.calls.reading._places import Place
from stratagem._core.step.calls.reading._walk import Path, Reachable, named

KERAS: tuple[type, ...] = (
    keras.Layer,
    keras.Loss,
    keras.Regularizer,
    keras.constraints.Constraint,
    keras.optimizers.schedules.LearningRateSchedule,
)
_MAX_SETTINGS = 8192


def object_of_keras(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a Keras object: its settings, attributes that the user has added, and its layers."""
    walk.held.append(value)
    own = vars(value)
    known = walk.known.settings.get(id(value))
    if known is not None and not (walk.named or walk.after or walk.changed) and known.noted(walk, value, own):
        sublayers(walk, own, path)
    elif walk.descends(value, path):
        settings(walk, value, path)
        sublayers(walk, own, path)


@dataclass(frozen=True)
class _CachedSettings:
    """The settings of a Keras object at the last visit, if they are plain values. Most objects that a walk meets are such.

    size: the number of its attributes. get: returns the settings from these. held, plain: what the visit noted. numbers:
    position and name of each.
    """

    owner: "weakref.ref[Any]"
    size: int
    get: Callable[[dict[str, Any]], tuple[Any, ...]]
    values: tuple[Any, ...]
    held: list[Any]
    plain: list[Any]
    numbers: tuple[tuple[int, str], ...]

    def noted(self, walk: Reachable, value: Any, own: dict[str, Any]) -> bool:
        """Notes the same as the last visit, if this is the same object with the same settings; else returns False."""
        if self.owner() is not value or len(own) != self.size:
            return False
        try:
            values = self.get(own)
        except KeyError:
            return False
        if values != self.values:
            return False
        walk.held += self.held
        walk.plain += self.plain
        for position, name in self.numbers:
            walk.numbers.append(values[position])
            walk.places.append(("item", own, name))
        return True


def settings(walk: Reachable, value: Any, path: Path, *, users_class: bool = False) -> None:
    """Visits an object's settings. users_class: attributes that the code reads are visited elsewhere."""
    own = vars(value)
    read = named(walk, own)
    names = [name for name in _parameters(type(value)) if name in own and not (users_class and name in read)]
    names += [] if users_class else [name for name in read if name not in names]
    before = len(walk.held), len(walk.plain)
    for name in names:
        walk.plain.append(name)
        walk.visit(own[name], (path, "attr", name), ("item", own, name))
    if len(names) > 1 and not users_class and all(_is_leaf(walk, own[name]) for name in names):
        get = operator.itemgetter(*names)
        held, plain = walk.held[before[0] :], walk.plain[before[1] :]
        numbers = tuple((i, name) for i, name in enumerate(names) if type(own[name]) in (int, float))
        if len(walk.known.settings) > _MAX_SETTINGS:
            walk.known.settings.clear()
        found = _CachedSettings(weakref.ref(value), len(own), get, get(own), held, plain, numbers)
        walk.known.settings[id(value)] = found


def sublayers(walk: Reachable, own: dict[str, Any], path: Path) -> None:
    """Visits the layers of a layer with these attributes."""
    if layers := own.get("_layers"):
        walk.depth += 1
        for layer in layers:
            inner = (path, "attr", str(vars(layer).get("_name"))) if walk.named or walk.after else path
            walk.visitor_of(layer)(walk, layer, inner, None)
        walk.depth -= 1


def _is_leaf(walk: Reachable, value: Any) -> bool:
    visitor = walk.visitor_of(value)
    return visitor in (by_value, number, by_identity) or (
        type(value) is types.FunctionType and not is_users(walk, value)
    )


@by_class
def _parameters(kind: type) -> tuple[str, ...]:
    """Returns the constructor parameters of an object's Keras class, except for names and types, which have no effect later."""
    excluded = {"name", "dtype", "args", "kwargs", "inputs", "outputs", "layers", "trainable", "seed"}
    cls = next((c for c in kind.__mro__ if of_library(c.__module__)), object)
    parameters = inspect.signature(cls).parameters
    taken = tuple(p for p in parameters if p not in excluded and not p.endswith("_initializer"))
    return (*taken, "_trainable") if issubclass(kind, keras.Layer) else taken
