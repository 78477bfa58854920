"""Threads that compute are scheduled so that the parts of an operation do not interrupt each other."""

import contextlib
import logging
import os
from collections.abc import Iterator

_log = logging.getLogger("stratagem.devices")


@contextlib.contextmanager
def starting_batch_threads() -> Iterator[None]:
    """Has threads that this thread starts in the block scheduled by Linux as batch jobs (`SCHED_BATCH`, sched(7)).

    An operation on a CPU wakes threads for its parts. By default, a thread that wakes may take the core of the one that has
    woken it, which computes a part itself, though another core is idle; a batch job waits for a core. It has the same share of
    the time as other threads, so where other programs keep all cores busy, its steps wait for its turn.

    Nothing changes on other systems, where the user has chosen a policy (`chrt`), or where the system refuses.
    """
    if not hasattr(os, "SCHED_BATCH") or os.sched_getscheduler(0) != os.SCHED_OTHER:
        yield
        return
    try:
        os.sched_setscheduler(0, os.SCHED_BATCH, os.sched_param(0))
    except OSError as error:
        _log.debug("Threads of XLA are scheduled as others are: %s", error)
        yield
        return
    try:
        yield
    finally:
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
