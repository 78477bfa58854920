"""Locks between processes: one holder at a time, and none that outlives its process."""

import fcntl
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from stratagem._base.locks import is_locked, locked, take_lock

HOLDS = """
import sys
from pathlib import Path
from stratagem._base.locks import locked
with locked(Path(sys.argv[1])):
    print("held", flush=True)
    sys.stdin.read()
"""
Holder = Callable[[Path], "subprocess.Popen[str]"]


@pytest.fixture
def holder() -> Iterator[Holder]:
    """Starts a process that has a lock."""
    started: list[subprocess.Popen[str]] = []

    def start(path: Path) -> "subprocess.Popen[str]":
        process = subprocess.Popen(
            [sys.executable, "-c", HOLDS, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        started.append(process)
        assert process.stdout is not None
        assert process.stdout.readline() == "held\n"
        return process

    yield start
    for process in started:
        process.kill()
        process.communicate()


def test_a_lock_is_free_again_when_its_process_was_killed(tmp_path: Path, holder: Holder) -> None:
    path = tmp_path / "lock"
    process = holder(path)
    assert is_locked(path)
    with pytest.raises(BlockingIOError, match="Another process has the lock"), locked(path, wait=False):
        pass
    process.kill()
    with locked(path):
        assert is_locked(path)
    assert not is_locked(path)


def test_who_waits_gets_the_lock_when_the_other_one_ends(tmp_path: Path, holder: Holder) -> None:
    path = tmp_path / "lock"
    process, order = holder(path), []

    def wait() -> None:
        with locked(path):
            order.append("mine")

    thread = threading.Thread(target=wait)
    thread.start()
    thread.join(0.2)
    order.append("still the other's")
    process.communicate("")
    thread.join()
    assert order == ["still the other's", "mine"]


def test_a_lock_file_that_its_holder_removed_locks_nobody_out(tmp_path: Path) -> None:
    path, inside, found = tmp_path / "lock", threading.Event(), []

    def wait() -> None:
        inside.set()
        with locked(path):
            found.append((path.exists(), is_locked(path)))

    with locked(path):
        thread = threading.Thread(target=wait)
        thread.start()
        inside.wait()
        time.sleep(0.1)  # it waits for the file that is removed now
        path.unlink()
    thread.join()
    assert found == [(True, True)]


def test_only_this_user_can_open_a_lock_file(tmp_path: Path) -> None:
    with locked(tmp_path / "lock"):
        assert (tmp_path / "lock").stat().st_mode & 0o077 == 0


def test_asking_whether_a_file_is_locked_neither_makes_nor_locks_it(tmp_path: Path) -> None:
    path = tmp_path / "lock"
    assert not is_locked(path)
    assert not path.exists()
    path.touch()
    with path.open() as other:
        fcntl.flock(other, fcntl.LOCK_SH)  # as one that asks at the same moment
        assert not is_locked(path)


def test_a_folder_can_be_locked_and_the_wait_for_it_ends(tmp_path: Path) -> None:
    mine, other = (os.open(tmp_path, os.O_RDONLY) for _ in range(2))
    try:
        assert take_lock(other)
        began = time.monotonic()
        assert not take_lock(mine, 0.1)
        assert time.monotonic() - began >= 0.1
    finally:
        os.close(other)
    assert take_lock(mine, 60.0)
    os.close(mine)
