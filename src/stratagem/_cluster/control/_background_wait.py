"""in_background: calls JAX functions that wait for other tasks, so that the caller can stop waiting when the job fails."""

import logging
import threading
from collections.abc import Callable
from concurrent.futures import Future
from typing import Any, TypeVar

from stratagem._base.job import Phase
from stratagem._cluster.control._client import ControlClient
from stratagem._cluster.control._join_deadline import JoinDeadline

logger = logging.getLogger("stratagem.cluster")

T = TypeVar("T")
_LOOK_SECONDS = 0.1  # between two checks whether the job has failed
_CANCEL_SECONDS = 10.0  # to wait for cancelled work to end


def in_background(
    link: ControlClient, missing: str, work: Callable[[], T], cancel: Callable[[], Any] | None = None
) -> T:
    """Runs `work` in a thread and returns its result. missing: what it waits for, logged every 15 s.

    cancel: ends the work early. It is needed if the work could return while Python shuts down, which aborts the
    process; without it, the work must be such that it never returns after a failure.

    Raises:
        ClusterError: the work took longer than the limit to join.
        PeerFailedError: the job failed meanwhile.
    """
    result: Future[T] = Future()

    def run() -> None:
        try:
            result.set_result(work())
        except BaseException as error:
            result.set_exception(error)

    thread = threading.Thread(target=run, name="stratagem start", daemon=True)
    thread.start()
    deadline = JoinDeadline(link.facts, lambda text: logger.warning("%s", text))
    with link.phase(Phase.STARTING):
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
            try:
                link.check()
                deadline.check(missing)
            except BaseException:  # including Ctrl-C
                if cancel is not None:
                    cancel()
                    thread.join(_CANCEL_SECONDS)
                raise
    return result.result()
