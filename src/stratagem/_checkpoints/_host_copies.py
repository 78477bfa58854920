"""HostCopies: the values of a save in the background, in memory that is kept for the next one."""

import weakref
from typing import Any, final

import jax
import keras
import numpy as np

from stratagem._checkpoints._children import shares_memory, value_of
from stratagem._core.values import placement_of
from stratagem._private import stored


@final
class HostCopies:
    """Copies of variables in the host's memory, which no step reuses.

    The memory is kept from one save to the next, as long as shapes and dtypes stay: the system clears fresh memory page by
    page, which takes twice as long as the copy. TensorFlow keeps its copies, too. What no step and no assignment has replaced
    since, as the weights of frozen layers, is not copied again.
    """

    def __init__(self) -> None:
        self._kept: dict[str, np.ndarray] = {}
        # By key, what a copy was made of. A step that updates a variable gives it another array, and so does an assignment.
        self._sources: weakref.WeakValueDictionary[str, jax.Array] = weakref.WeakValueDictionary()

    def of(self, variable: Any, key: str) -> np.ndarray:
        """Returns a copy of the value of a variable. key: of its memory."""
        placement = placement_of(variable) if isinstance(variable, keras.Variable) else None
        if placement is not None:
            with placement.lent(variable) as value:
                if value is not None:
                    return self._copied(key, value, stored(variable))
        value = value_of(variable)
        if not shares_memory(variable):
            return value
        own = isinstance(variable, keras.Variable) and placement is None  # else the value is elsewhere
        return self._copied(key, value, stored(variable) if own else None)

    def _copied(self, key: str, value: np.ndarray, source: Any) -> np.ndarray:
        kept = self._kept.get(key)
        if kept is None or kept.shape != value.shape or kept.dtype != value.dtype:
            kept = self._kept[key] = np.empty(value.shape, value.dtype)
        elif source is not None and self._sources.get(key) is source:
            return kept
        np.copyto(kept, value)
        self._sources.pop(key, None)
        if isinstance(source, jax.Array):  # which nothing changes
            self._sources[key] = source
        return kept


def read_value(variable: Any, key: str, copies: HostCopies | None) -> np.ndarray:
    """Returns the value of a variable; a copy, if there is memory for one, and else for as long as no step runs."""
    return value_of(variable) if copies is None else copies.of(variable, key)
