"""Remote tasks, as those of other processes, in this one: whatever goes there and comes back is pickled."""

import contextlib
import contextvars
import pickle
from collections.abc import Iterator
from typing import Any, final

import pytest
import ray

import stratagem as tf
from stratagem._hooks import install

# Private: both ends of what Ray carries from one process to another, in one process.
from stratagem._servers.remote import (
    Actor,
    Pending,
    Servers,
    _pickling,
    _ray_actors,
    _ray_node,
    _ray_server_actor,
    _ray_worker_proxy,
    _ray_worker_task,
)

# Private: what an actor takes over from the process of its task, which is none here.
from stratagem._servers.remote._task_process import TaskProcess
from stratagem._servers.strategy import ParameterServerStrategy


@final
class Ray:
    """As the module, where a reference is what it stands for."""

    exceptions = ray.exceptions

    def get(self, reference: Any, timeout: float) -> Any:
        if isinstance(reference, Exception):
            raise reference
        return pickle.loads(pickle.dumps(reference))


@final
class RemoteActor(Actor):
    """The actor of a task. target: what is at the other end. ended: not empty when the test is over."""

    def __init__(self, name: str, target: Any, ended: list[bool]) -> None:
        self._name, self.target, self._ended = name, target, ended

    def call(self, method: str, *args: Any) -> Pending:
        message = _pickling.packed((method, args), ray.cloudpickle.dumps if method == "make" else None)
        # The task knows nothing of its caller's strategy.
        answer = contextvars.Context().run(self.target.answer, pickle.loads(pickle.dumps(message)))
        return _ray_actors.RayPending(Ray(), answer, self._name, None)

    def check(self) -> None:
        if self._ended:
            raise tf.errors.UnavailableError(None, None, "The test is over.")


def remote_worker() -> RemoteActor:
    """The worker of a job without servers."""
    return RemoteActor("worker:0", _ray_worker_task.WorkerTask(0, [], install, TaskProcess()), [])


def answered(monkeypatch: pytest.MonkeyPatch, error: Exception) -> Any:
    """What comes of a call to a worker that Ray answers with this."""
    monkeypatch.setattr(_ray_node, "check", lambda: None)
    return _ray_actors.RayPending(Ray(), error, "worker:0", None).result()


def remote_strategy(
    monkeypatch: pytest.MonkeyPatch, servers: int = 1, workers: int = 1, ended: list[bool] | None = None
) -> ParameterServerStrategy:
    """A strategy on such tasks; `worker.actor.target` of each of its `tasks` is a worker's task."""
    ended = [] if ended is None else ended
    ps = [
        RemoteActor(f"ps:{i}", _ray_server_actor.ServerTask(i, install, TaskProcess()), ended) for i in range(servers)
    ]
    actors: list[Any] = [
        RemoteActor(f"worker:{i}", _ray_worker_task.WorkerTask(i, ps, install, TaskProcess()), ended)
        for i in range(workers)
    ]  # type: ignore[arg-type]
    found = Servers(ps), [_ray_worker_proxy.RayWorkerProxy(i, actor) for i, actor in enumerate(actors)]
    monkeypatch.setattr(_ray_node, "check", lambda: None)
    addresses = {"ps": [f"s{i}:1" for i in range(servers)], "worker": [f"w{i}:1" for i in range(workers)]}
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(addresses))
    with monkeypatch.context() as patch:
        patch.setattr("stratagem._servers.strategy.connect", lambda *_: found)
        return tf.distribute.ParameterServerStrategy(resolver)


@contextlib.contextmanager
def remote_job(monkeypatch: pytest.MonkeyPatch, servers: int, workers: int) -> Iterator[Any]:
    """The coordinator of a job of such tasks."""
    ended: list[bool] = []
    try:
        yield tf.distribute.coordinator.ClusterCoordinator(remote_strategy(monkeypatch, servers, workers, ended))
    finally:
        ended.append(True)
