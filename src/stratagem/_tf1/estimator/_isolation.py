"""Running an Estimator apart from the strategy's scope that the program may be in: its strategies are in its RunConfig."""

import contextvars
import dataclasses
import functools
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

from stratagem._core.context import assign, current, entered

_OUTSIDE: dict[str, Any] = {"strategy": None, "replica": None, "crossing": False, "graph": None}

F = TypeVar("F", bound=Callable[..., Any])


def isolated(function: F) -> F:
    """The function, run outside of every scope, and of a model that a hook may be beginning with."""

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        with entered(**_OUTSIDE):
            return function(*args, **kwargs)

    return cast(F, run)


def generated_isolated(function: F) -> F:
    """The generator function, whose code runs outside of every scope; whoever takes what it yields stays in theirs."""

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
