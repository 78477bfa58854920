"""HostCopies: the values of a save in the background, in memory that is kept for the next one."""

from typing import Any, final

import keras
import numpy as np

from stratagem._checkpoints._children import shares_memory, value_of
from stratagem._core.values import placement_of


@final
class HostCopies:
    """Copies of variables in the host's memory, which no step reuses.

    The memory is kept from one save to the next, as long as shapes and dtypes stay: the system clears fresh memory page by
    page, which takes twice as long as the copy. TensorFlow keeps its copies, too.
    """

    def __init__(self) -> None:
        self._kept: dict[str, np.ndarray] = {}

    def of(self, variable: Any, key: str) -> np.ndarray:
        """Returns a copy of the value of a variable. key: of its memory."""
        placement = placement_of(variable) if isinstance(variable, keras.Variable) else None
        if placement is not None:
            with placement.lent(variable) as value:
                if value is not None:
                    return self._copied(key, value)
        value = value_of(variable)
        return self._copied(key, value) if shares_memory(variable) else value

    def _copied(self, key: str, value: np.ndarray) -> np.ndarray:
        kept = self._kept.get(key)
        if kept is None or kept.shape != value.shape or kept.dtype != value.dtype:
            kept = self._kept[key] = np.empty(value.shape, value.dtype)
        np.copyto(kept, value)
        return kept


def read_value(variable: Any, key: str, copies: HostCopies | None) -> np.ndarray:
    """Returns the value of a variable; a copy, if there is memory for one, and else for as long as no step runs."""
    return value_of(variable) if copies is None else copies.of(variable, key)
