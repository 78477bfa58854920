"""The private folder of a machine's Ray node, with the job's secret, is there while the node is, and no longer."""

import contextlib
import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from stratagem._base.errors import UnavailableError
from stratagem._base.locks import is_locked
from stratagem._base.processes import ProcessId
from stratagem._cluster import Address

# Private: nodes that are other programs than Ray's, and processes that die between two steps of starting one.
from stratagem._servers.remote import _ray_folder, _ray_keeper, _ray_node
from stratagem.testing import free_ports
from tests.eventually import eventually

STARTED = "print('Ray runtime started', flush=True); import time; time.sleep(300)"
LATE = "import time; time.sleep(300)"
STUBBORN = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); time.sleep(300)"
ENDS = "print('no room'); raise SystemExit(1)"
JOIN = """
import sys
from stratagem._cluster import Address
from stratagem._servers.remote import _ray_node as node
node._RAY = sys.argv[2]
head = Address.parse(f"127.0.0.1:{sys.argv[1]}")
with node.locked(head) as folder:
    node._secure(folder, b"secret" * 8, head, loopback=True)
    print(folder, flush=True)
    node._start(folder, head, head)
print("joined", flush=True)
import time
time.sleep(300)
"""


@pytest.fixture
def head(monkeypatch: pytest.MonkeyPatch) -> Address:
    """An address of a job, which nobody listens at."""
    monkeypatch.setenv("RAY_AUTH_TOKEN_PATH", "")
    for name in (
        "RAY_AUTH_MODE",
        "RAY_USAGE_STATS_ENABLED",
        "RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER",
        "RAY_worker_niceness",
    ):
        monkeypatch.setenv(name, "")
    monkeypatch.setenv(_ray_node._RECONNECT, "")
    return Address.parse(f"127.0.0.1:{free_ports(1)[0]}")


@pytest.fixture
def start() -> Iterator[Callable[[Address, str], tuple["subprocess.Popen[str]", Path]]]:
    """Start a task whose node is this program; it and its folder, once the secret is there."""
    started: list[subprocess.Popen[str]] = []

    def one(head: Address, ray: str) -> tuple["subprocess.Popen[str]", Path]:
        command = [sys.executable, "-c", JOIN, str(head.port), ray]
        started.append(subprocess.Popen(command, stdout=subprocess.PIPE, text=True))
        assert started[-1].stdout is not None
        return started[-1], Path(started[-1].stdout.readline().strip())

    yield one
    for process in started:
        process.kill()
        process.communicate()


def begin(head: Address, mine: Address | None = None) -> None:
    """Start the node of a task as `join` does."""
    with _ray_node.locked(head) as folder:
        _ray_node._secure(folder, b"secret" * 8, head, loopback=True)
        _ray_node._start(folder, head, mine or head)


def gone(folder: Path) -> bool:
    """Nothing of it is left."""
    return not folder.exists() and not Path(f"{folder}.lock").exists()


def keeper_of(folder: Path) -> psutil.Process:
    """Its keeper, once it has started its node."""
    eventually(lambda: (folder / "keeper").exists() and is_locked(folder / "held"))
    process = psutil.Process(int((folder / "keeper").read_text().partition(" ")[0]))
    eventually(lambda: bool(process.children()))
    return process


def ended(process: psutil.Process) -> bool:
    """Whether it runs no more; its parent may not have asked for it yet."""
    return ProcessId.of(process.pid) is None


def test_its_folders_are_for_this_user_alone(head: Address) -> None:
    with _ray_node.locked(head) as folder:
        for each in (folder.parent, folder, folder / "tasks"):
            assert each.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("program", [LATE, STUBBORN], ids=["late", "stubborn"])
def test_a_head_that_is_late_is_one_error_and_leaves_nothing(
    program: str, head: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ray_node, "_RAY", program)
    monkeypatch.setattr(_ray_node, "_START_SECONDS", 1.0)
    with pytest.raises(UnavailableError, match="was not there after 1 s"):
        begin(head)
    assert gone(_ray_folder._folder(head))


def test_a_head_may_have_a_port_that_ray_would_give_to_its_workers(
    start: Callable[[Address, str], tuple["subprocess.Popen[str]", Path]],
) -> None:
    with socket.socket() as one:
        for port in random.SystemRandom().sample(range(10002, 20000), 100):
            with contextlib.suppress(OSError):
                one.bind(("127.0.0.1", port))
                break
    process, folder = start(Address.parse(f"127.0.0.1:{port}"), _ray_node._RAY)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == "joined"
    process.kill()
    eventually(lambda: gone(folder))


def test_a_head_that_ends_is_told_with_its_last_words_and_leaves_nothing(
    head: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_ray_node, "_RAY", ENDS)
    with pytest.raises(UnavailableError, match="Its last words: no room"):
        begin(head)
    assert gone(_ray_folder._folder(head))


def test_a_folder_may_be_removed_by_two(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("folder", "folder/a", "folder/b"):
        (tmp_path / name).mkdir()
    remove = os.rmdir

    def late(path: str, **other: int) -> None:
        """Somebody else was there before."""
        remove(path, **other)
        remove(path, **other)

    monkeypatch.setattr(os, "rmdir", late)
    _ray_keeper.remove(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_a_task_that_fails_before_its_node_starts_takes_the_secret_with_it(
    head: Address, monkeypatch: pytest.MonkeyPatch
) -> None:
    def wait_for(head: Address) -> None:
        assert (_ray_folder._folder(head) / "token").exists()
        raise KeyboardInterrupt

    other = Address.parse(f"192.0.2.2:{head.port}")
    monkeypatch.setattr(_ray_node, "_wait_for", wait_for)
    with pytest.raises(KeyboardInterrupt):
        begin(other, Address.parse("192.0.2.1:1"))
    assert gone(_ray_folder._folder(head))


def test_the_folder_of_a_task_that_was_killed_while_its_node_started_goes_with_the_next_job(
    head: Address, start: Callable[..., tuple["subprocess.Popen[str]", Path]]
) -> None:
    task, folder = start(head, LATE)
    keeper = keeper_of(folder)
    (ray,) = keeper.children()
    keeper.send_signal(signal.SIGKILL)
    task.kill()
    task.wait()
    eventually(lambda: ended(ray))  # the node ends with its keeper
    assert (folder / "token").exists()
    with _ray_folder.locked(Address.parse("127.0.0.1:1")):
        assert gone(folder)


def test_another_job_leaves_the_folder_of_one_that_runs_alone(
    head: Address, start: Callable[..., tuple["subprocess.Popen[str]", Path]]
) -> None:
    task, folder = start(head, STARTED)
    keeper_of(folder)
    with _ray_folder.locked(Address.parse("127.0.0.1:1")):  # while it starts, or after
        assert (folder / "token").exists()
    assert task.stdout is not None
    assert task.stdout.readline() == "joined\n"
    with _ray_folder.locked(Address.parse("127.0.0.1:1")):
        assert (folder / "token").exists()
    task.kill()
    eventually(lambda: gone(folder))  # its keeper sees that nobody uses it


def test_a_second_task_of_a_job_takes_over_from_one_that_was_killed_while_the_node_started(
    head: Address, start: Callable[..., tuple["subprocess.Popen[str]", Path]]
) -> None:
    first, folder = start(head, LATE)
    keeper = keeper_of(folder)
    (ray,) = keeper.children()
    keeper.suspend()  # it would end by itself a second after its task
    first.kill()
    first.wait()
    second, again = start(head, STARTED)
    assert again == folder
    assert second.stdout is not None
    assert second.stdout.readline() == "joined\n"
    eventually(lambda: ended(ray) and ended(keeper))
    second.kill()
    eventually(lambda: gone(folder))
