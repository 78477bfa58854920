"""Exceptions that travel from a task to its caller: the user's own arrive, whatever they are, and no task is lost for one."""

from collections.abc import Callable
from typing import Any

import pytest
from ray import exceptions

import stratagem as tf
from tests.servers.remote.remote_tasks import answered, remote_worker


class BadRecord(Exception):
    """It cannot be made again of what it hands on."""

    def __init__(self, path: str, line: int) -> None:
        super().__init__(f"{path}:{line}")


class NotPickled(ValueError):
    """Nor can this one be pickled."""

    def __reduce__(self) -> Any:
        raise TypeError("not me")


def made(function: Callable[[], Any]) -> Any:
    """What the caller gets of a worker that is to make a dataset."""
    return remote_worker().call("make", 0, function).result()


def raising_in_the_users_code(error: BaseException) -> None:
    raise error


class Raising:
    """A dataset's function, which travels."""

    def __init__(self, error: type[BaseException], *arguments: Any) -> None:
        self.error, self.arguments = error, arguments

    def __call__(self) -> None:
        raising_in_the_users_code(self.error(*self.arguments))


class Asking:
    """Asks another task, which raises."""

    def __call__(self) -> None:
        made(Raising(KeyError, "why"))


@pytest.mark.parametrize("error", [KeyError, ZeroDivisionError, SystemExit, KeyboardInterrupt, TimeoutError])
def test_an_exception_arrives_as_it_is_with_its_stack(error: type[BaseException]) -> None:
    with pytest.raises(error, match="why") as found:
        made(Raising(error, "why"))
    (note,) = found.value.__notes__
    assert note.startswith("worker:0 raised it:\nTraceback (most recent call last):\n")
    assert "in raising_in_the_users_code" in note
    assert "in answer" not in note


def test_one_that_cannot_be_made_again_arrives_as_text() -> None:
    with pytest.raises(tf.errors.UnknownError, match=r"worker:0 raised .*BadRecord: data.csv:3\n") as found:
        made(Raising(BadRecord, "data.csv", 3))
    assert "in raising_in_the_users_code" in found.value.__notes__[0]


def test_one_that_cannot_be_pickled_arrives_as_text() -> None:
    with pytest.raises(tf.errors.UnknownError, match=r"worker:0 raised .*NotPickled: why\n"):
        made(Raising(NotPickled, "why"))


@pytest.mark.parametrize("error", [exceptions.GetTimeoutError, exceptions.RayActorError, exceptions.TaskCancelledError])
def test_rays_own_errors_may_be_the_users(error: type[Exception]) -> None:
    """Whose program uses Ray, too."""
    with pytest.raises(error) as found:
        made(Raising(error))
    assert type(found.value) is error


def test_a_stack_has_the_notes_of_another_task_once() -> None:
    """A server's error comes to the coordinator by way of a worker."""
    with pytest.raises(KeyError) as found:
        made(Asking())
    assert [note.count("worker:0 raised it:") for note in found.value.__notes__] == [1, 1]


@pytest.mark.parametrize("error", [tf.errors.OutOfRangeError, tf.errors.UnavailableError])
def test_what_is_no_mistake_has_no_stack(error: type[Exception]) -> None:
    with pytest.raises(error) as found:
        made(Raising(error, None, None, "why"))
    assert not hasattr(found.value, "__notes__")


@pytest.mark.parametrize(
    ("error", "lost"),
    [
        (exceptions.ActorDiedError(), True),
        (exceptions.RuntimeEnvSetupError("no such package"), True),
        (exceptions.ObjectStoreFullError("no room"), False),
    ],
)
def test_a_task_is_lost_only_where_ray_says_so(error: Exception, lost: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(tf.errors.TaskLostError if lost else type(error)):
        answered(monkeypatch, error)
