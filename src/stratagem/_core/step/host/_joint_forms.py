"""The joint forms of host functions: how they make the results of many calls at once, faster than one after another."""

from collections.abc import Callable
from typing import ParamSpec, TypeVar

from stratagem._base.types import UserFunction

P = ParamSpec("P")
T = TypeVar("T")

_FORMS: dict[UserFunction, UserFunction] = {}


def joint(form: UserFunction) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Gives the function that it decorates a form for many tensors as its first argument, with the same other arguments.

    form: takes the tensors as rows of one, and returns the results stacked, every leaf; None if the other arguments make that
    impossible for any rows. It raises for rows that must be taken one by one.
    """

    def decorated(function: Callable[P, T]) -> Callable[P, T]:
        _FORMS[function] = form
        return function

    return decorated


def entrywise(function: Callable[P, T]) -> Callable[P, T]:
    """Declares a function to make of each entry of its first argument, alone, an entry of its result: rows are more entries."""
    _FORMS[function] = function
    return function


def joint_form(function: UserFunction) -> UserFunction | None:
    """Returns the form of a function, or of a method of some object, for many tensors; None if it has none."""
    plain = getattr(function, "__func__", function)
    form = _FORMS.get(plain)
    return function if form is plain else form
