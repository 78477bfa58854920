"""Regularizers and constraints of variables in shards: those that work by shard, and those that need all rows."""

from collections.abc import Callable
from typing import Any, final

import keras

_SUMS = (keras.regularizers.L1, keras.regularizers.L2, keras.regularizers.L1L2)
_NORMS = (keras.constraints.MaxNorm, keras.constraints.MinMaxNorm, keras.constraints.UnitNorm)


def is_sum(regularizer: Any) -> bool:
    """Returns whether the shards' losses add up to that of the whole variable."""
    return type(regularizer) in _SUMS


def is_by_row(constraint: Any) -> bool:
    """Returns whether a row's new value depends on that row only."""
    if type(constraint) in _NORMS:
        axes = constraint.axis if isinstance(constraint.axis, list | tuple) else [constraint.axis]
        return all(axis > 0 for axis in axes)
    return type(constraint) is keras.constraints.NonNeg


@final
class WholeRegularizer:
    """A regularizer that needs all rows; only the first shard has it."""

    def __init__(self, whole: Any, regularizer: Callable[[Any], Any]) -> None:
        self.whole, self.regularizer = whole, regularizer

    def __call__(self, shard: Any) -> Any:
        """Returns the loss of the whole variable."""
        return self.regularizer(self.whole.value)


@final
class WholeConstraint:
    """A constraint that needs all rows; only the first shard has it, and it constrains all shards."""

    def __init__(self, whole: Any, constraint: Callable[[Any], Any]) -> None:
        self.whole, self.constraint = whole, constraint

    def __call__(self, shard: object) -> Any:
        """Constrains the other shards; returns the first one's new value."""
        (_, own), *others = self.whole.pieces(self.constraint(self.whole.value))
        for other, rows in others:
            other.assign(rows)
        return own
