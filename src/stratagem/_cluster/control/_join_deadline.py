"""How a task waits until its job can begin: it says every 15 s for what, up to a limit."""

import time
from collections.abc import Callable
from typing import final

from stratagem._base.errors import ClusterError
from stratagem._cluster.control._job_info import JobInfo

REPORT_SECONDS = 15.0


@final
class JoinDeadline:
    """The time that a task has to join."""

    def __init__(self, facts: JobInfo, log: Callable[[str], None]) -> None:
        self._facts = facts
        self._log = log
        self._told = time.monotonic()
        self._end = self._told + facts.limits.join

    @property
    def pause(self) -> float:
        """Seconds until there is something to report."""
        now = time.monotonic()
        return max(0.0, min(self._told + REPORT_SECONDS, self._end) - now)

    def check(self, missing: str) -> None:
        """Report now and then.

        Raises:
            ClusterError: the limit has passed.
        """
        now = time.monotonic()
        if now >= self._end:
            raise ClusterError(
                f"{self._facts.task} waited {self._facts.limits.join:.0f} s for {missing}. Are all tasks started, with the "
                "same cluster, and can they reach each other? STRATAGEM_JOIN_SECONDS changes the limit."
            )
        if now - self._told >= REPORT_SECONDS:
            self._told = now
            self._log(f"{self._facts.task} waits for {missing}")
