"""A program that is connected to some Ray before its task, which belongs to the job's own, starts."""

import sys
from types import SimpleNamespace
from typing import Any

import pytest

from stratagem._base.errors import ClusterError
from stratagem._cluster import Address

# Private: nothing is to be started, and only this stands between a task and its node.
from stratagem._servers.remote import _ray_node as node

HEAD = Address.parse("localhost:2222")


class Joining(Exception):
    """It goes on to start the job's node."""


@pytest.fixture(autouse=True)
def nothing_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    def locked(head: Address) -> Any:
        raise Joining

    monkeypatch.setattr(node, "locked", locked)
    monkeypatch.setenv("STRATAGEM_INSECURE", "1")


def connected(monkeypatch: pytest.MonkeyPatch, address: str, *, to: bool = True, client: bool = False) -> None:
    """What `import ray` gives."""
    fake = SimpleNamespace(
        __spec__=sys.modules[__name__].__spec__,  # it is installed
        is_initialized=lambda: to,
        get_runtime_context=lambda: SimpleNamespace(gcs_address=address),
        util=SimpleNamespace(client=SimpleNamespace(ray=SimpleNamespace(is_connected=lambda: client))),
    )
    monkeypatch.setitem(sys.modules, "ray", fake)


@pytest.mark.parametrize("client", [False, True])
def test_another_ray_is_refused_before_anything_starts(monkeypatch: pytest.MonkeyPatch, client: bool) -> None:
    connected(monkeypatch, "127.0.0.1:6379", client=client)
    with pytest.raises(ClusterError, match=r"one of their own, at localhost:2222\. Leave"):
        node.join(HEAD, HEAD)


def test_the_jobs_own_ray_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    connected(monkeypatch, "127.0.0.1:2222")
    with pytest.raises(Joining):
        node.join(HEAD, HEAD)


def test_nor_is_one_that_was_left(monkeypatch: pytest.MonkeyPatch) -> None:
    connected(monkeypatch, "127.0.0.1:6379", to=False)
    with pytest.raises(Joining):
        node.join(HEAD, HEAD)
