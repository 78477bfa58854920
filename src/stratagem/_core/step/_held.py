"""A PerReplica value that a compiled function has from outside: a source that always gives the same."""

from typing import Any

from stratagem._core.values import PerReplica


class Held:
    """Source of a program: what it draws is the value itself. It is kept as long as the program, as captured tensors are."""

    def __init__(self, value: PerReplica) -> None:
        self.value = value

    def peek(self) -> Any:
        """The value."""
        return self.value

    def __next__(self) -> Any:
        return self.value
