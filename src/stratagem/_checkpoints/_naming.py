"""Naming: the names that a format of checkpoints has for the parts of objects."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from stratagem._checkpoints._children import parts_of, value_of


def _no_slots(value: Any) -> Iterator[tuple[str, Any, Any]]:
    return iter(())


@dataclass(frozen=True, kw_only=True)
class Naming:
    """The edges of the object graph in one format.

    parts: the parts of an object by name. slots: of an optimizer, the slots that no edge leads to: their names, the variables
    to which they belong, and the slots. converts: whether an integer may be restored from one of another width. values_only:
    whether an object without a value of its own may lack a counterpart. value: the value of a variable as it is saved.
    """

    parts: Callable[[Any], dict[str, Any]]
    slots: Callable[[Any], Iterator[tuple[str, Any, Any]]] = _no_slots
    converts: bool = False
    values_only: bool = False
    value: Callable[[Any], np.ndarray] = value_of


OWN = Naming(parts=parts_of)
