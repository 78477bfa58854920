"""Wrappers of functions that other functions make, with a name, a docstring and a signature of their own."""

import functools
import inspect
from collections.abc import Callable
from typing import Any, TypeVar

F = TypeVar("F", bound=Callable[..., Any])
R = TypeVar("R")


def titled(function: F, name: str, doc: str | None) -> F:
    """Gives a function a name and a docstring, and returns it."""
    function.__name__ = function.__qualname__ = name
    function.__doc__ = doc
    return function


def extended(function: Callable[..., Any], call: Callable[..., R]) -> Callable[..., R]:
    """Returns a function with the name and docstring of `function`, which takes its arguments and additional ones.

    call: takes the arguments for `function` as a tuple, then the additional ones. Its result is that of the returned
        function.
    """
    own, (_, *last) = inspect.signature(function), inspect.signature(call).parameters.values()
    result = inspect.signature(call).return_annotation
    signature = inspect.Signature([*own.parameters.values(), *last], return_annotation=result)

    @functools.wraps(function)
    def made(*args: Any, **kwargs: Any) -> R:
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        return call(given.args[: -len(last)], *given.args[-len(last) :])

    made.__signature__ = signature  # type: ignore[attr-defined]
    return made
