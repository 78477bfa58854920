"""The control channel under JAX: what listens while a job trains, who may connect, and that JAX's client does not abort it."""

import contextlib
import random
import socket
import time
from pathlib import Path

import psutil
import pytest

from stratagem._cluster.control import position_in
from tests.multi_worker.jobs import PATIENCE, Running, job

STRANGERS = 40  # at every port
SAID = (b"", b"\x00", b"GET / HTTP/1.1\r\n\r\n", b"\xff" * 8, random.Random(1).randbytes(5000))


def listening(running: Running) -> set[tuple[str, int]]:
    """The addresses at which something of the job listens."""
    return {
        (connection.laddr.ip, connection.laddr.port)
        for process in running.everything()
        for connection in process.net_connections(kind="inet")
        if connection.status == psutil.CONN_LISTEN
    }


def steps(folder: Path) -> int:
    """How many worker 0 has begun."""
    position = position_in(folder / "worker:0.progress")
    return position.step if position is not None else 0


def wait_for_step(folder: Path, number: int) -> None:
    """Until worker 0 has begun so many."""
    end = time.monotonic() + PATIENCE
    while steps(folder) < number:
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.thorough
def test_a_job_listens_here_only_ignores_strangers_and_survives_the_end_of_its_control_channel(tmp_path: Path) -> None:
    """A1 and A2, for JAX's ports as well."""
    with job("training.py", 2, 96, 100_000, STRATAGEM_STATUS_DIR=str(tmp_path)) as running:
        wait_for_step(tmp_path, 20)
        found = listening(running)
        assert len(found) == 3  # the hub's, and gloo's of two tasks
        assert {host for host, _ in found} == {"127.0.0.1"}
        with contextlib.ExitStack() as stack:
            for address in found:
                for number in range(STRANGERS):
                    stranger = stack.enter_context(socket.create_connection(address, 10))
                    stranger.sendall(SAID[number % len(SAID)])
            wait_for_step(tmp_path, steps(tmp_path) + 200)  # while they are connected
        wait_for_step(tmp_path, steps(tmp_path) + 200)
        (supervisor,) = psutil.Process(running.processes[0].pid).children()
        supervisor.kill()  # with it the hub ends, the coordination service, and everybody's way to it
        ended = running.ended()
    for task, why in zip(ended, ("lost a process that runs beside it", "was lost"), strict=True):
        assert task.code == 1, task.output  # not an abort
        assert task.output.count("stratagem._base.errors.PeerFailedError: worker:0 (rank 0,") == 1, task.output
        assert why in task.output
