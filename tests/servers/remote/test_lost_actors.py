"""Actors that Ray cannot start, or not yet: a lost worker of a job on a user's cluster is started until it runs."""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, final

import pytest
from ray import exceptions

import stratagem as tf

# Private: what Ray may say of actors that it can not start, said by a stand-in for Ray.
from stratagem._servers.remote import (
    _ray_actors,
    _ray_arrivals,
    _ray_node,
    _task_server,
)

# Private: what an actor takes over from the process of its task, which is none here.
from stratagem._servers.remote._task_process import TaskProcess


@final
class Ray:
    """As the module, where a call returns or raises what its actor is there for."""

    exceptions = exceptions

    def __init__(self) -> None:
        self.started: list[Any] = []

    def get(self, reference: Any, timeout: float) -> Any:
        if isinstance(reference, Exception):
            raise reference
        return reference

    def starting(self, *answers: Any) -> Callable[[], Any]:
        """Starts actors that answer this, one after the other; or raises it, in a tuple."""
        left = list(answers)

        def start() -> Any:
            self.started.append(left[0])
            match left.pop(0):
                case (error,):
                    raise error
                case answer:
                    return actor(answer)

        return start


def actor(answer: Any) -> Any:
    return SimpleNamespace(ping=SimpleNamespace(remote=lambda: answer))


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Ray:
    found = Ray()
    monkeypatch.setitem(sys.modules, "ray", found)
    monkeypatch.setattr(_ray_node, "check", lambda: None)
    monkeypatch.setattr(_ray_actors, "_LOOK_SECONDS", 0.001)
    return found


@pytest.mark.parametrize(
    "error",
    [
        exceptions.ActorDiedError(),
        exceptions.RuntimeEnvSetupError("no such package"),
        exceptions.ActorUnschedulableError("no such node"),
        exceptions.RaySystemError("no connection"),
    ],
    ids=lambda error: type(error).__name__,
)
def test_an_actor_that_dies_is_started_again_whatever_ray_says(ray: Ray, error: Exception) -> None:
    start = ray.starting(error, (error,), (ValueError("the name is taken"),), 7)
    found = _ray_actors.RayActor("worker:0", "job", actor(exceptions.ActorDiedError()), start)
    found.find(60.0)
    assert len(ray.started) == 4
    assert ray.get(found.handle.ping.remote(), 0) == 7


def test_an_actor_that_does_not_answer_yet_is_not_started_again(ray: Ray) -> None:
    error = exceptions.ActorUnavailableError("no answer yet", None)
    found = _ray_actors.RayActor("worker:0", "job", actor(error), ray.starting(7))
    with pytest.raises(
        tf.errors.UnavailableError, match=r"worker:0 did not join the job within 0.05 s. Ray says: .*yet"
    ):
        found.find(0.05)
    assert not ray.started


class Started:
    """A process that is a task, when Ray has started its actor."""

    def __init__(self, ray: Ray, monkeypatch: pytest.MonkeyPatch, *answers: Any) -> None:
        start = ray.starting(*answers)
        monkeypatch.setattr(_ray_actors, "start_actor", lambda *_: start())
        monkeypatch.setattr(_ray_node, "logs", lambda: "the folder")
        monkeypatch.setattr(_ray_node, "this_node", lambda _: None)
        monkeypatch.setenv("STRATAGEM_JOIN_SECONDS", "0.2")
        self._ray = ray

    def hosted(self) -> Any:
        return _ray_actors.host_task(self._ray, "worker", 1, 2, "job", TaskProcess())


def test_a_task_that_ray_never_starts_is_told_so(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    process = Started(ray, monkeypatch, exceptions.GetTimeoutError())
    with pytest.raises(tf.errors.UnavailableError, match=r"start worker:1: it was not there after 0.2 s .*the folder"):
        process.hosted()


def test_a_task_that_ray_cannot_start_is_told_why(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    process = Started(ray, monkeypatch, exceptions.RuntimeEnvSetupError("no such package"))
    with pytest.raises(tf.errors.UnavailableError, match=r"start worker:1: (.|\n)*no such package"):
        process.hosted()


def test_a_task_waits_for_its_name_to_become_free(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = (ValueError("the name is taken"),)
    assert ray.get(Started(ray, monkeypatch, taken, taken, 7).hosted().ping.remote(), 0) == 7


def test_a_task_whose_node_ends_does_not_wait(ray: Ray, monkeypatch: pytest.MonkeyPatch) -> None:
    process = Started(ray, monkeypatch, exceptions.GetTimeoutError())

    def ended() -> None:
        raise tf.errors.UnavailableError(None, None, "Ray's node of this machine has ended")

    monkeypatch.setattr(_ray_node, "check", ended)
    with pytest.raises(tf.errors.UnavailableError, match="has ended"):
        process.hosted()


def test_who_cannot_start_at_all_is_not_tried_without_a_pause(ray: Ray) -> None:
    error = exceptions.RuntimeEnvSetupError("no such package")
    found = _ray_actors.RayActor("worker:0", "job", actor(error), ray.starting(*[error] * 1000))
    with pytest.raises(tf.errors.UnavailableError, match="no such package"):
        found.find(0.5)
    assert len(ray.started) <= 10


def test_who_waits_for_tasks_says_which_are_missing(
    ray: Ray, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Also how far they are, until all have come."""
    here = {"ps:0": actor(7)}

    def get_actor(task: str, namespace: str) -> Any:
        if any("1 of 2 tasks have joined" in message for message in caplog.messages):
            here["worker:0"] = actor(8)
        if task not in here:
            raise ValueError(f"no actor {task}")
        return here[task]

    monkeypatch.setattr(ray, "get_actor", get_actor, raising=False)
    monkeypatch.setattr(_ray_actors.RayActor, "call", lambda *_: SimpleNamespace(result=lambda: None))
    monkeypatch.setattr(_ray_arrivals, "_SAY_SECONDS", 0.02)
    monkeypatch.setenv("STRATAGEM_JOIN_SECONDS", "60")
    with caplog.at_level("INFO"):
        _ray_arrivals.find_all([_ray_actors.RayActor(task, "job") for task in ("ps:0", "worker:0")])
    expected = "of at most 60 s: 1 of 2 tasks have joined; waiting for worker:0 (not started, or"
    assert any(expected in message for message in caplog.messages), caplog.messages


OWNER = """The actor died unexpectedly before finishing this task.
\tpid: 15765
The actor is dead because its owner has died. Owner Id: 03 Owner worker exit type: SYSTEM_ERROR"""
PROCESS = """The actor died unexpectedly before finishing this task.
\tpid: 15764
The actor is dead because its worker process has died. Worker exit type: SYSTEM_ERROR"""
KILLED = """The actor died unexpectedly before finishing this task.
\tpid: 16598
The actor is dead because it was killed by `ray.kill`."""


@pytest.mark.parametrize(
    ("text", "known"),
    [
        (OWNER, "ps:1 is gone: the task's own process has ended. Its log says how"),
        (
            PROCESS,
            "ps:1 is gone: the process that serves it has ended: killed (out of memory?), crashed, or by os._exit.",
        ),
        (KILLED, "this task. The actor is dead because it was killed by `ray.kill`."),
        ("Out of room", "ps:1 is gone: Out of room"),
        ("", "Ray does not say why"),
    ],
)
def test_a_lost_task_is_told_with_what_is_known(ray: Ray, text: str, known: str) -> None:
    error = exceptions.ActorDiedError()
    error.error_msg = text
    with pytest.raises(tf.errors.TaskLostError) as found:
        _ray_actors.RayPending(ray, error, "ps:1", None).result()
    assert known in str(found.value)


@pytest.mark.parametrize(
    ("job", "silences", "ends"),
    [("ps", 1, True), ("ps", 2, False), ("worker", 5, True)],
)
def test_a_servers_process_waits_until_those_that_use_it_know_that_it_is_frozen(
    monkeypatch: pytest.MonkeyPatch, job: str, silences: int, ends: bool
) -> None:
    """The actor ends with it, and Ray then says that it died."""
    left = [tf.errors.TaskSilentError(f"{job}:0", "it has not answered for 3 s")] * silences

    class Frozen:
        def __init__(self, *_: Any) -> None:
            self.exists = lambda: True

        def call(self, *_: Any) -> Any:
            return self

        def result(self) -> bool:
            if left:
                raise left.pop()
            return True

    monkeypatch.setattr(_task_server, "RayActor", Frozen)
    monkeypatch.setattr(_task_server, "answers", lambda: True)
    monkeypatch.setitem(sys.modules, "ray", SimpleNamespace(shutdown=lambda: None))
    server = tf.distribute.Server({job: ["localhost:1"]}, job, 0, start=False)
    running = SimpleNamespace(actor=object(), output=SimpleNamespace(wait=lambda: None))
    monkeypatch.setitem(_task_server._running, "localhost:1", running)
    if ends:
        server.serve()
        assert not left
    else:
        with pytest.raises(tf.errors.TaskSilentError, match=r"ps:0 is silent: it has not answered for 3 s"):
            server.serve()
