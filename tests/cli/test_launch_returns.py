"""Jobs with parameter servers go on without a worker, which `stratagem launch` starts again alone."""

import json
import re
import signal
from pathlib import Path

import pytest

from tests.cli.launches import PROGRAMS, Done, Launcher, launch, launcher

JOB = ("--chief", "--workers", 2, "--ps", 1, "--tee", "all", "--grace", 2)
LOSING = PROGRAMS / "losing.py"


def lives(started: Launcher) -> list[str]:
    """The tasks that were started so far, some of them several times, each with its count of the job's restarts."""
    return sorted(" ".join(match) for match in re.findall(r"life of (\S+) (\d+) ", started.out))


def test_a_lost_worker_is_started_again_alone(tmp_path: Path) -> None:
    with launcher(*JOB, "--log-dir", tmp_path / "logs", LOSING, tmp_path, 2, "work") as started:
        done = started.done()
        assert lives(started) == ["chief:0 0", "ps:0 0", "worker:0 0", *["worker:1 0"] * 3]
    assert done.code == 0, done.whole
    said = re.findall(r"worker:1 ended after [\d.]+ s: (.*)", done.told)
    assert said == ["SIGKILL; restart 1 of 10 in 1 s", "SIGKILL; restart 2 of 10 in 2 s"]
    assert re.search(r"4 tasks are done after [\d.]+ s; restarts: 2 of worker:1$", done.told, re.MULTILINE)
    found = [json.loads(text) for text in re.findall(r"life of worker:1 0 (\{.*\})", done.out)]
    assert found[0] == found[1] == found[2]
    log = (tmp_path / "logs" / "attempt-0" / "worker-1.log").read_text()
    assert log.count("life of worker:1") == 3
    assert log.count("--- started again ---\nlife") == 2


def test_a_worker_that_has_used_up_its_restarts_ends_the_job(tmp_path: Path) -> None:
    done = launch(*JOB, "--worker-restarts", 1, LOSING, tmp_path, 2, "work")
    assert done.code == 128 + signal.SIGKILL
    assert "restart 1 of 1 in 1 s" in done.told
    assert "worker:1 failed first: SIGKILL" in done.told
    assert re.search(r"^\* +worker:1 .* SIGKILL +root cause", done.told, re.MULTILINE)
    assert re.search(r"^ +worker:1 .* SIGKILL +to be started again", done.told, re.MULTILINE)
    assert re.search(r"^ +chief:0 .* SIGTERM +ended by the launcher", done.told, re.MULTILINE)


@pytest.mark.thorough
def test_all_start_again_when_a_worker_has_used_up_its_restarts(tmp_path: Path) -> None:
    options = ("--worker-restarts", 1, "--max-restarts", 1, "--backoff", 0.1)
    with launcher(*JOB, *options, LOSING, tmp_path, 3, "work") as started:
        assert started.done().code == 0
        assert [life for life in lives(started) if "worker:1" in life] == [*["worker:1 0"] * 2, *["worker:1 1"] * 2]


def ended_while_a_worker_is_to_come(folder: Path, how: str) -> Done:
    """A job whose chief ends, in the way that a file of this name says, while worker:1 is to come back: it never does."""
    with launcher(*JOB, LOSING, folder, 2, "work") as started:
        started.wait_for("restart 2 of 10 in 2 s")
        (folder / how).touch()
        done = started.done()
        assert lives(started).count("worker:1 0") == 2
    return done


def test_who_fails_while_a_worker_is_to_come_is_the_cause(tmp_path: Path) -> None:
    done = ended_while_a_worker_is_to_come(tmp_path, "failed")
    assert done.code == 3
    assert "chief:0 failed first: exit code 3" in done.told


def test_a_worker_that_is_needed_no_more_is_not_started_again(tmp_path: Path) -> None:
    done = ended_while_a_worker_is_to_come(tmp_path, "done")
    assert done.code == 0
    assert "worker:1 is not started again: there is nothing left to do for it" in done.told
    assert "4 tasks are done" in done.told


@pytest.mark.thorough
def test_a_worker_that_came_after_the_end_is_told_to_end(tmp_path: Path) -> None:
    with launcher(*JOB, LOSING, tmp_path, 1, "stay") as started:
        started.wait_for("life of worker:1", 2)
        (tmp_path / "done").touch()
        assert started.done().code == 0
