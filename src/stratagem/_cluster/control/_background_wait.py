"""How a task waits for the others inside of JAX, which knows nothing of the job's failure and would wait for long, or abort."""

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
_LOOK_SECONDS = 0.1  # between two looks whether the job has failed
_CANCEL_SECONDS = 10.0  # for work that was cancelled to end


def in_background(
    link: ControlClient, missing: str, work: Callable[[], T], cancel: Callable[[], Any] | None = None
) -> T:
    """The result of the work, which a thread does. missing: what it waits for, as the log says every 15 s.

    cancel: lets the work end early. It is needed where the work would come back while Python ends, which aborts the process;
    without it, the work has to be one that never does.

    Raises:
        ClusterError: it took longer than the limit to join.
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
    patience = JoinDeadline(link.facts, lambda text: logger.warning("%s", text))
    with link.phase(Phase.STARTING):
        while thread.is_alive():
            thread.join(_LOOK_SECONDS)
            try:
                link.check()
                patience.check(missing)
            except BaseException:  # Ctrl-C as well
                if cancel is not None:
                    cancel()
                    thread.join(_CANCEL_SECONDS)
                raise
    return result.result()
