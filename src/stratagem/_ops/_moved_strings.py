"""Functions that only move entries, or tell whether they are equal, on strings: they work on numbers in their place.

A string never enters a program of JAX. `moves_strings` gives each string of a call a number (0 is the empty one), calls the
function with the numbers at once, on the host's side of any trace, and puts strings back in place of its numbers.
"""

import functools
import inspect
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.step import TracedStrings, host_function
from stratagem._ops._convert import is_tensor, is_traced, need_value, on_device, on_host
from stratagem._private import OutsideOfTraces

P = ParamSpec("P")
T = TypeVar("T")


def moves_strings(*parameters: str, compares: bool = False) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Makes a function accept strings for `parameters`, whose entries it moves or, if it `compares`, tests for equality.

    The decorated function raises InvalidArgumentError for a tensor of numbers beside strings, and TypeError for Python's
    and NumPy's numbers, as TensorFlow does. It needs all values: for a traced one the
    function around it goes on in Python, or raises TracedDecisionError in a replica's step.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        signature = inspect.signature(function)
        name = function.__name__
        places = [(list(signature.parameters).index(p), p) for p in parameters]

        @functools.wraps(function)
        def moving(*args: P.args, **kwargs: P.kwargs) -> T:
            given = [args[place] if place < len(args) else kwargs.get(key) for place, key in places]
            if not any(map(_has_strings, given)):
                return function(*args, **kwargs)
            return with_strings(*args, **kwargs)

        @host_function
        @functools.wraps(function)
        def with_strings(*args: P.args, **kwargs: P.kwargs) -> T:
            bound = signature.bind(*args, **kwargs)
            if is_traced(list(bound.arguments.values())):
                need_value(f"tf.{name} of strings, which stay on the host, depends on it")
            numbers = {b"": 0}
            for parameter in parameters:
                # What is left to the default, as the 0 of tf.pad, is the number of the empty string.
                default = signature.parameters[parameter].default
                if bound.arguments.get(parameter, default) is not default:
                    bound.arguments[parameter] = _numbered(bound.arguments[parameter], numbers, name)
            with OutsideOfTraces():
                result = function(*bound.args, **bound.kwargs)
            return result if compares else _strings_of(result, list(numbers))

        return moving

    return decorate


def _has_strings(value: Any) -> bool:
    """Returns whether an argument holds strings, by its first entry."""
    while isinstance(value, list | tuple) and value:
        value = value[0]
    if isinstance(value, np.ndarray | np.generic | TracedStrings):
        return value.dtype.kind in "OSU"
    return isinstance(value, str | bytes)


def _numbered(value: Any, numbers: dict[bytes, int], name: str) -> Any:
    """The argument with a number for each string; lists stay lists, whose rows may differ in length."""
    if isinstance(value, list | tuple):
        return [_numbered(each, numbers, name) for each in value]
    if not _has_strings(value):
        kind = InvalidArgumentError if is_tensor(value) else TypeError
        raise kind(f"tf.{name} takes strings alone or numbers alone, got {value!r:.100} with strings.")
    array = on_host(value, "string")
    flat = [numbers.setdefault(each, len(numbers)) for each in array.ravel().tolist()]
    return np.array(flat, np.int32).reshape(array.shape)


def _strings_of(result: Any, table: list[bytes]) -> Any:
    if isinstance(result, list | tuple):
        return [_strings_of(each, table) for each in result]
    places = np.asarray(result)
    flat = np.empty(places.size, dtype=object)
    flat[:] = [table[place] for place in places.ravel().tolist()]
    return on_device(flat.reshape(places.shape))
