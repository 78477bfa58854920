"""However a launcher ends, its tasks and all that they started end with it, and their ports are free."""

import signal
import socket
import time
from itertools import product
from pathlib import Path

import pytest

from tests.cli.launches import PROGRAMS, Launcher, launch, launcher
from tests.thorough import thorough_but

STAYING = PROGRAMS / "staying.py"
GRACE = 1.0
LATEST = 120.0  # seconds after the grace in which everything has to be gone, on a busy machine


def staying(started: Launcher, tasks: int) -> list[int]:
    """The ports of the tasks, once all of them listen."""
    started.wait_for("staying ", tasks)
    return [int(line.split()[-1]) for line in started.out.splitlines() if "staying " in line]


def check_gone(started: Launcher, ports: list[int], seconds: float) -> None:
    """Nothing runs, nothing listens."""
    started.wait_until_gone(seconds)
    for port in ports:  # not bound: by now it may be that of anybody's connection
        with pytest.raises(ConnectionRefusedError):
            socket.create_connection(("127.0.0.1", port), 120).close()


CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
# Every signal, and tasks of both kinds.
QUICK = [*zip(CODES, ("polite", "stubborn", "stubborn", "polite"), strict=True), (signal.SIGKILL, "stubborn")]


@pytest.mark.sampled
@pytest.mark.parametrize(("number", "manner"), thorough_but(QUICK, product(CODES, ("polite", "stubborn"))))
def test_s5_nothing_outlives_the_launcher(number: signal.Signals, manner: str) -> None:
    with launcher("--workers", 2, "--ps", 1, "--grace", GRACE, "--tee", "all", STAYING, manner) as started:
        ports = staying(started, 3)
        assert len(started.others()) == 7  # the keeper, and with every task one that left its session
        started.process.send_signal(number)
        began = time.monotonic()
        assert started.done().code == CODES[number]
        check_gone(started, ports, began + GRACE + LATEST - time.monotonic())
        if number != signal.SIGKILL:
            assert f"ended by {number.name}" in started.told


def test_a_second_ctrl_c_does_not_wait() -> None:
    with launcher("--workers", 2, "--grace", 1000, "--tee", "all", STAYING, "stubborn") as started:
        staying(started, 2)
        started.process.send_signal(signal.SIGINT)
        started.wait_for("once more kills them now")
        started.process.send_signal(signal.SIGINT)
        assert started.done(LATEST).code == 130


def test_the_keepers_death_kills_the_tasks_and_is_told() -> None:
    with launcher("--workers", 2, "--tee", "all", STAYING, "stubborn") as started:
        staying(started, 2)
        folders = {process.environ().get("STRATAGEM_STATUS_DIR") for process in started.others()} - {None}
        (folder,) = map(Path, map(str, folders))
        assert folder.is_dir()
        started.child("_keeper.py").kill()
        assert started.done().code == 1
        assert "has ended unexpectedly" in started.told
        assert not folder.exists()
        left = [process for process in started.others() if "sleep" not in process.name()]
        assert left == []
        for process in started.others():  # nobody is there to end what left its session
            process.kill()


def test_a_stopped_task_hears_that_it_is_to_end() -> None:
    with launcher("--grace", 1000, STAYING, "polite") as started:
        staying(started, 1)
        started.child("staying.py").suspend()
        started.process.terminate()
        assert started.done().code == 143


@pytest.mark.thorough
def test_what_tasks_leave_behind_is_told_and_ended() -> None:
    done = launch("--workers", 1, STAYING, "leaving")
    assert done.code == 0
    assert "1 process outlived the tasks that started them and were killed" in done.told
    assert "sleep 1001" in done.told


def test_a_reader_of_stdout_that_goes_away_ends_the_job() -> None:
    with launcher("--grace", GRACE, "--tee", "all", PROGRAMS / "printing.py", pipe=True) as started:
        assert started.process.stdout is not None
        started.process.stdout.readline()
        started.process.stdout.close()
        assert started.done().code == 1
