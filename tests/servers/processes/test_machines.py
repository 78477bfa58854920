"""Parameter servers on two machines, each task's process on one of them, and the cable between the machines."""

import re
from pathlib import Path

import pytest

from tests.machines import needs_machines, two_machines
from tests.multi_worker.jobs import job, printed
from tests.servers.processes.following import PROGRAMS, ends_well, following

pytestmark = [pytest.mark.thorough, needs_machines, pytest.mark.timeout(900)]


def test_a_whole_job_runs_on_two_machines(tmp_path: Path) -> None:
    program = PROGRAMS / "tutorial.py"
    with two_machines(tmp_path) as machines, job(program, 2, ps=2, machines=machines) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * 5, ended
    losses, steps = printed(ended[0], "fit")
    assert losses[-1] < 0.3 * losses[0]
    assert steps == 50
    assert printed(ended[0], "servers") == [0, 1]
    accuracies, loss, applied = printed(ended[0], "loop")
    assert (accuracies[-1], applied) == (1.0, 21)
    assert loss < 0.5


def test_a_network_that_is_away_for_5_seconds_costs_nothing(tmp_path: Path) -> None:
    with two_machines(tmp_path) as machines, following(1, machines=machines) as started:
        machines[1].unplug_for(5)
        started.all_work()
        ends_well(started)


def test_a_network_that_stays_away_ends_the_job_with_an_error(tmp_path: Path) -> None:
    with two_machines(tmp_path) as machines, following(1, machines=machines) as started:
        machines[1].unplug()
        chief, *workers_and_servers = started.running.ended()
    assert chief.code == 1
    assert re.search("ps:0 is (gone|silent)", chief.output)
    assert "SIGTERM handler" not in chief.output  # which Ray prints when a thread starts another one at the end
    there, here = workers_and_servers[::2], workers_and_servers[1::2]  # of the chief's machine
    assert [task.code for task in here] == [0, 0]
    assert [task.code for task in there] == [1, 1]
    for task in there:
        assert "UnavailableError: Ray's first process" in task.output.splitlines()[-1], task.output
