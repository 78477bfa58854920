"""What the time of workers and servers is spent on."""

import contextlib
import enum
import threading
import time
from collections.abc import Iterator, Mapping
from typing import final

from stratagem._base.job import Phase


class TimeCategory(enum.StrEnum):
    """What a worker's time goes to. Together they are all of it."""

    COMPUTE = "compute"  # compiled subprograms of steps
    SERVERS = "servers"  # reading variables and rows, pushing updates, and waiting for both
    INPUT = "input"  # waiting for its data
    HANDING_OUT = "handing out"  # between the coordinator and the worker: functions, their arguments and results
    COMPILING = "compiling"
    WAITING = "waiting"  # for a function to run


_PHASES = {Phase.COMPILING: TimeCategory.COMPILING, Phase.INPUT: TimeCategory.INPUT}


@final
class TimeBreakdown:
    """Adds up the seconds of every part. Used by one thread at a time; others may read `seconds`."""

    def __init__(self) -> None:
        self.functions = self.steps = 0
        self.seconds = dict.fromkeys(TimeCategory, 0.0)
        self._part = TimeCategory.WAITING
        self._since = time.perf_counter()

    def part(self, part: TimeCategory) -> contextlib.AbstractContextManager[None]:
        """The body is this part; what is another part within it counts there alone."""
        return _Within(self, part)

    def phase(self, phase: Phase) -> contextlib.AbstractContextManager[None]:
        """As `part`, for what the rest of the library calls a phase."""
        return self.part(_PHASES.get(phase, self._part))

    def elsewhere(self, seconds: Mapping[TimeCategory, float]) -> None:
        """So much of the present part's time was spent on these parts, in another process."""
        for part, spent in seconds.items():
            self.seconds[part] += spent
            self.seconds[self._part] -= spent

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """The body runs functions. Before the first one there was nothing to wait for."""
        if not self.functions:
            self._since = time.perf_counter()
        with self.part(TimeCategory.HANDING_OUT):
            yield

    def taken(self) -> dict[TimeCategory, float]:
        """What was added up so far; from now on it starts at nothing."""
        self.turn(self._part)
        seconds, self.seconds = self.seconds, dict.fromkeys(TimeCategory, 0.0)
        return {part: spent for part, spent in seconds.items() if spent}

    def turn(self, part: TimeCategory) -> TimeCategory:
        """From now on it is this part; returns which it was."""
        before, now = self._part, time.perf_counter()
        self.seconds[before] += now - self._since
        self._part, self._since = part, now
        return before


@final
class _Within(contextlib.AbstractContextManager[None]):
    """A part's body: a class, for a short step has several, and a generator takes three times as long."""

    __slots__ = ("_before", "_clock", "_part")

    def __init__(self, clock: TimeBreakdown, part: TimeCategory) -> None:
        self._clock, self._part = clock, part

    def __enter__(self) -> None:
        self._before = self._clock.turn(self._part)

    def __exit__(self, *_: object) -> None:
        self._clock.turn(self._before)


@final
class Busy:
    """For how many seconds at least one thread was within. Thread-safe."""

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
        """Until now, what is not over yet included."""
        with self._lock:
            return self._seconds + (time.perf_counter() - self._since if self._within else 0.0)
