"""A recorder in the place of a step's capture."""

from typing import Any


class HostNeeded(Exception):
    """What a recorder raises when Python needs values."""


class DirectCalls:
    """A prefix that knows no values: functions of the host are called as everywhere."""

    def called(self, function: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return function(*args, **kwargs)

    called_if_needed = called

    def size(self, tracer: Any) -> None:
        return None


class StepRecorder:
    """The part of a step's capture that iterators use."""

    def __init__(self) -> None:
        self.drawn: list[Any] = []
        self.prefix = DirectCalls()

    def draw(self, source: Any) -> Any:
        self.drawn.append(source)
        return source.peek()

    def need_host(self, reason: str) -> None:
        raise HostNeeded(reason)
