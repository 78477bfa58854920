"""A decorator that names the results of functions in a model_fn."""

import functools
import inspect
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import jax

from stratagem._ops import identity
from stratagem._tf1.graph._model_build import building_here

P = ParamSpec("P")
T = TypeVar("T")


def named(function: Callable[P, T]) -> Callable[P, T]:
    """Makes a function name its result in a model_fn by the argument `name`, as `tf.identity(x, name=...)` does."""
    signature = inspect.signature(function)
    if "name" not in signature.parameters or function is identity:  # `identity` names its result itself
        return function

    @functools.wraps(function)
    def naming(*args: P.args, **kwargs: P.kwargs) -> T:
        result = function(*args, **kwargs)
        building = building_here()
        if building is not None and isinstance(result, jax.Array):
            name = signature.bind(*args, **kwargs).arguments.get("name")
            if name is not None:
                building.name_tensor(name, result)
        return result

    return naming
