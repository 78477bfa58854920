"""TangentRecording: what a recorder asks of a forward accumulator."""

import abc
from collections.abc import Callable, Sequence
from typing import Any

import keras

from stratagem._core.eager._recorded_operations import Number
from stratagem._core.eager._rules import CompiledDerivative
from stratagem._private import EagerOperation


class TangentRecording(abc.ABC):
    """Pushes tangents forward through the operations that a recorder computes."""

    @abc.abstractmethod
    def tracks(self, number: Number | None) -> bool:
        """Returns whether the value with this number has a tangent."""

    @abc.abstractmethod
    def watches(self, variable: keras.Variable) -> bool:
        """Returns whether the variable has a tangent."""

    @abc.abstractmethod
    def note_value(self, variable: keras.Variable, value: Any) -> None:
        """Notes what a variable was read as."""

    @abc.abstractmethod
    def refuse(self, numbers: Sequence[Number], message: str) -> None:
        """Notes values whose tangents cannot be computed."""

    @abc.abstractmethod
    def push(
        self,
        operation: EagerOperation,
        rule: CompiledDerivative,
        which: tuple[int, ...],
        operands: Sequence[Any],
        made: Sequence[Any],
    ) -> None:
        """Computes the tangents of an operation's results. which: the operands for which the rule takes tangents."""

    @abc.abstractmethod
    def share(self, values: Sequence[Any], twins: Sequence[Any]) -> None:
        """Gives other objects for the same values their tangents."""

    @abc.abstractmethod
    def push_call(
        self,
        operands: Sequence[Any],
        results: Sequence[Any],
        reverse: Callable[[Sequence[Any]], Sequence[Any]],
    ) -> None:
        """Computes the tangents of what Python computed, from its reverse."""
