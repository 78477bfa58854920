"""JoinDeadline: the limit of a task's wait for its job to begin, and the log lines of that wait."""

import time
from collections.abc import Callable
from typing import final

from stratagem._base.errors import ClusterError
from stratagem._cluster.control._job_info import JobInfo

REPORT_SECONDS = 15.0
_FIRST_SECONDS = 5.0


@final
class JoinDeadline:
    """The time that a task has to join; after 5 s, and then every 15 s, the log says what it waits for."""

    def __init__(self, facts: JobInfo, log: Callable[[str], None]) -> None:
        self._facts = facts
        self._log = log
        began = time.monotonic()
        self._logged = began - REPORT_SECONDS + min(REPORT_SECONDS, _FIRST_SECONDS)
        self._end = began + facts.limits.join

    @property
    def pause(self) -> float:
        """Seconds until the next log line, or the limit."""
        now = time.monotonic()
        return max(0.0, min(self._logged + REPORT_SECONDS, self._end) - now)

    def check(self, missing: str) -> None:
        """Logs what the task waits for, if it is time.

        Raises:
            ClusterError: the limit has passed.
        """
        now = time.monotonic()
        if now >= self._end:
            raise ClusterError(
                f"{self._facts.task} waited {self._facts.limits.join:.0f} s for {missing}. Are all tasks started, with the "
                "same cluster, and can they reach each other? STRATAGEM_JOIN_SECONDS changes the limit."
            )
        if now - self._logged >= REPORT_SECONDS:
            self._logged = now
            limit = self._facts.limits.join
            self._log(
                f"{self._facts.task} waits for {missing}, {now - self._end + limit:.0f} of {limit:.0f} s. Start all tasks, "
                f"with the same cluster; they connect to {self._facts.tasks[0]} at {self._facts.hub}."
            )
