"""Inspection of conversions, by the functions of `tf.autograph`: what became of a function, and what stayed as it is."""

import logging
import sys
from typing import Any

from stratagem._autograph._calls import code_of, converted
from stratagem._base.exports import exported
from stratagem._base.types import UserFunction
from stratagem._core.step import Function

_LOGGER = logging.getLogger("stratagem.autograph")


@exported("autograph.to_code")
def to_code(entity: UserFunction, recursive: object = True, experimental_optional_features: object = None) -> str:
    """Returns the text of what AutoGraph makes of a function.

    Raises ValueError for a function that cannot be converted: one without source, for example.
    """
    return code_of(entity)


@exported("autograph.to_graph")
def to_graph(
    entity: UserFunction, recursive: object = True, experimental_optional_features: object = None
) -> UserFunction:
    """Returns the function as one that converts itself where it is traced."""
    python_function: Any = entity.python_function if isinstance(entity, Function) else entity
    return converted(python_function)


@exported("autograph.set_verbosity")
def set_verbosity(level: int, alsologtostdout: bool = False) -> None:
    """Lets AutoGraph log (logger `stratagem.autograph`) which functions it could not convert: with any level above 0."""
    _LOGGER.setLevel(logging.DEBUG if level else logging.NOTSET)
    if alsologtostdout and not _LOGGER.handlers:
        _LOGGER.addHandler(logging.StreamHandler(sys.stdout))


@exported("autograph.trace")
def trace(*args: Any) -> None:
    """Prints its arguments when a function is traced, and not when the program runs."""
    print(*args)
