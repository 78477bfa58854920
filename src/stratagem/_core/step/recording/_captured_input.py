"""CapturedInput: a PerReplica value that a compiled function captures, as a source of its program."""

from typing import Any

from stratagem._core.values import PerReplica


class CapturedInput:
    """A source that always draws the same value. The value lives as long as the program, as captured tensors do."""

    def __init__(self, value: PerReplica) -> None:
        self.value = value

    def peek(self) -> Any:
        """Returns the value."""
        return self.value

    def __next__(self) -> Any:
        return self.value
