"""Synchronous training on two machines, and the cable between them (F9)."""

from pathlib import Path

import pytest

from tests.machines import needs_machines, two_machines
from tests.multi_worker.jobs import job, printed

pytestmark = [pytest.mark.thorough, needs_machines, pytest.mark.timeout(900)]

PAUSE = 10  # seconds in which worker 1 takes no step, and the cable is out for a part of them


def test_f9_a_network_that_is_away_for_5_seconds_costs_nothing(tmp_path: Path) -> None:
    with job("training.py", 2, 96, 12) as running:
        undisturbed = printed(running.ended()[0], "weights")
    with two_machines(tmp_path) as machines:
        late = ("late", 20, 1)
        with job("training.py", 2, 96, 12, *late, machines=machines, LATE_SECONDS=str(PAUSE)) as running:
            running.wait_for(1, "failing")
            machines[1].unplug_for(5)
            ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended
    assert [printed(task, "weights") for task in ended] == [undisturbed] * 2


def test_f9_a_network_that_stays_away_ends_all_tasks_with_one_error(tmp_path: Path) -> None:
    with two_machines(tmp_path) as machines:
        late = ("late", 20, 1)
        with job("training.py", 2, 96, 12, *late, machines=machines, LATE_SECONDS=str(PAUSE)) as running:
            running.wait_for(1, "failing")
            machines[1].unplug()
            ended = running.ended()
    assert [task.code for task in ended] == [1, 1], ended
    for rank, task in enumerate(ended):
        assert f"PeerFailedError: worker:{1 - rank} (rank {1 - rank}" in task.output
        assert "its machine or the network is gone." in task.output
