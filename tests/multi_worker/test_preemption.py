"""F7: one worker is told that it will be ended; all save the same step, leave, and go on exactly after a restart."""

import signal
from pathlib import Path

import pytest

from tests.multi_worker.jobs import job, printed

EPOCHS, STEPS, WORKERS, EXIT_CODE = 8, 15, 3, 42


@pytest.mark.parametrize("rank", [0, 2], ids=["the chief", "another"])
def test_f7_all_workers_save_the_same_step_and_lose_none(rank: int, tmp_path: Path) -> None:
    with job("preempted.py", WORKERS, tmp_path) as running:
        running.wait_for(rank, "step 20\n")
        running.processes[rank].send_signal(signal.SIGTERM)
        first = running.ended()
    assert [task.code for task in first] == [EXIT_CODE] * WORKERS, first
    with job("preempted.py", WORKERS, tmp_path) as running:
        second = running.ended()
    assert [task.code for task in second] == [0] * WORKERS, second
    began = [printed(task, "began") for task in second]
    runs, counted = began[0]
    assert began == [began[0]] * WORKERS  # the same step everywhere
    assert runs >= 20
    assert counted == runs * WORKERS
    assert [printed(task, "ended") for task in second] == [WORKERS * EPOCHS * STEPS] * WORKERS
