"""Servers as the workers of their machine call them: past Ray for steps, and by Ray for all else and whenever a link breaks."""

import sys
import threading
import time
from collections.abc import Iterator
from typing import Any, final

import numpy as np
import pytest

import stratagem as tf
from stratagem._hooks import install

# Private: both ends of a link to a server, without Ray between.
from stratagem._servers.remote import Pending, Push, PushId, _local_socket
from stratagem._servers.remote._actors import AnswerLimit, CompletedCall, WatchedActor
from stratagem._servers.remote._linked_actor import LinkedActor
from stratagem._servers.remote._local_socket import LinkAddress, LinkListener
from stratagem._servers.remote._pickling import packed, unpacked
from stratagem._servers.remote._ray_server_actor import ServerTask
from stratagem._servers.remote._server import MissingVariableError
from stratagem._servers.remote._task_process import TaskProcess

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="links are Linux's")


@final
class Patient(AnswerLimit):
    """Waits until the task is said to be silent, and not for ever."""

    def __init__(self, ray: "ByRay") -> None:
        self._ray, self._end = ray, time.monotonic() + 20.0

    def check(self) -> None:
        if self._ray.silent or time.monotonic() > self._end:
            raise tf.errors.TaskSilentError("ps:0", "it has not answered")


@final
class ByRay(WatchedActor):
    """A server as Ray would reach it, on a machine with links. calls: the methods that were called this way."""

    task = "ps:0"

    def __init__(self) -> None:
        self.server = ServerTask(0, install, TaskProcess())
        self.server.serve("c")
        self.server.create("v", np.zeros(3, np.float32))
        self.calls: list[str] = []
        self.silent = False
        self.on_arrival = self.on_answer = lambda: None
        self.listener = LinkListener(self._answer)
        self.address: LinkAddress | None = self.listener.address

    def call(self, method: str, *args: Any) -> Pending:
        self.calls.append(method)
        if method == "link_address":
            return CompletedCall(self.address)
        return CompletedCall(getattr(self.server, method)(*args))

    def _answer(self, message: Any) -> Any:
        """What comes by a link."""
        self.on_arrival()
        answer = self.server.answer(message)
        self.on_answer()
        return answer

    def check(self) -> None:
        """Ray runs."""

    def answer_limit(self) -> AnswerLimit:
        return Patient(self)


@pytest.fixture
def ray() -> Iterator[ByRay]:
    found = ByRay()
    yield found
    found.listener.close()


@pytest.fixture
def linked(ray: ByRay) -> Iterator[LinkedActor]:
    found = LinkedActor(ray)
    yield found
    found.unlink()


def broken() -> None:
    raise OSError("as if the process had ended")


def amounts(value: float) -> Push:
    return Push(added={"v": np.full(3, value, np.float32)})


def test_steps_go_past_ray_and_all_else_by_ray(ray: ByRay, linked: LinkedActor) -> None:
    assert linked.call("push", PushId(0, 1, 0, "c"), amounts(2.0)).result() is True
    found = linked.call("push_and_read", PushId(1, 1, 0, "c"), amounts(1.0), ["v"]).result()
    assert (found.pushes, found.values[0].tolist()) == (2, [3.0, 3.0, 3.0])
    assert linked.call("read", ["v"]).result().values[0].tolist() == [3.0, 3.0, 3.0]
    assert linked.call("rows", [("v", np.asarray([1]))]).result().values[0].tolist() == [3.0]
    assert linked.call("traffic").result().pushes == 2
    assert ray.calls == ["link_address", "traffic"]


def test_errors_are_those_that_ray_brings(linked: LinkedActor) -> None:
    with pytest.raises(MissingVariableError, match="Server ps:0 has no variables w") as found:
        linked.call("read", ["w"]).result()
    assert "ps:0 raised it:" in found.value.__notes__[0]
    assert linked.call("read", ["v"]).result().values[0].tolist() == [0.0, 0.0, 0.0]


@pytest.mark.parametrize("applied", [False, True])
def test_a_push_whose_link_breaks_counts_once(ray: ByRay, linked: LinkedActor, applied: bool) -> None:
    """Before the server has applied it, or before the answer has arrived. The next call has a link again."""
    linked.call("read", ["v"]).result()
    setattr(ray, "on_answer" if applied else "on_arrival", broken)
    linked.call("push", PushId(0, 1, 0, "c"), amounts(2.0)).result()
    assert ray.calls == ["link_address", "push"]
    ray.on_arrival = ray.on_answer = lambda: None
    found = linked.call("read", ["v"]).result()
    assert found.values[0].tolist() == [2.0, 2.0, 2.0]
    assert ray.server.traffic().dropped == (1 if applied else 0)
    assert ray.calls == ["link_address", "push", "link_address"]


def test_calls_that_are_under_way_together_get_their_own_answers(ray: ByRay, linked: LinkedActor) -> None:
    """Two shards of a table may be on one server; what is looked up there fills the socket."""
    for key in ("a", "b"):
        ray.server.create(key, np.full(1_000_000, ord(key), np.float32))
    ids = np.arange(1_000_000)
    calls = [linked.call("rows", [(key, ids)]) for key in ("a", "b")]
    assert [call.result().values[0][-1] for call in calls] == [ord("a"), ord("b")]
    forgotten = linked.call("read", ["a"])
    assert linked.call("read", ["v"]).result().values[0].tolist() == [0.0, 0.0, 0.0]
    assert forgotten.result().values[0][0] == ord("a")


def test_a_silent_server_is_told_and_its_late_answer_is_nobodys(
    ray: ByRay, linked: LinkedActor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_local_socket, "_SLICE_SECONDS", 0.01)
    ray.server.create("w", np.ones(3, np.float32))
    linked.call("read", ["v"]).result()
    thawed = threading.Event()
    ray.on_answer = thawed.wait  # type: ignore[assignment]
    ray.silent = True
    frozen = linked.call("read", ["v"])
    with pytest.raises(tf.errors.TaskSilentError, match="it has not answered"):
        frozen.result()
    ray.silent = False
    thawed.set()
    assert linked.call("read", ["w"]).result().values[0].tolist() == [1.0, 1.0, 1.0]
    assert ray.calls == ["link_address", "link_address"]


@pytest.mark.parametrize("where", ["on another machine", "on another system"])
def test_a_server_elsewhere_is_called_by_ray(ray: ByRay, linked: LinkedActor, where: str) -> None:
    ray.address = LinkAddress(b"\0stratagem-nobody", bytes(32)) if where == "on another machine" else None
    for _ in range(2):
        linked.call("read", ["v"]).result()
    assert ray.calls == ["link_address", "read", "read"]


def test_a_server_opens_one_socket_for_all_its_callers(monkeypatch: pytest.MonkeyPatch) -> None:
    server = ServerTask(0, install, TaskProcess())
    address = unpacked(server.answer(packed(("link_address", ()))))
    try:
        assert server.link_address() == address
        link = _local_socket.LocalLink(address)
        link.send(packed(("ping", ())), lambda: None)
        assert unpacked(link.receive(lambda: None)) == server.ping()
        link.close()
    finally:
        assert server._listener is not None
        server._listener.close()
    monkeypatch.setattr(sys, "platform", "darwin")
    assert ServerTask(0, install, TaskProcess()).link_address() is None
