"""Actors that Ray cannot start, or not yet: a lost worker of a job on a user's cluster is started until it runs."""

import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, final

import pytest
from ray import exceptions

import stratagem as tf
from stratagem.remote import _ray_actors as actors
from stratagem.remote import _ray_node as node


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
    return SimpleNamespace(here=SimpleNamespace(remote=lambda: answer))


@pytest.fixture
def ray(monkeypatch: pytest.MonkeyPatch) -> Ray:
    found = Ray()
    monkeypatch.setitem(sys.modules, "ray", found)
    monkeypatch.setattr(node, "check", lambda: None)
    monkeypatch.setattr(actors, "_LOOK_SECONDS", 0.001)
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
    found = actors.RayActor("worker:0", "job", actor(exceptions.ActorDiedError()), start)
    found.find(60.0)
    assert len(ray.started) == 4
    assert ray.get(found.found.here.remote(), 0) == 7


def test_an_actor_that_does_not_answer_yet_is_not_started_again(ray: Ray) -> None:
    error = exceptions.ActorUnavailableError("no answer yet", None)
    found = actors.RayActor("worker:0", "job", actor(error), ray.starting(7))
    with pytest.raises(
        tf.errors.UnavailableError, match=r"worker:0 did not join the job within 0.05 s. Ray says: .*yet"
    ):
        found.find(0.05)
    assert not ray.started


def test_who_cannot_start_at_all_is_not_tried_without_a_pause(ray: Ray) -> None:
    error = exceptions.RuntimeEnvSetupError("no such package")
    found = actors.RayActor("worker:0", "job", actor(error), ray.starting(*[error] * 1000))
    with pytest.raises(tf.errors.UnavailableError, match="no such package"):
        found.find(0.5)
    assert 2 <= len(ray.started) <= 10
