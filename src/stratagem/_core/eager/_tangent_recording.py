"""TangentRecording: what a recorder asks of a forward accumulator."""

from collections.abc import Callable, Sequence
from typing import Protocol

import keras

from stratagem._base.types import TensorLike
from stratagem._core.eager._notes import Number
from stratagem._core.eager._rules import DerivativeRule
from stratagem._private import EagerOperation


class TangentRecording(Protocol):
    """Pushes tangents forward through the operations that a recorder computes."""

    def tracks(self, number: Number | None) -> bool:
        """Returns whether the value with this number has a tangent."""

    def watches(self, variable: keras.Variable) -> bool:
        """Returns whether the variable has a tangent."""

    def note_value(self, variable: keras.Variable, value: TensorLike) -> None:
        """Notes what a variable was read as."""

    def refuse(self, numbers: Sequence[Number], message: str) -> None:
        """Notes values whose tangents cannot be computed."""

    def push(
        self,
        operation: EagerOperation,
        rule: DerivativeRule,
        which: tuple[int, ...],
        operands: Sequence[TensorLike],
        made: Sequence[TensorLike],
    ) -> None:
        """Computes the tangents of an operation's results. which: the operands for which the rule takes tangents."""

    def share(self, values: Sequence[TensorLike], twins: Sequence[TensorLike]) -> None:
        """Gives other objects for the same values their tangents."""

    def push_call(
        self,
        operands: Sequence[TensorLike],
        results: Sequence[TensorLike],
        reverse: Callable[[Sequence[TensorLike]], Sequence[TensorLike]],
    ) -> None:
        """Computes the tangents of what Python computed, from its reverse."""
