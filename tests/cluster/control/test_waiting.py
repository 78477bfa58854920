"""S3: a job that cannot begin says every 15 s what it waits for, and ends with one line."""

import json
import socket
from typing import Any

import pytest

from stratagem.testing import free_ports
from tests.cluster.control.test_processes import program
from tests.multi_worker.jobs import PATIENCE, Ended


def with_addresses(*addresses: str) -> list[dict[str, str]]:
    """The variables of workers at these addresses."""
    return [
        {"TF_CONFIG": json.dumps({"cluster": {"worker": addresses}, "task": {"type": "worker", "index": index}})}
        for index in range(len(addresses))
    ]


def check_not_joined(task: Ended, *says: str) -> None:
    """It gave up in one line."""
    assert task.code == 3, task.output
    assert "Traceback" not in task.output
    (line,) = [line for line in task.output.splitlines() if line.startswith("not joined: ClusterError ")]
    for words in says:
        assert words in line


@pytest.fixture(scope="module")
def waited() -> Any:
    """How the tasks of two jobs ended, which waited at the same time: one at a used port, one at a name without an address."""
    port, *others = free_ports(4)
    unknown = with_addresses(f"nowhere.invalid:{others[0]}", f"127.0.0.1:{others[1]}")
    with (
        socket.create_server(("127.0.0.1", port)),
        program("idle", environments=with_addresses(f"127.0.0.1:{port}", f"127.0.0.1:{others[2]}")) as used,
        program("idle", environments=unknown, STRATAGEM_JOIN_SECONDS="25", STRATAGEM_INSECURE="1") as unnamed,
    ):
        used.processes[0].wait(PATIENCE)
        used.processes[1].kill()  # it would wait for 10 minutes
        yield used.ended(), unnamed.ended(), port, others[0]


def test_a_port_in_use_is_told_after_a_while(waited: Any) -> None:
    (chief, _), _, port, _ = waited
    check_not_joined(
        chief,
        f"worker:0 cannot listen at 127.0.0.1:{port}: ",
        "ddress already in use",
        "Is the port in use",
        "only one may be worker:0",
    )


def test_a_name_without_an_address_is_waited_for_until_the_limit(waited: Any) -> None:
    _, (chief, other), _, port = waited
    place = f"nowhere.invalid:{port} ("
    assert f"worker:0 waits for its own address {place}" in chief.output
    assert f"worker:1 waits for worker:0 at {place}" in other.output
    assert (
        " of 25 s. Start all tasks, with the same cluster; they connect to worker:0 at nowhere.invalid" in other.output
    )
    check_not_joined(chief, f"worker:0 waited 25 s for its own address {place}", "Are all tasks started")
    check_not_joined(other, f"worker:1 waited 25 s for worker:0 at {place}", "Are all tasks started")
