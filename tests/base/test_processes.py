"""A process is its number and the time of its start: the number alone is given again."""

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest

from stratagem._base import processes
from stratagem._base.processes import ProcessId, machine, stat_fields

WAITS = "input()"
NAMED = "open('/proc/self/comm', 'w').write('a) Z 1 (b'); print(flush=True); input()"


@pytest.fixture
def other() -> Iterator["subprocess.Popen[str]"]:
    """A process that runs until it is told to end."""
    process = subprocess.Popen([sys.executable, "-c", WAITS], stdin=subprocess.PIPE, text=True)
    yield process
    process.communicate()


def test_this_process_runs() -> None:
    assert ProcessId.own().pid == os.getpid()
    assert ProcessId.own() == ProcessId.of(os.getpid())
    assert ProcessId.own().is_running()


def test_a_process_that_has_ended_does_not_run_whether_or_not_its_parent_has_noticed(
    other: "subprocess.Popen[str]",
) -> None:
    identity = ProcessId.of(other.pid)
    assert identity is not None
    assert identity.is_running()
    other.kill()
    os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)  # a zombie now
    assert not identity.is_running()
    assert ProcessId.of(other.pid) is None
    other.wait()
    assert not identity.is_running()
    assert ProcessId.of(other.pid) is None


def test_a_later_process_with_the_same_number_is_another_one(other: "subprocess.Popen[str]") -> None:
    identity = ProcessId.of(other.pid)
    assert identity is not None
    assert not identity._replace(started=identity.started - 1).is_running()


def test_a_process_of_another_user_runs() -> None:
    first = ProcessId.of(1)
    assert first is not None
    assert first.is_running()


def test_where_the_system_does_not_say_when_a_process_started_its_number_has_to_do(
    other: "subprocess.Popen[str]", monkeypatch: pytest.MonkeyPatch
) -> None:
    known = ProcessId.of(other.pid)
    monkeypatch.setattr(processes, "stat_fields", lambda pid: None)
    assert ProcessId.of(other.pid) == (other.pid, 0)
    assert ProcessId(other.pid, 0).is_running()
    assert known is not None
    assert known.is_running()  # hidden from this user by now, but there
    other.kill()
    other.wait()
    assert not known.is_running()
    assert ProcessId.of(other.pid) is None


def test_a_program_may_call_itself_what_it_wants() -> None:
    process = subprocess.Popen([sys.executable, "-c", NAMED], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    process.stdout.readline()
    fields = stat_fields(process.pid)
    assert fields is not None
    assert int(fields[1]) == os.getpid()  # its parent
    process.communicate()


def test_the_machine_is_the_same_for_all_its_processes() -> None:
    program = "from stratagem._base.processes import machine; print(machine())"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == machine() != ""
