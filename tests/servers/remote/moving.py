"""Jobs whose variables move while a step is under way: just before any of its calls to servers."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import stratagem as tf
from stratagem._core.context import entered
from stratagem._core.values import placement_of
from stratagem._servers.remote import LocalActor
from tests.servers.remote.remote_tasks import RemoteActor, remote_strategy
from tests.servers.remote.serving import serving

SGD = tf.keras.optimizers.SGD
Schedule = tf.keras.optimizers.schedules.LearningRateSchedule
ENGINES = ["threads", "remote"]
CALLS = ("read", "rows", "push", "push_and_read")


def variable() -> Any:
    """Zero, on some server."""
    return tf.Variable(0.0, dtype="float64")


def descent(optimizer: Any, variables: list[Any]) -> Any:
    """A step that moves variables by the learning rate."""

    @tf.function
    def step() -> None:
        with tf.GradientTape() as tape:
            loss = sum(v + 0.0 for v in variables)
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))

    return step


class Scheduled(Schedule):  # type: ignore[misc, valid-type]
    """A learning rate that a variable of the program decides on."""

    def __init__(self, rate: Any) -> None:
        self._rate = rate

    def __call__(self, step: Any) -> Any:
        return self._rate * 2.0


def copies(strategy: Any, variable: Any) -> list[float]:
    """A variable as each server has it that keeps it."""
    actors, places = strategy.servers.actors, strategy.servers.locations(placement_of(variable))
    return [float(actors[p.server].call("read", [p.key]).result().values[0]) for p in places]


class Job:
    """Two servers, workers, and a step of two updates, one behind the other, and of changes of variables on both servers.

    `before(n, act, calls)`: act() comes just before the n-th of such calls to servers that follow.
    """

    def __init__(self, engine: str, monkeypatch: pytest.MonkeyPatch, workers: int = 2) -> None:
        self.strategy = serving(2, workers) if engine == "threads" else remote_strategy(monkeypatch, 2, workers)
        self._left, self._act, self._calls = 0, lambda: None, CALLS
        for kind in (LocalActor, RemoteActor):
            # Between two messages of a step, where no program of a user's has code.
            monkeypatch.setattr(kind, "call", self._noticed(kind.call))
        with self.strategy.scope():
            self.v, self.w, self.first, self.second = (variable() for _ in range(4))
            self.optimizer = SGD(1.0)
            self.optimizer.build([self.v, self.w])
        self.step = self._step()

    def _step(self) -> Any:
        v, w, first, second, optimizer = self.v, self.w, self.first, self.second, self.optimizer

        @tf.function
        def step() -> Any:
            with tf.GradientTape(persistent=True) as tape:
                one, two = v + 0.0, w + 0.0
            optimizer.apply_gradients([(tape.gradient(one, v), v)])
            seen = v + first + second
            optimizer.apply_gradients([(tape.gradient(two, w), w)])
            first.assign_add(1.0)
            second.assign_add(1.0)
            return seen

        return step

    def _noticed(self, call: Any) -> Any:
        def noticed(actor: Any, method: str, *args: Any) -> Any:
            if self._left and method in self._calls:
                self._left -= 1
                if not self._left:
                    self._act()
            return call(actor, method, *args)

        return noticed

    def before(self, call: int, act: Callable[[], None], calls: tuple[str, ...] = CALLS) -> None:
        self._left, self._act, self._calls = call, act, calls

    @property
    def interrupted(self) -> bool:
        """Whether act() has come."""
        return not self._left

    def serve(self, coordinator: str) -> None:
        """A coordinator of this name comes."""
        if not self.strategy.servers.local:
            for server in self.strategy.servers.actors:
                server.call("serve", coordinator).result()

    def run(self, worker: int, closure: int, step: Any = None) -> None:
        """A closure, from its beginning, on this worker, as the coordinator runs it."""
        task = self.strategy.tasks[worker]
        with entered(worker=task), self.strategy.scope():
            task.begin([closure], 0, "c")
            (step or self.step)()

    def share(self) -> None:
        """All servers keep the two variables from now on."""
        for v in (self.first, self.second):
            self.strategy.servers.move_to(range(2), placement_of(v))

    def check(self, steps: int) -> None:
        """Each of so many steps has counted once, on every server."""
        self._left = 0
        assert (float(self.v.numpy()), float(self.w.numpy())) == (-steps, -steps)
        assert copies(self.strategy, self.optimizer.iterations) == [2 * steps, 2 * steps]
        shared = self.strategy.servers.moves > 2  # iterations and the learning rate always are
        for v in (self.first, self.second):
            assert copies(self.strategy, v) == ([steps, steps] if shared else [steps])


def interrupted_anywhere(
    engine: str, monkeypatch: pytest.MonkeyPatch, act: Callable[[Job], None], run: Callable[[Job], None]
) -> Iterator[Job]:
    """Jobs that have taken a step; act(job) has come before the first, second, … call to a server of run(job)."""
    for call in itertools.count(1):
        with monkeypatch.context() as patch:
            job = Job(engine, patch)
            job.serve("c")
            job.run(0, 0)
            job.before(call, lambda: act(job))  # noqa: B023
            run(job)
            if not job.interrupted:
                assert call > 6
                return
            yield job
