"""ClusterCoordinator: schedules functions on the workers of a ParameterServerStrategy and brings back what they return."""

import logging
import os
import threading
import time
import uuid
import weakref
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, final

import jax

from stratagem._base.errors import UnavailableError
from stratagem._cluster.control import Limits
from stratagem._core.context import entered
from stratagem._core.step import Function, call_many
from stratagem._data import Dataset, DistributedInput
from stratagem._private import KerasVariable
from stratagem._servers.coordinator._batching import BatchingPolicy, Turns
from stratagem._servers.coordinator._queue import Closure, ClosureQueue
from stratagem._servers.coordinator._report import Report, WorkerTimes
from stratagem._servers.coordinator._values import (
    EveryValue,
    PerWorkerDataset,
    PerWorkerValues,
    RemoteValue,
    check_no_remote,
    of_worker,
)
from stratagem._servers.remote import Busy, RemoteSource, TaskLostError, Worker
from stratagem._servers.strategy import ParameterServerStrategy

logger = logging.getLogger("stratagem.coordinator")

_lock = threading.Lock()
_IDLE = 1.0  # seconds after which a worker's thread that has nothing to do ends; the next closure starts it again


@final
class ClusterCoordinator:
    """Schedules and coordinates remote function execution, as `tf.distribute.experimental.coordinator.ClusterCoordinator`.

    There is one for a strategy: making it again returns the same. Raises ValueError for another kind of strategy.
    """

    def __new__(cls, strategy: Any) -> "ClusterCoordinator":
        if not isinstance(strategy, ParameterServerStrategy):
            raise ValueError(
                "Only `tf.distribute.ParameterServerStrategy` is supported by ClusterCoordinator, got "
                f"{type(strategy).__name__}."
            )
        with _lock:
            if strategy.coordinator is None:
                strategy.coordinator = super().__new__(cls)
                strategy.coordinator._begin(strategy)
            return strategy.coordinator

    def _begin(self, strategy: ParameterServerStrategy) -> None:
        self._strategy = strategy
        self._workers = {worker.index: worker for worker in strategy.tasks}
        self._queue = ClosureQueue(len(self._workers))
        self._name = uuid.uuid4().hex
        self._per_worker = EveryValue()
        self._threads: dict[int, threading.Thread] = {}
        self._turns = Turns()
        self._lost: UnavailableError | None = None  # of a server, or all: the job cannot go on
        self._absent: frozenset[int] = frozenset()
        self.reading = Busy()
        if not strategy.servers.local:
            for server in strategy.servers.actors:
                server.call("serve", self._name).result()
            # The thread does not keep the coordinator: actors that this process has started end when nobody has them any more.
            threading.Thread(target=_watch, args=(weakref.ref(self),), name="stratagem watch", daemon=True).start()

    @property
    def strategy(self) -> ParameterServerStrategy:
        """The strategy whose workers it uses."""
        return self._strategy

    @property
    def absent(self) -> frozenset[int]:
        """Workers that were lost, and were not there again in time. One of them that comes later is used again."""
        return self._absent

    def schedule(self, fn: Callable[..., Any], args: Sequence[Any] | None = None, kwargs: Any = None) -> RemoteValue:
        """Run a `tf.function` on some worker, as soon as one is free; returns at once with the value that will be there.

        PerWorkerValues among the arguments are replaced by those of the worker. Raises what an earlier function has raised,
        once, after which the coordinator can be used again; TypeError for what is no `tf.function`; ValueError if a
        RemoteValue is among the arguments.
        """
        if not isinstance(fn, Function):
            raise TypeError(
                "`tf.distribute.experimental.coordinator.ClusterCoordinator.schedule` only accepts a `tf.function` or a "
                f"concrete function, got {fn!r}. Decorate it with @tf.function."
            )
        arguments, named = tuple(args or ()), dict(kwargs or {})
        check_no_remote((arguments, named))
        return self.submit(getattr(fn, "__name__", "function"), fn, arguments, named)

    def submit(self, name: str, fn: Callable[..., Any], args: Sequence[Any], kwargs: Any = None) -> RemoteValue:
        """As `schedule`, for the library's own functions."""
        if self._lost is not None:
            raise self._lost
        closure = Closure(name, fn, tuple(args), dict(kwargs or {}), self._strategy.servers.changes)
        self._queue.put(closure)
        self._wake()
        return closure.output

    def join(self) -> None:
        """Wait until all scheduled functions have ended. Raises, once, what one of them has raised."""
        self._queue.wait()
        if self._lost is not None:
            raise self._lost

    def done(self) -> bool:
        """True if all scheduled functions have ended. Raises, once, what one of them has raised."""
        if self._lost is not None:
            self._queue.wait()  # raises it, if it was not raised yet
            raise self._lost
        return self._queue.done()

    def fetch(self, val: Any) -> Any:
        """The structure with NumPy results in place of every RemoteValue; waits for them."""
        return jax.tree.map(
            lambda leaf: leaf.fetch() if isinstance(leaf, RemoteValue) else leaf,
            val,
            is_leaf=lambda leaf: isinstance(leaf, RemoteValue),
        )

    def report(self) -> Report:
        """What the time of the workers was spent on since the job began, how stale updates were, and what to change.

        Print it. `later - earlier` is the report of what was between. (Not in TensorFlow.)
        """
        workers = [
            WorkerTimes(index, w.clock.functions, w.clock.steps, dict(w.clock.seconds))
            for index, w in sorted(self._workers.items())
        ]
        return Report(tuple(workers), tuple(self._strategy.servers.traffic()), self.reading.seconds)

    def create_per_worker_dataset(self, dataset_fn: Any) -> PerWorkerDataset:
        """A data set that every worker makes by itself: by `dataset_fn()`, or from a data set, of which each reads all.

        Raises ValueError for anything else.
        """
        if isinstance(dataset_fn, Dataset | DistributedInput):
            return PerWorkerDataset(
                self._maker(lambda: dataset_fn), "a data set", list(self._workers), self._per_worker
            )
        if not callable(dataset_fn):
            raise ValueError(
                f"Unexpected data set: need a function without arguments or a tf.data.Dataset, got {dataset_fn!r}."
            )
        name = getattr(dataset_fn, "__name__", "a data set")
        return PerWorkerDataset(self._maker(dataset_fn), name, list(self._workers), self._per_worker)

    def _create_per_worker_resources(
        self, fn: Callable[..., Any], args: Sequence[Any] | None = None, kwargs: Any = None
    ) -> PerWorkerValues:
        """`fn(*args, **kwargs)` on every worker, when it is first needed there."""
        make = self._maker(lambda: fn(*(args or ()), **(kwargs or {})))
        return PerWorkerValues(make, getattr(fn, "__name__", "fn"), list(self._workers), self._per_worker)

    def _maker(self, fn: Callable[[], Any]) -> Callable[[int], Any]:
        def make(worker: int) -> Any:
            if not self._strategy.servers.local:
                return RemoteSource(self._workers[worker], fn)
            with entered(worker=Worker(worker)), self._strategy.scope():
                return fn()

        return make

    def _wake(self) -> None:
        """Every worker has a thread while there is something to do."""
        with _lock:
            for index in self._workers.keys() - self._threads.keys():
                name = f"stratagem worker:{index}"
                self._threads[index] = threading.Thread(target=self._work, args=(index,), name=name, daemon=True)
                self._threads[index].start()

    def _goes_on(self) -> bool:
        if self._lost is None:
            try:
                self._strategy.servers.actors[0].check()
            except UnavailableError as error:
                self._end(error)
        return self._lost is None

    def _end(self, error: UnavailableError) -> None:
        self._lost = error
        self._queue.abandon(error)

    def _work(self, index: int) -> None:
        """A worker's thread: one closure after another. Ends when there was nothing to do for a while."""
        policy = BatchingPolicy(self._turns if self._strategy.servers.local else None)
        try:
            while True:
                closures = self._queue.take(_IDLE, policy.most)
                if closures:
                    self._run(self._workers[index], closures, policy)
                    del closures
                    continue
                with _lock:
                    if self._queue.idle():
                        del self._threads[index]
                        return
        finally:  # whatever ended it; after the `return` above, another thread may have its place already
            with _lock:
                if self._threads.get(index) is threading.current_thread():
                    del self._threads[index]

    def _run(self, worker: Any, closures: list[Closure], policy: BatchingPolicy) -> None:
        """Run closures that are alike."""
        left = deque(closures)
        try:
            with (
                entered(worker=worker),
                self._strategy.scope(),
                worker.clock.running(),
                policy.running(len(closures)),
            ):
                while left:
                    for value in self._values(worker, left):
                        worker.clock.functions += 1
                        self._queue.finished(left.popleft(), value)
        except TaskLostError as error:
            if error.task == f"worker:{worker.index}":
                self._replace(worker, left, error)
            else:
                self._lost = error
                self._fail(left, error)
        except BaseException as error:  # whatever a user's function raises belongs to the user
            self._fail(left, error)

    def _fail(self, left: deque[Closure], error: BaseException) -> None:
        """The first of these closures has raised it."""
        self._queue.failed(left.popleft(), error)
        for closure in left:
            self._queue.put_back(closure)

    def _values(self, worker: Any, left: deque[Closure]) -> Iterator[Any]:
        """The values of the first of these closures, one after the other. Whoever takes one takes its closure away."""
        first, below, servers = left[0], self._queue.lowest(), self._strategy.servers
        try:
            self._begin_next(worker, left, below)
            args, kwargs = of_worker((first.args, first.kwargs), worker.index)
            for value in call_many(first.function, args, kwargs, len(left)):
                ready = jax.tree.map(_ready, value)
                servers.changed()
                yield ready
                if left:
                    self._begin_next(worker, left, below)
        except BaseException:
            servers.changed()
            raise

    def _begin_next(self, worker: Any, left: Sequence[Closure], below: int) -> None:
        worker.begin([closure.number for closure in left], below, self._name)
        worker.freshness.need(left[0].sees)
        worker.prefetched.more = len(left) > 1 or not self._queue.idle()

    def _replace(self, worker: Any, left: Iterable[Closure], error: TaskLostError) -> None:
        """A worker is gone: others take its closures, and its place is free until a process comes for it."""
        logger.warning("%s Its function runs elsewhere; waiting for a process that takes its place.", error)
        for closure in left:
            self._queue.put_back(closure)
        self._wake()  # threads of other workers may have found nothing to do, and ended
        self._per_worker.lost(worker.index)
        self._await(worker)

    def _await(self, worker: Any) -> None:
        """Until a process has taken the place of the lost worker, or the job cannot go on. Without any worker, it cannot."""
        limit = Limits.from_environment(os.environ).rejoin
        while self._goes_on():
            try:
                worker.rejoin(limit)
            except Exception as error:  # the thread goes on whatever it is: nobody else waits for this worker
                if not isinstance(error, UnavailableError):
                    logger.exception("worker:%d: looking for it has failed.", worker.index)
                if self._goes_on():
                    self._miss(worker.index, error)
                time.sleep(_IDLE)
            else:
                logger.info("worker:%d is back.", worker.index)
                with _lock:
                    self._absent -= {worker.index}
                return

    def _miss(self, worker: int, error: Exception) -> None:
        """The worker did not come back in time."""
        with _lock:
            known, self._absent = worker in self._absent, self._absent | {worker}
        if known:
            return
        logger.warning("worker:%d did not come back: %s (STRATAGEM_REJOIN_SECONDS changes the limit.)", worker, error)
        if len(self._absent) == len(self._workers):
            self._end(UnavailableError(f"The job has no worker any more; the last one was worker:{worker}. {error}"))


def _watch(watched: "weakref.ref[ClusterCoordinator]") -> None:
    """Notice that all tasks are lost at once. A thread that waits for one of them would wait for long."""
    while (coordinator := watched()) is not None and coordinator._goes_on():
        del coordinator
        time.sleep(_IDLE)


def _ready(leaf: Any) -> Any:
    """Waits for a tensor. A variable that a function returns is, as in TF, the value that it has then."""
    value = leaf.value if isinstance(leaf, KerasVariable) else leaf
    return value.block_until_ready() if isinstance(value, jax.Array) else value
