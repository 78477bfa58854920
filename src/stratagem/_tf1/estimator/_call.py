"""Calls of the user's two functions, input_fn and model_fn, with those arguments that they take."""

import functools
import inspect
import logging
from collections.abc import Callable
from typing import Any

_log = logging.getLogger("stratagem.estimator")

_OF_MODEL_FN = ("features", "labels", "mode", "params", "config")


def argument_names(function: Callable[..., Any]) -> set[str]:
    """Returns the names of the arguments that a function takes by name, except those that a `functools.partial` has bound."""
    given: set[str] = set()
    while isinstance(function, functools.partial):
        given |= function.keywords.keys() | set(list(inspect.signature(function.func).parameters)[: len(function.args)])
        function = function.func
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return {name for name, p in inspect.signature(function).parameters.items() if p.kind in kinds} - given


def check_model_fn(model_fn: Callable[..., Any], params: Any) -> None:
    """Raises ValueError unless a model_fn takes the arguments that it is called with."""
    names = argument_names(model_fn)
    if "features" not in names:
        raise ValueError(f"model_fn ({model_fn}) must include features argument. Its arguments are {sorted(names)}.")
    if params is not None and "params" not in names:
        raise ValueError(
            f"model_fn ({model_fn}) does not include params argument, but params ({params}) is passed to Estimator."
        )
    if params is None and "params" in names:
        _log.warning(
            "Estimator's model_fn (%s) includes params argument, but params are not passed to Estimator.", model_fn
        )
    unknown = sorted(names - set(_OF_MODEL_FN))
    if unknown:
        raise ValueError(
            f"model_fn ({model_fn}) has following not expected args: {unknown}. It may have {', '.join(_OF_MODEL_FN)}."
        )


def call_with(function: Callable[..., Any], **values: Any) -> Any:
    """Calls `function` with those of the values that it takes."""
    names = argument_names(function)
    return function(**{name: value for name, value in values.items() if name in names})
