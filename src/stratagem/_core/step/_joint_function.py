"""JointFunction: a host function that makes the results of many calls at once faster than one after another."""

import functools
from collections.abc import Callable
from typing import Any, Generic, ParamSpec, TypeVar, final

P = ParamSpec("P")
T = TypeVar("T")


@final
class JointFunction(Generic[P, T]):
    """A function of a tensor that has a form for many of them, stacked, with the same other arguments.

    function: of one tensor, the first argument. stacked: takes the tensors as rows of one, and returns the results stacked, every
    leaf; None if the other arguments make that impossible for any rows. It raises for rows that must be gone through one by one.
    """

    def __init__(self, function: Callable[P, T], stacked: Callable[..., Any]) -> None:
        self.function, self.stacked = function, stacked
        functools.update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Returns the result of one call."""
        return self.function(*args, **kwargs)


def joint(stacked: Callable[..., Any]) -> Callable[[Callable[P, T]], JointFunction[P, T]]:
    """Gives a function that is decorated by it the form `stacked` for many calls, see `JointFunction`."""
    return lambda function: JointFunction(function, stacked)
