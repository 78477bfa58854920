"""Functions of the host, which a step's recorder records where there is one: `host_function` and its variants."""

import functools
import operator
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar, final

from stratagem._base.types import UserFunction
from stratagem._core.context import current

P = ParamSpec("P")
T = TypeVar("T")


@final
class NothingKnown:
    """Instead of a PrefixRecorder, for traces that are no step's: they know no value, so functions are called as they are."""

    def called(self, function: UserFunction, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Calls the function."""
        return function(*args, **kwargs)

    called_if_needed = called_once = called

    def size(self, tracer: Any) -> None:
        """Returns None: the value is not known."""


def host_function_if_needed(function: Callable[P, T]) -> Callable[P, T]:
    """Makes a function that sometimes needs the values of its arguments a host function where it does, and for strings.

    In a step it computes in the program if it can: the row lengths of a ragged tensor may decide about shapes, for example.
    """
    return _by_recorder(function, operator.attrgetter("prefix.called_if_needed"))


def host_function(function: Callable[P, T]) -> Callable[P, T]:
    """Makes a function that needs the values of its arguments, strings for example, a host function.

    In a step that is being traced it computes with the values of the traced call, and from then on before every run of the
    step's program. That is possible as long as its tensors are arguments of the step, elements drawn for it, or results of
    other host functions; for others, which the step computes, it is called as everywhere.
    """
    return _by_recorder(function, operator.attrgetter("prefix.called"))


def pure_host_function(function: Callable[P, T]) -> Callable[P, T]:
    """The same for a function of nothing but its arguments, which a step calls once however often its code does.

    The same are tensors that the step takes in the same place, or makes of such by such a function, and equal constants.
    """
    return _by_recorder(function, operator.attrgetter("prefix.called_once"))


def _by_recorder(function: Callable[P, T], called: Callable[[Any], Callable[..., Any]]) -> Callable[P, T]:
    """Returns the function as a step's recorder calls it, where there is one. called: its method."""

    @functools.wraps(function)
    def calling(*args: P.args, **kwargs: P.kwargs) -> T:
        recorder = current().recorder
        return function(*args, **kwargs) if recorder is None else called(recorder)(function, args, kwargs)

    return calling
