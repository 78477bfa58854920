"""StreamDisplay: a display that overwrites nothing, so that what it has shown reads like a log."""

import abc
import sys
from collections.abc import Sequence
from types import TracebackType
from typing import Self

from stratagem._launch._display import Display


class StreamDisplay(Display):
    """Every line that a task prints, on stdout, with the task's name."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        pass

    @abc.abstractmethod
    def text_of(self, line: str) -> str:
        """Returns a task's line as it is shown."""

    def printed(self, task: str, lines: Sequence[str]) -> None:
        for line in lines:
            sys.stdout.write(f"[{task}] {self.text_of(line)}\n")
        if lines:
            sys.stdout.flush()
