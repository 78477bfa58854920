"""Tasks as processes, with their supervisors: agreements, what can be seen of the job, and tasks that end in every way."""

import json
import os
import signal
import stat
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jaxlib
import psutil
import pytest

from stratagem._cluster.control import own_token_file
from tests.multi_worker.jobs import PATIENCE, Ended, Running, job, printed

TASK = Path(__file__).parent / "programs" / "task.py"
LOST = "worker:1 (rank 1,"


def program(what: str, rank: int = 1, workers: int = 2, **variables: Any) -> Any:
    """A job of the program beside these tests."""
    return job(TASK, workers, what, rank, alone=True, **variables)


def supervisor(running: Running, rank: int) -> psutil.Process:
    """Of a task that has joined."""
    (found,) = psutil.Process(running.processes[rank].pid).children()
    return found


def wait_for_hub(running: Running) -> None:
    """Until something of the job listens."""
    while not any(
        connection.status == psutil.CONN_LISTEN
        for process in running.everything()
        for connection in process.net_connections(kind="inet")
    ):
        time.sleep(0.05)


def check_survivor(task: Ended, *facts: str) -> None:
    """One typed error and no abort."""
    assert task.code == 1, task.output
    _, _, error = task.output.rpartition("stratagem._base.errors.PeerFailedError: ")
    for fact in facts:
        assert fact in error, task.output


@pytest.mark.parametrize("rank", [pytest.param(0, marks=pytest.mark.thorough), 1])
def test_a_task_that_is_killed_before_the_job_begins_is_told_to_all_who_wait(rank: int) -> None:
    """The third one never comes; and nobody waits for the limit to join, which is ten minutes."""
    with program("idle", workers=3) as running:
        running.processes[2].send_signal(signal.SIGSTOP)
        for each in (0, 1):
            running.wait_for(each, "waits for worker:2")
        running.processes[rank].kill()
        running.processes[1 - rank].wait(PATIENCE)
        running.processes[2].kill()
        ended = running.ended()
    (line,) = [line for line in ended[1 - rank].output.splitlines() if line.startswith("not joined: ")]
    assert f"PeerFailedError worker:{rank} (rank {rank}," in line
    assert "was lost in step 0, phase starting. Its process ended without a word" in line


def test_threads_of_three_tasks_agree_in_the_order_of_each() -> None:
    with program("agree", workers=3) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0, 0], ended
    found = [printed(task, "agreed") for task in ended]
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 200
    assert len({json.dumps(values) for values in found[0].values()}) == 200
    assert all("together [0, 1, 2]" in task.output for task in ended)


def test_tasks_that_ask_different_things_are_told_what() -> None:
    with program("fruits") as running:
        ended = running.ended()
    for task in ended:
        assert "too large: program 0: the tasks cannot agree on a value of" in task.output
        assert task.code == 1
        assert "ClusterError: The tasks do different things" in task.output
    assert "worker:0 is at pears, worker:1 at apples" in ended[0].output
    assert "worker:1 is at apples, worker:0 at pears" in ended[1].output


def test_a_task_that_has_ended_is_named_with_its_last_step_however_short_its_steps_were() -> None:
    with program("steps") as running:
        ended = running.ended()
    assert ended[1].code == 0
    check_survivor(ended[0], LOST, "has ended, and others still need it in step 1000, ")


@pytest.fixture(scope="module")
def idle(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Running, str]]:
    """A job in which nothing happens, under bad circumstances: one task is isolated, the other has no home; a long TMPDIR."""
    folder = tmp_path_factory.mktemp("x" * 120)
    go = folder / "go"
    token = folder / "token"
    circumstances = [
        {"ISOLATED": "1", "PACKAGES": str(Path(jaxlib.__file__).parents[1])},
        {"HOME": "/nowhere", "XDG_CONFIG_HOME": "", "PYTHONPATH": ""},
    ]
    common = {"TMPDIR": str(folder), "GO": str(go), "STRATAGEM_TOKEN_FILE": str(token), "PYTHONWARNINGS": "error"}
    with program("idle", environments=circumstances, **common) as running:
        for rank in (0, 1):
            running.wait_for(rank, "joined")
        yield running, token.read_text().strip()
        go.touch()
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended
    assert all("together [0, 1]" in task.output for task in ended), ended


def test_all_sockets_are_on_this_machine_and_of_this_user(idle: tuple[Running, str]) -> None:
    """A1, for the control channel; tests/multi_worker looks at JAX's as well."""
    running, _ = idle
    listening, folders = [], set()
    for process in running.everything():
        for connection in process.net_connections(kind="inet"):
            assert connection.laddr.ip == "127.0.0.1", (process.cmdline(), connection)
            if connection.status == psutil.CONN_LISTEN:
                listening.append(connection.laddr.port)
        folders |= {Path(c.laddr).parent for c in process.net_connections(kind="unix") if c.laddr}
    assert len(listening) == 1
    assert len(folders) == 2
    for folder in folders:
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700, folder


def test_the_secret_is_in_no_command_environment_or_log(idle: tuple[Running, str]) -> None:
    running, secret = idle
    processes = running.everything()
    assert len(processes) == 5  # two tasks, two supervisors, the coordination service
    for process in processes:
        base = Path(f"/proc/{process.pid}")
        assert secret.encode() not in (base / "cmdline").read_bytes()
        assert secret.encode() not in (base / "environ").read_bytes()
    assert all(secret not in running.output(rank) for rank in (0, 1))


def test_supervisors_hold_nothing_that_others_wait_for(idle: tuple[Running, str]) -> None:
    """Whoever reads a task's output must see its end when the task has ended, not when the job has."""
    running, _ = idle
    for rank in (0, 1):
        for handle in (0, 1, 2):
            assert os.readlink(f"/proc/{supervisor(running, rank).pid}/fd/{handle}") == os.devnull


def test_forked_children_are_not_the_task() -> None:
    with program("fork") as running:
        running.wait_for(1, "children have ended")
        running.wait_for(0, "joined")
        time.sleep(1.0)
        assert running.processes[0].poll() is None, running.output(0)
        running.processes[1].kill()
        running.processes[0].wait(PATIENCE)
        for child in running.everything():  # two of them hold everything open that the task had
            child.kill()
        ended = running.ended()
    check_survivor(ended[0], LOST, "Its process ended without a word")
    assert "was forked by worker:1 and is no task" in ended[1].output


def test_a_task_that_leaves_by_os_exit_is_said_to_have_left_and_not_to_be_killed() -> None:
    with program("leave") as running:
        assert running.processes[1].wait(60) == 0
        ended = running.ended()
    check_survivor(ended[0], LOST, "Its process ended without a word")
    assert "SIGKILL, out of memory?) or crashed." not in ended[0].output


@pytest.mark.thorough
def test_a_task_that_becomes_another_program_is_lost() -> None:
    with program("exec") as running:
        running.wait_for(1, "joined")
        running.processes[0].wait(PATIENCE)
        running.processes[1].kill()
        ended = running.ended()
    check_survivor(ended[0], LOST, "has cut its own connection")


def test_an_exception_is_told_also_where_another_hook_shows_it() -> None:
    with program("hook") as running:
        ended = running.ended()
    assert "a hook of the user's: a bug of the user's" in ended[1].output
    check_survivor(ended[0], LOST, "raised an exception", "ValueError: a bug of the user's")


def test_a_thread_that_ends_is_not_the_task() -> None:
    with program("thread") as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended


@pytest.mark.parametrize("rank", [0, 1])
def test_a_task_whose_supervisor_is_killed_is_told_and_so_are_the_others(rank: int) -> None:
    with program("idle", GO="/never") as running:
        for each in (0, 1):
            running.wait_for(each, "joined")
        supervisor(running, rank).kill()
        ended = running.ended()
    check_survivor(ended[rank], f"worker:{rank} (rank {rank},", "Its supervisor has ended, or does not answer")
    check_survivor(ended[1 - rank], f"worker:{rank} (rank {rank},", "The connection to its supervisor ended")


@pytest.mark.parametrize("rank", [0, pytest.param(1, marks=pytest.mark.thorough)])
def test_a_supervisor_that_is_frozen_is_as_good_as_gone(rank: int) -> None:
    with program("idle", GO="/never", STRATAGEM_HEARTBEAT_SECONDS="5") as running:
        for each in (0, 1):
            running.wait_for(each, "joined")
        frozen = supervisor(running, rank)
        frozen.suspend()
        for process in running.processes:
            process.wait(PATIENCE)
        frozen.resume()
        ended = running.ended()
    check_survivor(ended[rank], f"worker:{rank} (rank {rank},", "Its supervisor has ended, or does not answer")
    check_survivor(ended[1 - rank], f"worker:{rank} (rank {rank},", "Nothing was heard from its supervisor")


def test_a_job_begins_also_when_the_chief_gave_up_and_is_started_again() -> None:
    with program("idle", workers=3) as running:
        running.processes[2].send_signal(signal.SIGSTOP)
        running.wait_for(1, "waits for worker:2")  # so it is with the first one already
        running.kill_and_start_again(0, signal.SIGINT)
        wait_for_hub(running)
        running.processes[2].send_signal(signal.SIGCONT)
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0, 0], ended


def test_a_task_that_gave_up_may_join_again() -> None:
    """In a notebook: Ctrl-C while it waits, or others were missing for too long."""
    with program("again", STRATAGEM_JOIN_SECONDS="240") as running:
        chief, other = running.processes
        other.send_signal(signal.SIGSTOP)
        wait_for_hub(running)
        chief.send_signal(signal.SIGINT)
        running.wait_for(0, "not joined: KeyboardInterrupt")
        other.send_signal(signal.SIGCONT)
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended


def test_who_connects_to_a_service_that_does_not_answer_says_so_and_gives_up() -> None:
    with program("connect", CONNECT_SECONDS="1", GO="/never") as running:
        ended = running.ended()
    assert ended[0].code == 1  # JAX's client would abort
    assert "ClusterError: worker:0 waited 1 s for JAX's coordination service, to which" in ended[0].output
    check_survivor(ended[1], "worker:0 (rank 0,", "raised an exception", "ClusterError: worker:0 waited 1 s")


def test_who_connects_is_told_when_another_is_lost_meanwhile() -> None:
    with program("connect", CONNECT_SECONDS="600", GO="/never") as running:
        running.wait_for(0, "connecting")
        running.wait_for(1, "joined")
        running.processes[1].kill()
        ended = running.ended()
    check_survivor(ended[0], LOST, "Its process ended without a word")


def test_who_is_missing_for_too_long_is_named() -> None:
    with program("idle", STRATAGEM_JOIN_SECONDS="2") as running:
        running.processes[1].kill()
        ended = running.ended()
    assert ended[0].code == 3
    assert "not joined: ClusterError worker:0 waited 2 s for worker:1 at 127.0.0.1:" in ended[0].output


@pytest.mark.parametrize(
    ("variables", "error"),
    [
        ({"STRATAGEM_HEARTBEAT_SECONDS": "soon"}, "STRATAGEM_HEARTBEAT_SECONDS has to be a number"),
        ({"STRATAGEM_TOKEN_FILE": "/dev/null/token"}, "can be written to none of: /dev/null/token"),
    ],
)
def test_what_is_wrong_is_one_error_of_the_task(variables: dict[str, str], error: str) -> None:
    with program("idle", **variables) as running:
        ended = running.ended()
    for task in ended:
        assert task.code == 3
        assert task.output.count(error) == 1, task.output
        assert "Traceback" not in task.output
    assert own_token_file({"HOME": "/nowhere"}).parts[1] == "nowhere"
