"""The launcher's parts: addresses, logs, causes, and what is shown of many tasks."""

import os
import re
import sys
import time
from pathlib import Path

import pytest

from stratagem._base.errors import TaskLostError, TaskSilentError
from stratagem._base.job import Phase
from stratagem._cluster.control import FailureKind, JobFailure, Position

# Private: what is shown of 64 tasks, and tasks that end while they are told to.
from stratagem._launch import _attempt
from stratagem._launch._attempt import Attempt, TaskStatus

# Private: tasks that end in an order that a job comes to by chance.
from stratagem._launch._cause import EndedTask, exit_code, root_cause

# Private: addresses on several machines.
from stratagem._launch._plan import TaskCounts, TaskStart, assign_addresses, with_tf_config

# Private: logs of a million lines, and lines that are half written.
from stratagem._launch._task_log_reader import TaskLogReader, error_lines, plain

# Private: the line for 64 tasks, and the lines of an hour.
from stratagem.cli._launch_show import LineDisplay, summary


def test_ports_of_a_machine_count_up_from_its_address() -> None:
    layout = TaskCounts(workers=2, ps=1, chief=True, evaluator=True, nodes=2)
    found = assign_addresses(layout, ["a:1", "[::1]:10"])
    hosts = {"chief:0": "a:1", "worker:0": "a:2", "worker:1": "a:3", "ps:0": "a:4"}
    assert found == {**hosts, "worker:2": "[::1]:10", "worker:3": "[::1]:11", "ps:1": "[::1]:12"}
    assert layout.own == ["chief:0", "worker:0", "worker:1", "ps:0", "evaluator:0"]
    assert [task.rank for task in with_tf_config(layout, found)] == [0, 1, 2, None, None]
    other = TaskCounts(workers=2, ps=1, chief=True, evaluator=True, nodes=2, node=1)
    assert [task.name for task in with_tf_config(other, found)] == ["worker:2", "worker:3", "ps:1"]


def test_every_task_may_have_an_address_of_its_own() -> None:
    found = assign_addresses(TaskCounts(workers=1, ps=1, chief=True), ["a:1", "b:1", "c:1"])
    assert found == {"chief:0": "a:1", "worker:0": "b:1", "ps:0": "c:1"}


def test_tasks_that_end_while_they_are_told_to_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_attempt, "_SETTLE_SECONDS", 0.0)
    program = [sys.executable, "-c", "raise SystemExit(7)"]
    attempt = Attempt(program, [TaskStart("worker:0", 0, {})], tmp_path, [], grace=1.0, alone=True, worker_restarts=0)
    attempt._keeper.wait(60.0)  # from now on nobody reads that they are to end
    nothing, writer = os.pipe()
    try:
        while not attempt.over:
            attempt.follow(60.0, nothing)
    finally:
        attempt.close()
        os.close(nothing)
        os.close(writer)
    (task,) = attempt.tasks.values()
    assert task.ended is not None
    assert task.ended.code == 7
    assert attempt.failed


def ended(task: str, code: int, at: float, log: str = "", *, asked: bool = False) -> EndedTask:
    return EndedTask(task, code, at, asked, log)


@pytest.mark.parametrize("kind", sorted(set(FailureKind) - {FailureKind.LEFT}))
def test_the_words_of_every_failure_name_the_root_cause(kind: FailureKind) -> None:
    failure = JobFailure("worker:1", 1, kind, 3, Phase.COLLECTIVE, "", "host", 17, 0.0)
    error = str(failure.error("worker:0", 3))
    tasks = [ended("worker:0", 1, 1.0, error), ended("worker:1", 1, 2.0, error), ended("worker:2", 1, 0.5, error)]
    assert root_cause(tasks) == "worker:1"
    told = [
        ended("worker:0", 1, 1.0, f"{name}: {error}\nlogged: {error}").blaming_error
        for name in ("a.PeerStuckError", "")
    ]
    assert told == ["PeerStuckError", None]


def test_who_goes_on_alone_is_the_root_cause_and_not_a_task_that_ended_well() -> None:
    failure = JobFailure("worker:1", 1, FailureKind.LEFT, 3, Phase.USER_CODE, "It is waited for.", "host", 17, 0.0)
    text = str(failure.error("worker:0", 3))
    cause = ended("worker:0", 1, 2.0, text)
    assert root_cause([cause, ended("worker:1", 0, 1.0)]) == "worker:0"
    assert cause.went_on_alone
    assert not ended("worker:1", 3, 1.0).went_on_alone
    assert "worker:0 calls `text = str(failure.error(" in text
    assert "(test_parts.py, line " in text
    assert "Move it out of a test of the task's index" in text
    assert "Start the job again" not in text


def test_a_server_that_the_others_could_not_do_without_is_the_root_cause_also_if_it_ended_with_0() -> None:
    for error in (TaskLostError("ps:1", "why"), TaskSilentError("ps:1", "why")):
        log = f"worker:0 is gone: why\n{type(error).__module__}.{type(error).__name__}: {error}"
        assert root_cause([ended("chief:0", 1, 1.0, log), ended("ps:1", 0, 0.5), ended("ps:0", 0, 2.0)]) == "ps:1"


def test_the_first_of_several_failures_is_the_root_cause() -> None:
    tasks = [ended("worker:0", 1, 2.0), ended("worker:1", -11, 1.0), ended("worker:2", 9, 0.5, asked=True)]
    assert root_cause(tasks) == "worker:1"
    assert exit_code(tasks[1]) == 128 + 11
    assert exit_code(tasks[2]) == exit_code(None) == 1


def test_a_log_is_read_as_it_grows(tmp_path: Path) -> None:
    path = tmp_path / "log"
    log = TaskLogReader(path, whole=True)
    assert log.read() == []
    path.write_bytes(b"one\ntw")
    assert log.read() == ["one"]
    assert log.last == "tw"
    with path.open("ab") as file:
        file.write(b"o\n10%\r50%\r100%\r\n\n\xff")
    assert log.read() == ["two", "100%", ""]
    assert log.last == "\ufffd"
    assert log.rest() == ["\ufffd"]
    assert log.rest() == []


def test_only_the_end_of_a_long_log_is_read_where_the_last_line_counts(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(b"".join(b"line %d\n" % i for i in range(1_000_000)))
    log = TaskLogReader(path, whole=False)
    log.read()
    assert log.last == "line 999999"
    whole = TaskLogReader(path, whole=True)
    assert len(whole.rest()) == 1_000_000


def test_control_characters_do_not_reach_the_table() -> None:
    assert plain("\x1b[31mred\x1b[0m \x1b]0;title\x07\x07a\tb") == "red a   b"


def test_a_long_traceback_is_shortened_in_its_middle() -> None:
    lines = ["before", "Traceback (most recent call last):", *(f"  frame {i}" for i in range(100)), "ValueError: x"]
    found = error_lines("\n".join(lines))
    assert len(found) == 30
    assert found[0] == "Traceback (most recent call last):"
    assert found[-1] == "ValueError: x"
    assert "before" not in found
    assert error_lines("a\n\nb") == ["a", "b"]


def test_many_tasks_are_summed_up(tmp_path: Path) -> None:
    tasks = []
    for i in range(64):
        task = TaskStatus(TaskStart(f"worker:{i}", i, {}), TaskLogReader(tmp_path / str(i), whole=False), pid=i + 1)
        task.position = Position(100 - i, Phase.COLLECTIVE, time.monotonic())
        task.steps.extend([(0.0, 80 - i), (4.0, 100 - i)])
        tasks.append(task)
    tasks[5].ended = ended("worker:5", 3, 1.0)
    assert summary(tasks) == ("63 running, 1 exit code 3; slowest is worker:63 running step 37 (collective) 5 steps/s")


def test_what_a_step_is_is_said_once_with_the_first_steps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hour = iter(range(0, 3600, 10))
    monkeypatch.setattr(time, "monotonic", lambda: float(next(hour)))
    shown = LineDisplay()
    task = TaskStatus(TaskStart("worker:0", 0, {}), TaskLogReader(tmp_path / "log", whole=False), pid=1)
    shown.state([task])
    task.position = Position(3, Phase.COLLECTIVE, 0.0)
    shown.state([task])
    shown.state([task])
    lines = [re.sub(r"^stratagem launch: (\d+ s: )?| \(.*", "", line) for line in capsys.readouterr().err.splitlines()]
    assert lines == [
        "worker:0 running",
        "worker:0 running step 3",
        "a step is a call of a distributed function, counted from the start of its process; those of tests count, too",
        "worker:0 running step 3",
    ]
