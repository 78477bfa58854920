"""Functions whose results have names in a model_fn."""

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import jax

from stratagem._core.context import current
from stratagem._ops import identity

P = ParamSpec("P")
T = TypeVar("T")


def named(function: Callable[P, T]) -> Callable[P, T]:
    """The function, but in a model_fn its result is found by the `name` that it is given, as by `tf.identity(x, name=...)`."""
    signature = inspect.signature(function)
    if "name" not in signature.parameters or function is identity:  # which does it itself
        return function

    @functools.wraps(function)
    def naming(*args: P.args, **kwargs: P.kwargs) -> T:
        result = function(*args, **kwargs)
        building = current().graph
        if building is not None and isinstance(result, jax.Array):
            name = signature.bind(*args, **kwargs).arguments.get("name")
            if name is not None:
                building.name_tensor(name, result)
        return result

    return naming
