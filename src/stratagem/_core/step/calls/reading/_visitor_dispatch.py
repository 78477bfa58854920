"""Dispatches the values of a walk to the visitors of their types."""

import array
import collections
import contextvars
import datetime
import decimal
import enum
import fractions
import functools
import operator
import pathlib
import types
import uuid
import weakref
from collections.abc import Sequence
from typing import Any

import jax
import keras
import numpy as np

from stratagem._core.numbers import FloatNumber, IntNumber
from stratagem._core.step.calls._function import Function
from stratagem._core.step.calls.reading import _containers, _functions, _keras, _leaf_values, _objects
from stratagem._core.step.calls.reading._code import by_class, of_library
from stratagem._core.step.calls.reading._places import Place
from stratagem._core.step.calls.reading._walk import Path, Reachable, Visitor
from stratagem._core.values import TensorShape
from stratagem._private import KerasVariable


def optimizer(walk: Reachable, value: Any, path: Path, place: Place | None) -> None:
    """Visits a schedule's settings; the optimizer's own are checked by the program (`_core/step/_settings`)."""
    walk.held.append(value)
    schedule = vars(value).get("_learning_rate")
    if isinstance(schedule, keras.optimizers.schedules.LearningRateSchedule):
        walk.visit(schedule, (path, "attr", "learning_rate"), None)
    if not of_library(type(value).__module__) and walk.descends(value, path):
        _objects.own_attributes(walk, value, path)


_EXACT: dict[type, Visitor] = {
    float: _leaf_values.number,
    int: _leaf_values.number,
    complex: _leaf_values.number,
    slice: _leaf_values.slice_object,
    np.ndarray: _leaf_values.array,
    FloatNumber: _leaf_values.being_traced,
    IntNumber: _leaf_values.being_traced,
    dict: _containers.dictionary,
    list: _containers.sequence,
    collections.deque: _containers.sequence,
    tuple: _containers.fixed_sequence,
    set: _containers.unordered,
    frozenset: _containers.unordered,
    types.FunctionType: _functions.function,
    types.MethodType: _functions.method,
    types.BuiltinFunctionType: _functions.builtin,
    functools.partial: _functions.partial,
    Function: _functions.decorated,
    types.ModuleType: _objects.module,
    str: _leaf_values.by_value,
    bytes: _leaf_values.by_value,
    range: _leaf_values.by_text,
    TensorShape: _leaf_values.by_text,
    bytearray: _leaf_values.buffer,
    array.array: _leaf_values.buffer,
    weakref.ref: _leaf_values.reference,
    types.MappingProxyType: _containers.view,
    type({}.keys()): _containers.view,
    type({}.values()): _containers.view,
    type({}.items()): _containers.view,
}
_IMMUTABLE: tuple[type, ...] = (
    bool,
    type(None),
    types.EllipsisType,
    np.dtype,
    datetime.date,
    datetime.time,
    datetime.timedelta,
)
_IMMUTABLE += (decimal.Decimal, fractions.Fraction, pathlib.PurePath, uuid.UUID)

_KINDS: tuple[tuple[Any, Visitor], ...] = (
    (enum.Enum, _objects.member),
    ((str, bytes), _objects.text),
    (_IMMUTABLE, _leaf_values.by_value),
    ((jax.Array, KerasVariable), _leaf_values.tensor),
    ((np.ndarray, np.generic), _leaf_values.array),
    (contextvars.ContextVar, _leaf_values.context_variable),
    ((operator.attrgetter, operator.itemgetter, operator.methodcaller), _leaf_values.getter),
    (types.ModuleType, _objects.module),
    (type, _objects.class_object),
    (keras.optimizers.Optimizer, optimizer),
    (dict, _containers.dictionary),
    (tuple, _containers.fixed_sequence),
    ((list, collections.deque), _containers.sequence),
    ((set, frozenset), _containers.unordered),
    ((int, float, complex), _leaf_values.number),
)


# Arguments with these visitors are inputs of the program, or parts of it, as they are.
_ARGUMENTS = (
    _leaf_values.by_value,
    _leaf_values.tensor,
    _leaf_values.array,
    _leaf_values.by_identity,
    _leaf_values.iterator,
    _functions.wrapper,
)


@by_class
def visitor_of(kind: type, home: str) -> Visitor:
    """Returns the visitor for objects of this type. home: the package of the step, which is the user's."""
    if kind in _EXACT:
        return _EXACT[kind]
    for classes, visitor in _KINDS:
        if issubclass(kind, classes):
            return visitor
    if of_library(kind.__module__) and issubclass(kind, _keras.KERAS):
        return _keras.object_of_keras
    if hasattr(kind, "__next__"):
        return _leaf_values.iterator
    if _objects.is_followed(kind, home):
        return _objects.object_of_users
    return _functions.wrapper if hasattr(kind, "__call__") else _leaf_values.by_identity  # noqa: B004  # no instance is at hand


def visit_arguments(walk: Reachable, leaves: Sequence[Any]) -> set[int]:
    """Visits those arguments of a call that contain something to read; returns their positions."""
    found = set()
    for i, value in enumerate(leaves):
        visitor = walk.visitor_of(value)
        if type(value) in (int, float) or (visitor is not _leaf_values.number and visitor not in _ARGUMENTS):
            found.add(i)
            walk.visit(value, (None, "name", f"argument {i}"), ("argument", None, i))
    return found
