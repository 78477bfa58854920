"""The table of programs whose step reads values that change between calls; they run with TensorFlow and with Stratagem alike.

Each makes a step of one tensor and a function that sets what the step reads to a number.
"""

from collections.abc import Callable
from typing import Any

VALUES = (1.0, 5.0, 2.0, 2.0, 7.0)
Case = tuple[Callable[[Any], Any], Callable[[float], None]]
PROGRAMS: dict[str, Callable[[Any], Case]] = {}


def program(make: Callable[[Any], Case]) -> Callable[[Any], Case]:
    """Add a program to the table."""
    PROGRAMS[make.__name__] = make
    return make


class Thing:
    """Something with attributes."""

    kind = 0.0

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)
