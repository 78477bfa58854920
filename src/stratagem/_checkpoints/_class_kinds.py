"""ClassFacts: of what kinds the objects of a class are to a checkpoint, found once a class.

A survey asks it of every attribute of every object, and what a class derives from does not change.
"""

import sys
import types
import weakref
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import keras

from stratagem._checkpoints._python_state import PythonState
from stratagem._checkpoints._special_parts import HostArray, Tracked
from stratagem._core.values import Module
from stratagem._ops.sampling import Generator
from stratagem._private import is_view

# Objects of these packages (a logger, an activation, a strategy) are not users' containers of variables, and their
# `get_state` does not return JSON (NumPy's generators).
_FOREIGN = (sys.stdlib_module_names - {"types"}) | {"jax", "jaxlib", "keras", "ml_dtypes", "numpy", "stratagem"}

_NO_OBJECTS = (type, types.ModuleType, types.FunctionType, types.BuiltinFunctionType, types.MethodType)


@dataclass(frozen=True, kw_only=True, slots=True)
class ClassFacts:
    """The facts about the objects of a class that a checkpoint asks for.

    variable: a Keras variable, a `tf.Variable` or a sharded one. keras_object: with variables of its own: a layer, metric,
    optimizer or seed generator. stateful: with a state to save. host_array: an array that no variable holds. savable: saved in
    its own right. container: a built-in one, whose members are its parts. module: a `tf.Module`. may_hold: what its attributes
    hold, if it has any, are its parts.
    """

    variable: bool
    keras_object: bool
    stateful: bool
    host_array: bool
    savable: bool
    container: bool
    module: bool
    may_hold: bool


_facts: weakref.WeakKeyDictionary[type, ClassFacts] = weakref.WeakKeyDictionary()


def class_facts(value: Any) -> ClassFacts:
    """Returns the facts about an object's class."""
    cls = type(value)
    found = _facts.get(cls)
    if found is None:
        found = _found(value)
        if value.__class__ is cls:  # else it is a proxy, and the next one may stand for something else
            _facts[cls] = found
    return found


def _found(value: Any) -> ClassFacts:
    cls: Any = type(value)
    package = cls.__module__.partition(".")[0]
    methods = (getattr(cls, name, None) for name in ("get_state", "set_state"))
    has_methods = all(map(callable, methods)) and package not in _FOREIGN - {"stratagem"}
    variable = isinstance(value, keras.Variable) or is_view(value)
    keras_object = isinstance(
        value, keras.Layer | keras.Metric | keras.optimizers.Optimizer | keras.random.SeedGenerator
    )
    stateful = isinstance(value, PythonState) or has_methods
    host_array = isinstance(value, HostArray)
    return ClassFacts(
        variable=variable,
        keras_object=keras_object,
        stateful=stateful,
        host_array=host_array,
        savable=isinstance(value, Tracked | Generator) or host_array or variable or keras_object or stateful,
        container=isinstance(value, list | tuple | Mapping),
        module=isinstance(value, Module),
        may_hold=package not in _FOREIGN and not isinstance(value, _NO_OBJECTS),
    )
