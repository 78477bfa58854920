"""Measures how long devices were idle because a step's input was not ready."""

import logging
import time
from typing import Any, ClassVar, final

from stratagem._base.job import Phase
from stratagem._core.mesh import ReplicaMesh
from stratagem._data.distribution._shape_agreement import ShapeAgreement
from stratagem._data.stages._order import State
from stratagem._data.stages._read_ahead import ReadAheadIterator
from stratagem._data.stages._stage import ParentIterator, StageIterator

_log = logging.getLogger("stratagem.data")


@final
class StallWatch(ParentIterator):
    """Warns when the devices waited for input for a large share of an epoch, and in long epochs repeatedly.

    Steps are dispatched asynchronously, so time spent in `next` is not lost while the devices are still busy.
    """

    SHARE: ClassVar = 0.2  # the share that is worth a warning
    IDLE_SECONDS: ClassVar = 1.0
    EVERY_SECONDS: ClassVar = 120.0
    _POLL_SECONDS = 0.001
    _WARM_UP = 2  # not counted: every program waits for its first element, and compiles in its first step

    def __init__(
        self, source: StageIterator, mesh: ReplicaMesh, agreement: ShapeAgreement, ahead: ReadAheadIterator | None
    ) -> None:
        """ahead: the source, if it makes elements ahead."""
        super().__init__(source)
        self._ahead = ahead
        self._mesh = mesh
        self._dispatched = mesh.dispatched
        self._agreement = agreement
        self._begin()

    def _begin(self) -> None:
        self._started = 0.0
        self._idle = 0.0
        self._steps = 0

    def __next__(self) -> Any:
        if self._ahead is not None:
            while self._dispatched.busy() and not self._ahead.wait(self._POLL_SECONDS):
                pass
        requested_at = time.perf_counter()
        busy = self._dispatched.busy()
        try:
            with self._mesh.job.phase(Phase.INPUT):
                element = next(self._source)
        except StopIteration:
            self._report(requested_at)
            raise
        now = time.perf_counter()
        self._steps += 1
        if self._steps <= self._WARM_UP:
            self._started = now
            return element
        self._idle += 0.0 if busy else now - requested_at
        if now - self._started > self.EVERY_SECONDS:
            self._report(now)
        return element

    def _report(self, now: float) -> None:
        if self._steps > self._WARM_UP:
            passed = now - self._started
            if self._idle >= self.IDLE_SECONDS and self._idle >= self.SHARE * passed:
                _log.warning(
                    "input: the devices waited for their input %.0f %% of the time (%.1f s of %.1f s, %d steps). "
                    "Batch before map, give map num_parallel_calls, or cache what is made once.",
                    100 * self._idle / passed,
                    self._idle,
                    passed,
                    self._steps - self._WARM_UP,
                )
        self._begin()

    def set_state(self, state: State) -> None:
        self._agreement.give_up()  # the read-ahead thread may be waiting for workers that have already restored
        super().set_state(state)

    def close(self) -> None:
        """Stops the thread, even while it waits for workers that have already ended this iteration."""
        self._agreement.give_up()
        super().close()

    def _own_state(self) -> State:
        return {}

    def _set_own_state(self, state: State) -> None:
        self._begin()
