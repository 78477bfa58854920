"""Runs Estimators outside of the strategy scope that the program may be in: their strategies are those of RunConfig."""

import contextvars
import functools
from collections.abc import Callable, Iterator
from typing import Any, ParamSpec, TypeVar

from stratagem._core.context import change, entered

_OUTSIDE: dict[str, Any] = {"strategy": None, "replica": None, "crossing": False, "graph": None}

P = ParamSpec("P")
T = TypeVar("T")


def isolated(function: Callable[P, T]) -> Callable[P, T]:
    """Makes a function run outside of every strategy scope, and outside of a model_fn whose hook may have called it."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> T:
        with entered(**_OUTSIDE):
            return function(*args, **kwargs)

    return run


def generated_isolated(function: Callable[P, Iterator[T]]) -> Callable[P, Iterator[T]]:
    """Makes a generator function run outside of every scope, while its consumer stays in the consumer's scopes."""

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> Iterator[T]:
        context = contextvars.copy_context()
        made: Any = function(*args, **kwargs)
        context.run(change, **_OUTSIDE)
        end: Any = object()
        try:
            while (value := context.run(next, made, end)) is not end:
                yield value
        finally:
            context.run(made.close)

    return run
