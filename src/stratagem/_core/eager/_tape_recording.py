"""TapeRecording: what a gradient tape asks of the two ways to record, at once and in a compiled step."""

import abc
from collections.abc import Sequence
from typing import Any

import keras


class TapeRecording(abc.ABC):
    """The recording of one tape. It begins when it is made."""

    @abc.abstractmethod
    def check(self, what: str) -> None:
        """Raises TapeError where the tape's method `what` cannot be called."""

    @abc.abstractmethod
    def again(self) -> bool:
        """Begins to record again after the end of a block; returns False if nothing can be added to this recording."""

    @abc.abstractmethod
    def close(self, failed: bool) -> None:
        """Ends the recording at the end of the tape's block. failed: an exception ends the block."""

    @abc.abstractmethod
    def watch(self, leaf: Any) -> None:
        """Records what is computed from a tensor or variable from now on."""

    @abc.abstractmethod
    def pause(self) -> None:
        """Records nothing until `resume`."""

    @abc.abstractmethod
    def resume(self) -> None:
        """Records again."""

    @abc.abstractmethod
    def reset(self) -> None:
        """Drops what was recorded and starts again with the present values."""

    @abc.abstractmethod
    def stop(self) -> None:
        """Ends the recording of a tape that is not persistent, which has given its gradients."""

    @abc.abstractmethod
    def variables(self) -> list[keras.Variable]:
        """Returns the watched variables that were read, or that `watch` was given."""

    @abc.abstractmethod
    def times_read(self, variable: keras.Variable) -> int:
        """Returns how many times a variable was read."""

    @abc.abstractmethod
    def target(self, leaf: Any) -> Any:
        """Returns a target as a tensor."""

    @abc.abstractmethod
    def gradients(
        self,
        targets: Sequence[Any],
        seeds: Sequence[Any],
        sources: Sequence[Any],
        rows: int | None,
    ) -> list[list[Any]]:
        """Returns the gradients of the targets by each value that each source has had; nothing for what is not connected.

        targets: inexact tensors. seeds: the factors of their elements, empty for ones. rows: every seed has so many in
        front, each for a gradient of its own, and so has every result.
        """
