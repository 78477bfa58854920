"""Tasks that are as far as another process, though they are in this one: whatever goes there and comes back is pickled."""

import contextlib
import contextvars
import pickle
from collections.abc import Iterator
from typing import Any, final

import pytest
import ray

import stratagem as tf
from stratagem._hooks import install
from stratagem._servers.coordinator import _coordinator
from stratagem._servers.remote import Servers
from stratagem._servers.remote import _ray_node as node
from stratagem._servers.remote._actors import Actor, Pending
from stratagem._servers.remote._ray import RayWorker
from stratagem._servers.remote._ray_actors import RayPending
from stratagem._servers.remote._ray_server_task import ServerTask
from stratagem._servers.remote._ray_worker_task import WorkerTask
from stratagem._servers.remote._serialization import packed
from stratagem._servers.strategy import ParameterServerStrategy


@final
class Ray:
    """As the module, where a reference is what it stands for."""

    exceptions = ray.exceptions

    def get(self, reference: Any, timeout: float) -> Any:
        return pickle.loads(pickle.dumps(reference))


@final
class FarActor(Actor):
    """The actor of a task. target: what is at the other end. ended: not empty when the test is over."""

    def __init__(self, name: str, target: Any, ended: list[bool]) -> None:
        self._name, self.target, self._ended = name, target, ended

    def call(self, method: str, *args: Any) -> Pending:
        message = packed((method, args), ray.cloudpickle.dumps if method == "make" else None)
        # The task knows nothing of its caller's strategy.
        answer = contextvars.Context().run(self.target.answer, pickle.loads(pickle.dumps(message)))
        return RayPending(Ray(), answer, self._name, None)

    def check(self) -> None:
        if self._ended:
            raise tf.errors.UnavailableError(None, None, "The test is over.")


def far_strategy(
    monkeypatch: pytest.MonkeyPatch, servers: int = 1, workers: int = 1, ended: list[bool] | None = None
) -> ParameterServerStrategy:
    """A strategy on such tasks; `worker.actor.target` of each of its `tasks` is a worker's task."""
    ended = [] if ended is None else ended
    ps = [FarActor(f"ps:{i}", ServerTask(i, install), ended) for i in range(servers)]
    actors: list[Any] = [FarActor(f"worker:{i}", WorkerTask(i, ps, install), ended) for i in range(workers)]  # type: ignore[arg-type]
    found = Servers(ps), [RayWorker(i, actor) for i, actor in enumerate(actors)]
    monkeypatch.setattr(node, "check", lambda: None)
    addresses = {"ps": [f"s{i}:1" for i in range(servers)], "worker": [f"w{i}:1" for i in range(workers)]}
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(addresses))
    with monkeypatch.context() as patch:
        patch.setattr("stratagem._servers.strategy.connect", lambda *_: found)
        return tf.distribute.ParameterServerStrategy(resolver)


@contextlib.contextmanager
def far_job(monkeypatch: pytest.MonkeyPatch, servers: int, workers: int) -> Iterator[Any]:
    """The coordinator of a job of such tasks."""
    ended: list[bool] = []
    monkeypatch.setattr(_coordinator, "_IDLE", 0.05)
    try:
        yield tf.distribute.coordinator.ClusterCoordinator(far_strategy(monkeypatch, servers, workers, ended))
    finally:
        ended.append(True)
