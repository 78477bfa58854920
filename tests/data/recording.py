"""A recorder in the place of a step's capture."""

from typing import Any

from stratagem._core.step import NothingKnown


class HostNeeded(Exception):
    """What a recorder raises when Python needs values."""


class StepRecorder:
    """The part of a step's capture that iterators use."""

    def __init__(self) -> None:
        self.drawn: list[Any] = []
        self.prefix = NothingKnown()

    def draw(self, source: Any) -> Any:
        self.drawn.append(source)
        return source.peek()

    def need_host(self, reason: str) -> None:
        raise HostNeeded(reason)
