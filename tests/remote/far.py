"""Tasks that are as far as another process, though they are in this one: whatever goes there and comes back is pickled."""

import contextlib
import contextvars
import pickle
from collections.abc import Iterator
from typing import Any, final

import pytest
import ray

import stratagem as tf
from stratagem.coordinator import _coordinator
from stratagem.remote import Servers
from stratagem.remote import _ray_node as node
from stratagem.remote._actors import Actor, Pending
from stratagem.remote._ray import RayWorker
from stratagem.remote._ray_actors import RayPending
from stratagem.remote._ray_tasks import ServerTask, WorkerTask
from stratagem.remote._wire import packed
from stratagem.strategy import _parameter_server
from stratagem.testing import free_ports


@final
class Ray:
    """As the module, where a reference is what it stands for."""

    exceptions = ray.exceptions

    def get(self, reference: Any, timeout: float) -> Any:
        return pickle.loads(pickle.dumps(reference))


@final
class FarActor(Actor):
    """The actor of a task."""

    def __init__(self, name: str, task: Any, ended: list[bool]) -> None:
        self._name, self._task, self._ended = name, task, ended

    def call(self, method: str, *args: Any) -> Pending:
        message = packed(args, ray.cloudpickle.dumps if method == "make" else None)
        # The task knows nothing of its caller's strategy.
        answer = contextvars.Context().run(self._task.answer, method, pickle.loads(pickle.dumps(message)))
        return RayPending(Ray(), answer, self._name, None)

    def check(self) -> None:
        if self._ended:
            raise tf.errors.UnavailableError(None, None, "The test is over.")


@contextlib.contextmanager
def far_job(monkeypatch: pytest.MonkeyPatch, servers: int, workers: int) -> Iterator[Any]:
    """The coordinator of a job of such tasks."""
    ended: list[bool] = []
    ps = [FarActor(f"ps:{i}", ServerTask(i), ended) for i in range(servers)]
    actors = [FarActor(f"worker:{i}", WorkerTask(i, ps), ended) for i in range(workers)]
    found = Servers(ps), [RayWorker(i, actor) for i, actor in enumerate(actors)]
    monkeypatch.setattr(_parameter_server, "connect", lambda resolver, spec: found)
    monkeypatch.setattr(_coordinator, "_IDLE", 0.05)
    monkeypatch.setattr(node, "check", lambda: None)
    ports = [f"localhost:{port}" for port in free_ports(servers + workers)]
    spec = tf.train.ClusterSpec({"ps": ports[:servers], "worker": ports[servers:]})
    strategy = tf.distribute.ParameterServerStrategy(tf.distribute.cluster_resolver.SimpleClusterResolver(spec))
    try:
        yield tf.distribute.coordinator.ClusterCoordinator(strategy)
    finally:
        ended.append(True)
