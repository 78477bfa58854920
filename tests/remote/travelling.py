"""The tasks of several processes in this one: whatever they say to each other travels, as over Ray, but without Ray."""

import threading
from typing import Any, final

import pytest
from ray import cloudpickle

import stratagem as tf
from stratagem.remote._actors import Actor, Pending
from stratagem.remote._ray import RayWorker
from stratagem.remote._ray_tasks import ServerTask, WorkerTask
from stratagem.remote._servers import Servers
from stratagem.remote._wire import packed, unpacked
from stratagem.strategy import ParameterServerStrategy, _parameter_server


@final
class Passing(Pending):
    """A call that a thread of its own makes, as in another process, where nothing of the caller's context is."""

    def __init__(self, target: Any, method: str, message: list[Any]) -> None:
        self._ask = (target, method, message)
        self._error: BaseException | None = None
        self._thread = threading.Thread(target=self._answer, daemon=True)
        self._thread.start()

    def _answer(self) -> None:
        target, method, message = self._ask
        try:
            self._found = target.answer(method, message)
        except BaseException as error:
            self._error = error

    def result(self) -> Any:
        self._thread.join()
        if self._error is not None:
            raise self._error
        return unpacked(self._found)


@final
class NearActor(Actor):
    """As RayActor, for a task of this process."""

    def __init__(self, task: str, target: Any) -> None:
        self.task, self.target = task, target

    def call(self, method: str, *args: Any) -> Pending:
        return Passing(self.target, method, packed(args, cloudpickle.dumps if method == "make" else None))

    def check(self) -> None:
        """This process is there."""


def travelling(monkeypatch: pytest.MonkeyPatch, servers: int = 1, workers: int = 1) -> ParameterServerStrategy:
    """A strategy on new tasks; `worker.actor.target` of each of its `tasks` is what is at the other end."""
    actors = [NearActor(f"ps:{i}", ServerTask(i)) for i in range(servers)]
    tasks: list[Any] = [RayWorker(i, NearActor(f"worker:{i}", WorkerTask(i, actors))) for i in range(workers)]  # type: ignore[arg-type]
    addresses = {"ps": [f"s{i}:1" for i in range(servers)], "worker": [f"w{i}:1" for i in range(workers)]}
    resolver = tf.distribute.cluster_resolver.SimpleClusterResolver(tf.train.ClusterSpec(addresses))
    with monkeypatch.context() as patch:
        patch.setattr(_parameter_server, "connect", lambda *_: (Servers(actors), tasks))
        return tf.distribute.ParameterServerStrategy(resolver)
