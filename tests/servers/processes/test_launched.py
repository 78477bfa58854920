"""Jobs with parameter servers under `stratagem launch`: lost workers come back, and the launcher's end is everybody's."""

import json
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from tests.cli.launches import Launcher, launcher
from tests.multi_worker.jobs import PATIENCE
from tests.servers.processes.following import PROGRAMS

FOLDER = Path(f"/tmp/stratagem-{os.geteuid()}")
JOB = ("--chief", "--workers", 2, "--ps", 2, "--tee", "chief:0")
GRACE = 200.0


def rounds(started: Launcher) -> list[list[int]]:
    """The processes that took the steps of each round so far."""
    told = [
        line.removeprefix("[chief:0] round ") for line in started.out.splitlines(keepends=True) if "] round " in line
    ]
    return [json.loads(text)[2] for text in told if text.endswith("\n")]


def wait_for_round(started: Launcher, of: Callable[[set[int]], bool]) -> set[int]:
    """Until a new round was taken by processes for which `of` is true."""
    end, before = time.monotonic() + PATIENCE, len(rounds(started))
    while True:
        for found in rounds(started)[before:]:
            if of(set(found)):
                return set(found)
        assert time.monotonic() < end, started.out + started.told
        assert started.process.poll() is None, started.out + started.told
        time.sleep(0.05)


def both(who: set[int]) -> bool:
    return len(who) == 2


def task_of(process: psutil.Process) -> str:
    """The task of the job that a process was started as; "" for others."""
    if "following.py" not in " ".join(process.cmdline()):
        return ""
    task = json.loads(process.environ().get("TF_CONFIG", '{"task": {"type": "", "index": ""}}'))["task"]
    return f"{task['type']}:{task['index']}"


def process_of(started: Launcher, task: str) -> psutil.Process:
    """The process of a task."""
    (found,) = [p for p in started.others() if task_of(p) == task and "_keeper.py" in " ".join(p.parent().cmdline())]
    return found


def folder_of(started: Launcher) -> Path:
    """Where the job's Ray node keeps its files."""
    address = json.loads(process_of(started, "chief:0").environ()["TF_CONFIG"])["cluster"]["chief"][0]
    return FOLDER / f"ray-{address.rpartition(':')[2]}"


@pytest.mark.thorough
def test_a_killed_worker_comes_back_and_every_step_counts_once(tmp_path: Path) -> None:
    with launcher(*JOB, PROGRAMS / "following.py", tmp_path) as started:
        before = wait_for_round(started, both)
        folder = folder_of(started)
        process_of(started, "worker:1").kill()  # and with it the process that takes its steps
        then = wait_for_round(started, lambda who: both(who) and who != before)
        (lost,) = then - before
        psutil.Process(lost).kill()  # only the one that takes the steps
        wait_for_round(started, lambda who: both(who) and lost not in who)
        (tmp_path / "stop").touch()
        done = started.done(PATIENCE)
        assert done.code == 0, done.whole
        (line,) = [line for line in done.out.splitlines() if line.startswith("[chief:0] applied ")]
        scheduled, applied = json.loads(line.removeprefix("[chief:0] applied "))
        assert applied == [scheduled] * len(applied)
        assert "SIGKILL; restart 1 of 10 in 1 s" in done.told
        assert "exit code 1; restart 2 of 10 in 2 s" in done.told
        assert "5 tasks are done" in done.told
        assert "restarts: 2 of worker:1" in done.told
        started.wait_until_gone(10.0)
    assert not folder.exists()


@pytest.mark.thorough
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_to_the_launcher_ends_the_tasks_and_ray(tmp_path: Path, number: signal.Signals) -> None:
    with launcher(*JOB, "--grace", GRACE, PROGRAMS / "following.py", tmp_path) as started:
        wait_for_round(started, both)
        folder = folder_of(started)
        assert folder.is_dir()
        everything = started.others()
        ports = {c.laddr.port for p in everything for c in p.net_connections("inet") if c.status == psutil.CONN_LISTEN}
        assert len(ports) > 5
        began = time.monotonic()
        started.process.send_signal(number)
        done = started.done(PATIENCE)
        assert done.code == 128 + number
        assert time.monotonic() - began < GRACE
        assert "killed:" not in done.told
        started.wait_until_gone(PATIENCE)
        assert not folder.exists()
        assert not folder.with_name(f"{folder.name}.lock").exists()
        listening = {c.laddr.port for c in psutil.net_connections("inet") if c.status == psutil.CONN_LISTEN}
        assert not ports & listening
