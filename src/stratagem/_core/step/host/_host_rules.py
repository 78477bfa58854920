"""HostRules and HostExamples: what a trace does where the code that it traces calls functions of the host."""

import operator
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, final

import numpy as np

from stratagem._base.types import UserFunction
from stratagem._core.step.keys._host_values import HostValue


def _itself(function: UserFunction) -> UserFunction:
    return function


@final
@dataclass(frozen=True)
class HostRules:
    """The rules of a trace for functions of the host: as they are by default, it knows the values of one call.

    fits: whether a tracer's shape is that of a result; some of a trace's sizes may be unknown.
    called: returns what is called in place of a function, where values are mere examples of their kinds.
    sizes: of strings, by their name, where they are unknown.
    late: whether functions may be called with what the program computes, after it has run; they make strings of it.
    late_examples: values for what the program computes, by their number, if they are known.
    """

    fits: Callable[[Sequence[Any], Sequence[Any]], bool] = operator.eq
    called: Callable[[UserFunction], UserFunction] = _itself
    sizes: Mapping[HostValue, Sequence[Any]] = field(default_factory=dict)
    late: bool = False
    late_examples: Sequence[np.ndarray] = ()


AS_CALLED: Final = HostRules()


@final
@dataclass(frozen=True)
class HostExamples:
    """The rules of a trace with examples of strings.

    called: returns the function to call instead of one of the host, in the run with this number. strings: makes a tensor of
    an array of strings.
    """

    called: Callable[[UserFunction, int], UserFunction]
    strings: Callable[[np.ndarray], Any]


def open_fits(traced: Sequence[Any], shape: Sequence[Any]) -> bool:
    """Returns whether a shape is one that a tracer stands for, some of whose sizes are symbols."""
    return len(traced) == len(shape) and all(
        not isinstance(size, int) or size == found for size, found in zip(traced, shape, strict=True)
    )
