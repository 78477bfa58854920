"""ThreadTuner: whether functions of a dataset run in threads or in the caller, measured while elements are read."""

import statistics
import threading
from typing import Final, final

_TRIALS: Final = 3  # of each of the two ways, in turn
_SECONDS: Final = 0.02  # the least that a trial measures
_INTERVALS: Final = 4  # and the fewest intervals
_GAIN: Final = 0.95  # of the caller's time: threads have to be faster than this to be chosen


@final
class ThreadTuner:
    """Chooses between several threads and the caller's own, by how fast elements come.

    Threads of Python take turns with the interpreter's lock: short functions that hold it are slower in two threads than in
    one, long ones that release it, to decode a file or to wait for one, are faster. Which they are shows only in a
    measurement, which is made once for a stage: both ways in turn, three times. Results are the same either way.

    It is the time from one element to the next that counts, with what the consumer does in it: threads that compute ahead
    may cost the consumer more than the wait that they save.

    threads: how many there are for AUTOTUNE, or those that the user wants, which is not measured.
    """

    def __init__(self, threads: int, *, tuned: bool) -> None:
        self.most = threads
        self._lock = threading.Lock()
        self._times: dict[int, list[float]] = {threads: [], 1: []}
        self._now, self._settled = threads, not tuned or threads == 1
        self._begin()

    def _begin(self) -> None:
        self._seconds, self._elements, self._intervals = 0.0, 0, 0

    @property
    def threads(self) -> int:
        """The number of threads that compute the elements that are read next; 1 means the caller itself."""
        return self._now

    def took(self, threads: int, seconds: float, elements: int) -> None:
        """Takes note of how long it took until so many elements came, which so many threads have computed."""
        if self._settled or threads != self._now:
            return
        with self._lock:
            self._seconds += seconds
            self._elements += elements
            self._intervals += 1
            if self._intervals >= _INTERVALS and self._seconds >= _SECONDS:
                self._times[threads].append(self._seconds / self._elements)
                self._begin()
                self._next_trial()

    def _next_trial(self) -> None:
        many, one = self._times[self.most], self._times[1]
        if len(one) < _TRIALS:
            self._now = 1 if len(one) < len(many) else self.most
            return
        # The median: a trial may have been disturbed by another program.
        self._now = self.most if statistics.median(many) < _GAIN * statistics.median(one) else 1
        self._settled = True
