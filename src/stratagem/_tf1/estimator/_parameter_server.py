"""Training on a cluster of TensorFlow 1: workers take steps independently, and servers hold the variables."""

import logging
import queue
import threading
from collections import deque
from dataclasses import dataclass
from typing import Any, Final, final

import jax
import numpy as np

from stratagem._base.errors import OutOfRangeError
from stratagem._cluster import TFConfigClusterResolver
from stratagem._core.context import current
from stratagem._core.step import IdentityKey, execute, prepare
from stratagem._servers.coordinator import ClusterCoordinator
from stratagem._servers.strategy import ParameterServerStrategy
from stratagem._tf1.estimator._estimator import Estimator
from stratagem._tf1.estimator._input import InputFunction
from stratagem._tf1.estimator._runner import EstimatorStepRunner, StepResults, dataset_like
from stratagem._tf1.estimator._saving import saved_step
from stratagem._tf1.estimator._step import ModelStep
from stratagem._tf1.estimator._train_eval_specs import TrainSpec
from stratagem._tf1.estimator.hooks import StopAtStepHook

_log = logging.getLogger("stratagem.estimator")

_AHEAD: Final = 2  # steps submitted for each worker: one that runs, and one that is ready when it ends
_LOOK_SECONDS: Final = 1.0
_PAUSE_SECONDS: Final = 0.05  # before a worker without data returns a step, so that others may take it


@final
@dataclass(frozen=True)
class _Ended:
    """A message instead of a step's results: the data of this worker has ended."""

    worker: int


@final
class ParameterServerEstimatorRunner(EstimatorStepRunner):
    """Takes steps on all workers.

    Each makes its own dataset from the input_fn and reads all of it; free workers take the next step.

    max_steps: the global step to stop at; None stops when the data of all workers has ended.
    save_steps: steps between two checkpoints. No step runs across a checkpoint. None: checkpoints are not counted in steps.
    """

    def __init__(
        self,
        step: ModelStep,
        source: InputFunction,
        strategy: ParameterServerStrategy,
        max_steps: int | None,
        save_steps: int | None,
    ) -> None:
        self._step, self._source, self._strategy = step, source, strategy
        self._max_steps, self._save_steps = max_steps, save_steps
        self._coordinator = ClusterCoordinator(strategy)
        self._iterator: Any = None
        self._first: int | None = None  # the global step before the first step
        self._reported = 0  # steps that were reported to the training loop
        self._under_way = 0  # submitted steps that have not ended
        self._waiting: deque[dict[str, Any]] = deque()  # results that were not reported yet
        self._arrived: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self._without_data: set[int] = set()
        self._closed = threading.Event()

    def build(self) -> None:
        batch, step = _first_batch(self._source), self._step
        with self._strategy.scope():
            prepare(step, ("estimator", IdentityKey(step)), step.name, (batch, ()), self._strategy.mesh)
        source = self._source
        self._iterator = iter(self._coordinator.create_per_worker_dataset(lambda: source.dataset(None)))

    def advance(self) -> StepResults | None:
        self._send()
        while not self._waiting and self._under_way:
            self._receive()
            self._send()
        if not self._waiting:
            return None
        found = self._waiting.popleft()
        self._reported += 1
        return StepResults(self._start + self._reported - 1, found.get("loss"), found["tensors"])

    def final_metrics(self) -> dict[str, Any]:
        return {}  # only evaluations have any

    def global_step(self) -> int:
        return self._start + self._reported

    def settle(self) -> None:
        """Waits for all running steps. Their results are not reported, but the global step counts them."""
        while self._under_way:
            self._receive()
        self._reported += len(self._waiting)
        self._waiting.clear()
        self._first = self._read() - self._reported  # a model_fn may not count by one

    def close(self) -> None:
        if self._closed.is_set():
            return
        self._closed.set()
        if self._under_way:
            try:
                self._coordinator.join()
            except Exception as error:  # the caller gets the error that ended training
                _log.warning("A step that was under way when training ended has failed: %s", error)

    @property
    def _start(self) -> int:
        if self._first is None:
            self._first = self._read()
        return self._first

    def _read(self) -> int:
        return int(self._step.graph.global_step.numpy())

    def _send(self) -> None:
        """Submits as many steps as the workers can use."""
        most = _AHEAD * self._strategy.workers
        if self._max_steps is not None:
            most = min(most, self._max_steps - self._start - self._reported)
        if self._save_steps:
            most = min(most, self._save_steps - self._reported % self._save_steps)
        while self._has_data() and self._under_way + len(self._waiting) < most:
            self._coordinator.submit(self._step.name, self._take, (self._iterator, self._step.asked))
            self._under_way += 1

    def _has_data(self) -> bool:
        """Returns True while some worker may have data. A lost one may come back, and then reads its data from the start."""
        return len(self._without_data | self._coordinator.absent) < self._strategy.workers

    def _receive(self) -> None:
        """Waits for the end of one submitted step. Raises its error, or that of a lost server."""
        while True:
            try:
                arrived = self._arrived.get(timeout=_LOOK_SECONDS)
                break
            except queue.Empty:
                self._coordinator.done()  # raises the error of a lost server
        self._under_way -= 1
        if isinstance(arrived, _Ended):
            self._without_data.add(arrived.worker)
        else:
            self._waiting.append(arrived)

    def _take(self, iterator: Any, asked: tuple[str, ...]) -> None:
        """Takes one step on behalf of a worker."""
        here = current().worker
        assert here is not None
        assert here.index is not None, "the coordinator takes no step"
        worker = here.index
        if worker in self._without_data:
            self._closed.wait(_PAUSE_SECONDS)
            self._arrived.put(_Ended(worker))
            return
        step, mesh = self._step, self._strategy.mesh
        try:
            found = execute(
                self._on_a_worker, ("estimator served", IdentityKey(step)), step.name, (iterator, asked), {}, mesh
            )
            jax.block_until_ready(found)
        except (OutOfRangeError, StopIteration):
            self._arrived.put(_Ended(worker))
        else:
            self._arrived.put(found)

    def _on_a_worker(self, iterator: Any, asked: tuple[str, ...]) -> dict[str, Any]:
        return self._step(next(iterator), asked)


def train_with_servers(estimator: Estimator, spec: TrainSpec) -> None:
    """Trains on the workers and servers of TF_CONFIG, in the task of the chief.

    Raises UnavailableError if a task does not start in time, or a server is lost.
    """
    # Needed even if there is nothing to do: the other tasks wait for the chief, and end with it.
    strategy = ParameterServerStrategy(TFConfigClusterResolver())
    if spec.max_steps is not None and spec.max_steps <= saved_step(estimator.latest_checkpoint()):
        _log.info("Skipping training since max_steps has already saved.")
        return
    stop = [] if spec.max_steps is None else [StopAtStepHook(last_step=spec.max_steps)]

    def open_runner(step: ModelStep, source: InputFunction) -> EstimatorStepRunner:
        return ParameterServerEstimatorRunner(
            step, source, strategy, spec.max_steps, estimator.config.save_checkpoints_steps
        )

    loss = estimator._train(spec.input_fn, [*spec.hooks, *stop], spec.saving_listeners, open_runner, strategy)
    _log.info("Loss for final step: %s.", None if loss is None else np.asarray(loss)[()])


def _first_batch(source: InputFunction) -> Any:
    """Returns the batch that the model is built for: the first one, or zeros of its shape if there is none."""
    dataset = source.dataset(None)
    first = next(iter(dataset), None)
    return next(iter(dataset_like(dataset))) if first is None else first
