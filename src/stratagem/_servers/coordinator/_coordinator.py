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

from stratagem._base.errors import TaskLostError, UnavailableError
from stratagem._base.exports import exported
from stratagem._base.job import WorkerSeconds, observer
from stratagem._base.types import UserFunction
from stratagem._cluster.control import TimeLimits
from stratagem._core.context import entered
from stratagem._core.step import Function, call_many
from stratagem._data import Dataset, DistributedInput
from stratagem._private import KerasVariable
from stratagem._servers.coordinator._batching_policy import BatchingPolicy, SoftFairLock
from stratagem._servers.coordinator._queue import Closure, ClosureQueue
from stratagem._servers.coordinator._report import Report, WorkerTimes
from stratagem._servers.coordinator._values import (
    PerWorkerDataset,
    PerWorkerRegistry,
    PerWorkerValues,
    RemoteValue,
    check_no_remote,
    values_for_worker,
)
from stratagem._servers.remote import BusyTimer, RemoteResource, TimeBreakdown, TimeCategory, Worker
from stratagem._servers.strategy import ParameterServerStrategy

logger = logging.getLogger("stratagem.coordinator")

_lock = threading.Lock()
_IDLE = 1.0  # seconds without a closure after which a worker's thread ends; the next closure starts it again


@exported("distribute.coordinator.ClusterCoordinator")
@final
class ClusterCoordinator:
    """Schedules and coordinates remote function execution, as `tf.distribute.experimental.coordinator.ClusterCoordinator`.

    A strategy has one coordinator: a second call returns the same. Raises ValueError for another kind of strategy.
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
        self._per_worker = PerWorkerRegistry()
        self._threads: dict[int, threading.Thread] = {}
        self._turns = SoftFairLock()  # for the workers of this process
        self._lost: UnavailableError | None = None  # set when a server or all workers are lost: the job cannot continue
        self._absent: frozenset[int] = frozenset()
        self.reading = BusyTimer()
        observer().coordinates({f"worker:{i}": _seconds(worker.clock) for i, worker in self._workers.items()})
        if not strategy.servers.local:
            for server in strategy.servers.actors:
                server.call("serve", self._name).result()
            # The thread holds a weak reference, for actors that this process has started end with their last handle.
            threading.Thread(target=_watch, args=(weakref.ref(self),), name="stratagem watch", daemon=True).start()

    @property
    def strategy(self) -> ParameterServerStrategy:
        """The strategy whose workers the coordinator uses."""
        return self._strategy

    @property
    def absent(self) -> frozenset[int]:
        """The workers that were lost and did not rejoin within the time limit. One that rejoins later is used again."""
        return self._absent

    def schedule(self, fn: UserFunction, args: Sequence[Any] | None = None, kwargs: Any = None) -> RemoteValue:
        """Schedules a `tf.function` on the first worker that is free; returns at once with a RemoteValue for its result.

        Each PerWorkerValues among the arguments is replaced by the worker's own value. Raises the error of an earlier
        function, once, after which the coordinator can be used again; TypeError if `fn` is not a `tf.function`;
        ValueError if a RemoteValue is among the arguments.
        """
        if not isinstance(fn, Function):
            raise TypeError(
                "`tf.distribute.experimental.coordinator.ClusterCoordinator.schedule` only accepts a `tf.function` or a "
                f"concrete function, got {fn!r}. Decorate it with @tf.function."
            )
        arguments, named = tuple(args or ()), dict(kwargs or {})
        check_no_remote((arguments, named))
        return self.submit(getattr(fn, "__name__", "function"), fn, arguments, named)

    def submit(self, name: str, fn: UserFunction, args: Sequence[Any], kwargs: Any = None) -> RemoteValue:
        """Schedules one of the library's own functions; otherwise the same as `schedule`."""
        if self._lost is not None:
            raise self._lost
        closure = Closure(name, fn, tuple(args), dict(kwargs or {}), self._strategy.servers.change_count)
        self._queue.put(closure)
        self._start_threads()
        return closure.output

    def join(self) -> None:
        """Waits until all scheduled functions have ended. Raises, once, the error of one that failed."""
        self._queue.wait()
        if self._lost is not None:
            raise self._lost

    def done(self) -> bool:
        """Returns whether all scheduled functions have ended. Raises, once, the error of one that failed."""
        if self._lost is not None:
            self._queue.wait()  # raises the error if it has not been raised yet
            raise self._lost
        return self._queue.done()

    def fetch(self, val: Any) -> Any:
        """Waits for every RemoteValue in a structure; returns the structure with their results as NumPy arrays."""
        return jax.tree.map(
            lambda leaf: leaf.fetch() if isinstance(leaf, RemoteValue) else leaf,
            val,
            is_leaf=lambda leaf: isinstance(leaf, RemoteValue),
        )

    def report(self) -> Report:
        """Returns how the workers spent their time since the job began, how stale updates were, and advice on what to change.

        Print it. `later - earlier` is the report of the time between two reports. (Not in TensorFlow.)
        """
        workers = [
            WorkerTimes(
                index, w.clock.functions, w.clock.steps, dict(w.clock.seconds), w.clock.open_seconds, w.clock.present
            )
            for index, w in sorted(self._workers.items())
        ]
        return Report(tuple(workers), tuple(self._strategy.servers.traffic()), self.reading.seconds)

    def create_per_worker_dataset(self, dataset_fn: Any) -> PerWorkerDataset:
        """Returns a dataset that every worker makes itself, by `dataset_fn()` or from a dataset, which each reads whole.

        Raises ValueError for anything else.
        """
        if isinstance(dataset_fn, Dataset | DistributedInput):
            return PerWorkerDataset(self._maker(lambda: dataset_fn), "a dataset", list(self._workers), self._per_worker)
        if not callable(dataset_fn):
            raise ValueError(
                f"Unexpected dataset: need a function without arguments or a tf.data.Dataset, got {dataset_fn!r}."
            )
        name = getattr(dataset_fn, "__name__", "a dataset")
        return PerWorkerDataset(self._maker(dataset_fn), name, list(self._workers), self._per_worker)

    def _create_per_worker_resources(
        self, fn: Callable[..., Any], args: Sequence[Any] | None = None, kwargs: Any = None
    ) -> PerWorkerValues:
        """Returns PerWorkerValues of `fn(*args, **kwargs)`, which is called on a worker when it first needs its value."""
        make = self._maker(lambda: fn(*(args or ()), **(kwargs or {})))
        return PerWorkerValues(make, getattr(fn, "__name__", "fn"), list(self._workers), self._per_worker)

    def _maker(self, fn: Callable[[], Any]) -> Callable[[int], Any]:
        def make(worker: int) -> Any:
            if not self._strategy.servers.local:
                return RemoteResource(self._workers[worker], fn)
            with entered(worker=Worker(worker)), self._strategy.scope():
                return fn()

        return make

    def _start_threads(self) -> None:
        """Starts a thread for every worker that has none."""
        with _lock:
            for index in self._workers.keys() - self._threads.keys():
                name = f"stratagem worker:{index}"
                self._threads[index] = threading.Thread(target=self._work, args=(index,), name=name, daemon=True)
                self._threads[index].start()

    def _alive(self) -> bool:
        """Returns whether the job can continue; aborts it if Ray has ended."""
        if self._lost is None:
            try:
                self._strategy.servers.actors[0].check()
            except UnavailableError as error:
                self._abort(error)
        return self._lost is None

    def _abort(self, error: UnavailableError) -> None:
        self._lost = error
        self._queue.abandon(error)

    def _work(self, index: int) -> None:
        """Runs closures on one worker. The body of the worker's thread; ends when there was nothing to do for a while."""
        policy = BatchingPolicy(self._turns if self._strategy.servers.local else None)
        try:
            while True:
                closures = self._queue.take(_IDLE, policy.max_closures)
                if closures:
                    self._run(self._workers[index], closures, policy)
                    del closures
                    continue
                with _lock:
                    if self._queue.idle():
                        del self._threads[index]
                        return
        finally:  # also after an error; after the `return` above, another thread may have been started already
            with _lock:
                if self._threads.get(index) is threading.current_thread():
                    del self._threads[index]

    def _run(self, worker: Any, closures: list[Closure], policy: BatchingPolicy) -> None:
        """Runs closures that are the same call, and handles the loss of a task."""
        remaining = deque(closures)
        try:
            with (
                entered(worker=worker),
                self._strategy.scope(),
                worker.clock.running(),
                policy.running(len(closures)),
            ):
                while remaining:
                    for value in self._values(worker, remaining):
                        worker.clock.functions += 1
                        self._queue.finished(remaining.popleft(), value)
        except TaskLostError as error:
            if error.task == f"worker:{worker.index}":
                self._replace(worker, remaining, error)
            else:
                self._lost = error
                self._fail(remaining, error)
        except BaseException as error:  # a user's function may raise anything; the user gets it
            self._fail(remaining, error)

    def _fail(self, remaining: deque[Closure], error: BaseException) -> None:
        """Marks the first of these closures as failed and requeues the others."""
        self._queue.failed(remaining.popleft(), error)
        for closure in remaining:
            self._queue.requeue(closure)

    def _values(self, worker: Any, remaining: deque[Closure]) -> Iterator[Any]:
        """Runs some of these closures; yields their results in order. The caller removes a closure when it has its result."""
        first, lowest, servers = remaining[0], self._queue.lowest_unfinished(), self._strategy.servers
        try:
            self._begin_next(worker, remaining, lowest)
            args, kwargs = values_for_worker((first.args, first.kwargs), worker.index)
            for value in call_many(first.function, args, kwargs, len(remaining)):
                ready = jax.tree.map(_ready, value)
                servers.count_change()
                yield ready
                if remaining:
                    self._begin_next(worker, remaining, lowest)
        except BaseException:
            servers.count_change()
            raise

    def _begin_next(self, worker: Any, remaining: Sequence[Closure], lowest: int) -> None:
        worker.begin([closure.number for closure in remaining], lowest, self._name)
        worker.freshness.require(remaining[0].changes_before)
        worker.prefetch.expects_step = len(remaining) > 1 or not self._queue.idle()

    def _replace(self, worker: Any, remaining: Iterable[Closure], error: TaskLostError) -> None:
        """Handles the loss of a worker: requeues its closures and waits for a process that takes its place."""
        logger.warning("%s Its function runs elsewhere; waiting for a process that takes its place.", error)
        for closure in remaining:
            self._queue.requeue(closure)
        self._start_threads()  # other workers' threads may have found nothing to do, and ended
        self._per_worker.lost(worker.index)
        with worker.clock.part(TimeCategory.ABSENT):
            self._wait_for_replacement(worker)

    def _wait_for_replacement(self, worker: Any) -> None:
        """Waits until a process has taken the lost worker's place, or the job is aborted, as it is when no worker is left."""
        limit = TimeLimits.from_environment(os.environ).rejoin
        while self._alive():
            try:
                worker.rejoin(limit)
            except Exception as error:  # the thread continues after any error: no other one waits for this worker
                if not isinstance(error, UnavailableError):
                    logger.exception("worker:%d: looking for it has failed.", worker.index)
                if self._alive():
                    self._mark_absent(worker.index, error)
                time.sleep(_IDLE)
            else:
                logger.info("worker:%d is back.", worker.index)
                with _lock:
                    self._absent -= {worker.index}
                return

    def _mark_absent(self, worker: int, error: Exception) -> None:
        """Marks a worker that did not come back in time as absent; aborts the job if all workers are."""
        with _lock:
            known, self._absent = worker in self._absent, self._absent | {worker}
        if known:
            return
        logger.warning("worker:%d did not come back: %s (STRATAGEM_REJOIN_SECONDS changes the limit.)", worker, error)
        if len(self._absent) == len(self._workers):
            self._abort(UnavailableError(f"The job has no worker any more; the last one was worker:{worker}. {error}"))


def _watch(watched: "weakref.ref[ClusterCoordinator]") -> None:
    """Checks every second whether all tasks are lost at once; a thread that waits for one of them would notice much later."""
    while (coordinator := watched()) is not None and coordinator._alive():
        del coordinator
        time.sleep(_IDLE)


def _ready(leaf: Any) -> Any:
    """Returns a leaf of a function's result when it is computed. A variable is replaced by its present value, as in TF."""
    value = leaf.value if isinstance(leaf, KerasVariable) else leaf
    return value.block_until_ready() if isinstance(value, jax.Array) else value


def _seconds(clock: TimeBreakdown) -> WorkerSeconds:
    """Returns what tells an observer of a worker's time. Not of the worker: its process ends with its last handle."""
    return lambda: (clock.steps, {str(part): spent for part, spent in clock.seconds.items()})
