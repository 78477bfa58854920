"""Threads that compute are scheduled as batch jobs, unless the user or the system wants it otherwise."""

import os
import threading
from typing import NoReturn

import pytest

from stratagem._base.scheduling import starting_batch_threads

pytestmark = pytest.mark.skipif(not hasattr(os, "SCHED_BATCH"), reason="other systems schedule otherwise")


def policies() -> tuple[int, int]:
    """Returns the policies of this thread and of one that it starts."""
    found: list[int] = []
    thread = threading.Thread(target=lambda: found.append(os.sched_getscheduler(0)))
    thread.start()
    thread.join()
    return os.sched_getscheduler(0), found[0]


def in_the_block() -> tuple[int, int]:
    with starting_batch_threads():
        return policies()


def test_threads_are_batch_jobs_that_are_started_in_the_block() -> None:
    assert in_the_block() == (os.SCHED_BATCH, os.SCHED_BATCH)
    assert policies() == (os.SCHED_OTHER, os.SCHED_OTHER)


def test_so_they_are_when_the_block_fails() -> None:
    with pytest.raises(OSError, match="in the block"), starting_batch_threads():
        raise OSError("in the block")
    assert policies() == (os.SCHED_OTHER, os.SCHED_OTHER)


@pytest.mark.parametrize("chosen", ["SCHED_BATCH", "SCHED_IDLE"])
def test_a_policy_that_the_user_has_chosen_stands(chosen: str) -> None:
    """In a thread of its own, because not everyone may leave SCHED_IDLE."""
    policy, found = getattr(os, chosen), []

    def run() -> None:
        os.sched_setscheduler(0, policy, os.sched_param(0))
        found.extend([in_the_block(), policies()])

    thread = threading.Thread(target=run)
    thread.start()
    thread.join()
    assert found == [(policy, policy)] * 2


def test_a_system_that_refuses_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> NoReturn:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "sched_setscheduler", refuse)
    assert in_the_block() == (os.SCHED_OTHER, os.SCHED_OTHER)


def test_nothing_is_asked_of_systems_without_batch_jobs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "SCHED_BATCH")
    assert in_the_block() == (os.SCHED_OTHER, os.SCHED_OTHER)
