"""Runs Estimators outside of the strategy scope that the program may be in: their strategies are those of RunConfig."""

import contextvars
import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from stratagem._core.context import assign, current, entered

_OUTSIDE: dict[str, Any] = {"strategy": None, "replica": None, "crossing": False, "graph": None}

F = TypeVar("F", bound=Callable[..., Any])


def isolated(function: F) -> F:
    """Makes a function run outside of every strategy scope, and outside of a model_fn whose hook may have called it."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with entered(**_OUTSIDE):
            return function(*args, **kwargs)

    return cast(F, run)


def generated_isolated(function: F) -> F:
    """Makes a generator function run outside of every scope, while its consumer stays in the consumer's scopes."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Iterator[Any]:
        context, made = contextvars.copy_context(), function(*args, **kwargs)
        context.run(assign, dataclasses.replace(current(), **_OUTSIDE))
        end = object()
        try:
            while (value := context.run(next, made, end)) is not end:
                yield value
        finally:
            context.run(made.close)

    return cast(F, run)
