"""TimeBreakdown: how a worker spends its time, by category; BusyTimer: how long a server or a reader works."""

import contextlib
import enum
import threading
import time
from collections.abc import Iterator, Mapping
from typing import final

from stratagem._base.job import Phase


class TimeCategory(enum.StrEnum):
    """The categories of a worker's time. Together they cover all of it."""

    COMPUTE = "compute"  # compiled subprograms of steps
    SERVERS = "servers"  # reading variables and rows, pushing updates, and waiting for both
    INPUT = "input"  # waiting for the worker's data
    HANDING_OUT = "handing out"  # sending functions, their arguments and results between coordinator and worker
    COMPILING = "compiling"
    WAITING = "waiting"  # for a function to run
    ABSENT = "absent"  # its process was lost, and no other had taken its place yet


_PHASES = {Phase.COMPILING: TimeCategory.COMPILING, Phase.INPUT: TimeCategory.INPUT}


@final
class TimeBreakdown:
    """Adds up the seconds of every category. Used by one thread at a time; others may read `seconds`."""

    def __init__(self) -> None:
        self.functions = self.steps = 0
        self.seconds = dict.fromkeys(TimeCategory, 0.0)
        self._part = TimeCategory.WAITING
        self._since = time.perf_counter()

    def part(self, part: TimeCategory) -> contextlib.AbstractContextManager[None]:
        """Returns a context whose body counts as this category; a nested context counts as its own category only."""
        return _Within(self, part)

    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        """Returns the context of `part` for a phase of the rest of the library."""
        return self.part(_PHASES.get(phase, self._part))

    @property
    def present(self) -> TimeCategory:
        """The category that time goes to now."""
        return self._part

    @property
    def open_seconds(self) -> float:
        """The seconds of the present category that `seconds` does not have yet; 0 before the first function."""
        return time.perf_counter() - self._since if self.functions else 0.0

    def add_remote(self, seconds: Mapping[TimeCategory, float]) -> None:
        """Moves seconds of the present category to others: another process has spent them on these."""
        for part, spent in seconds.items():
            self.seconds[part] += spent
            self.seconds[self._part] -= spent

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Returns a context whose body runs functions. The time before the first function is not counted."""
        if not self.functions:
            self._since = time.perf_counter()
        with self.part(TimeCategory.HANDING_OUT):
            yield

    def drain(self) -> dict[TimeCategory, float]:
        """Returns the seconds so far and resets them."""
        self.switch(self._part)
        seconds, self.seconds = self.seconds, dict.fromkeys(TimeCategory, 0.0)
        return {part: spent for part, spent in seconds.items() if spent}

    def switch(self, part: TimeCategory) -> TimeCategory:
        """Switches to a category; returns the one before."""
        before, now = self._part, time.perf_counter()
        self.seconds[before] += now - self._since
        self._part, self._since = part, now
        return before


@final
class _Within(contextlib.AbstractContextManager[None]):
    """The context of a category. A class, since a generator takes three times as long, and a short step has several."""

    __slots__ = ("_before", "_clock", "_part")

    def __init__(self, clock: TimeBreakdown, part: TimeCategory) -> None:
        self._clock, self._part = clock, part

    def __enter__(self) -> None:
        self._before = self._clock.switch(self._part)

    def __exit__(self, *_: object) -> None:
        self._clock.switch(self._before)


@final
class BusyTimer:
    """The seconds during which at least one thread was within this context. Thread-safe."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._within, self._since, self._seconds = 0, 0.0, 0.0

    def __enter__(self) -> None:
        with self._lock:
            if not self._within:
                self._since = time.perf_counter()
            self._within += 1

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._within -= 1
            if not self._within:
                self._seconds += time.perf_counter() - self._since

    @property
    def seconds(self) -> float:
        """The seconds so far, including those of bodies that still run."""
        with self._lock:
            return self._seconds + (time.perf_counter() - self._since if self._within else 0.0)
