"""Naming: the names that a format of checkpoints has for the parts of objects."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem._checkpoints._children import parts_of


def _no_slots(value: Any) -> Iterator[tuple[str, Any, Any]]:
    return iter(())


def _as_it_is(variable: Any, value: np.ndarray) -> np.ndarray:
    return value


@dataclass(frozen=True, kw_only=True)
class Naming:
    """The edges of the object graph in one format.

    parts: the parts of an object by name. slots: of an optimizer, the slots that no edge leads to: their names, the variables
    to which they belong, and the slots. converts: whether an integer may be restored from one of another width. values_only:
    whether an object without a value of its own may lack a counterpart. converted: makes of a variable and its value
    the value that is saved.
    """

    parts: Callable[[Any], dict[str, Any]]
    slots: Callable[[Any], Iterator[tuple[str, Any, Any]]] = _no_slots
    converts: bool = False
    values_only: bool = False
    converted: Callable[[Any, np.ndarray], np.ndarray] = _as_it_is


OWN = Naming(parts=parts_of)
