"""The interface of runners, which take the steps of a model, and the runner of one process, whose replicas step together."""

import abc
import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NoReturn, final

import jax
import numpy as np

from stratagem._core.step import IdentityKey, StepSequence
from stratagem._core.values import storage
from stratagem._data import Dataset
from stratagem._private import stored
from stratagem._tf1.estimator._input import InputFunction
from stratagem._tf1.estimator._step import ModelStep


@final
@dataclass(frozen=True)
class StepResults:
    """The results of one step.

    global_step: before the step.
    loss: the model's loss, a scalar: the mean over replicas if the optimizer scaled it so, else the sum. None if there is
        none.
    tensors: by key, the tensors that the model's hooks hold, requested names, summaries and predictions.
    """

    global_step: int
    loss: Any
    tensors: dict[str, Any]


class EstimatorStepRunner(abc.ABC):
    """Takes the steps of one training, evaluation or prediction. Each way to distribute the work has its own class."""

    @abc.abstractmethod
    def build(self) -> None:
        """Traces the model once, which creates its variables and `ModelStep.built`. It takes no step and consumes no batch."""

    @abc.abstractmethod
    def advance(self) -> StepResults | None:
        """Takes the next step, or waits for one that runs elsewhere. Returns None if the input has ended."""

    @abc.abstractmethod
    def final_metrics(self) -> dict[str, Any]:
        """Returns the current values of metrics that the model_fn computes from others, by key as in `StepResults.tensors`."""

    @abc.abstractmethod
    def global_step(self) -> int:
        """Returns the global step after all reported steps."""

    @abc.abstractmethod
    def settle(self) -> None:
        """Waits until no step is running, so that the variables can be read and saved together."""

    @abc.abstractmethod
    def close(self) -> None:
        """Releases the input and running steps, also after an error. Closing twice has no effect."""


# Makes the runner of `Estimator._train` from the step, which it traces, and the input.
OpenRunner = Callable[[ModelStep, InputFunction], EstimatorStepRunner]


@final
class LocalRunner(EstimatorStepRunner):
    """Takes every step on all replicas together, each with its own batch.

    distributed: whether the user chose the strategy, so that the input_fn gets an `input_context`.
    """

    def __init__(self, step: ModelStep, source: InputFunction, *, distributed: bool) -> None:
        self._step, self._strategy = step, step.strategy
        self._source, self._distributed = source, distributed
        self._calls = StepSequence(step, ("estimator", IdentityKey(step)), step.name, step.strategy.mesh)
        self._iterator: Any = None
        self._batch: Any = None
        self._ahead = False
        self._next: Callable[[], Any] | None = None
        self._running: Any = None  # a result of the last step, which may still be computed
        self._counted: tuple[Any, int] | None = None  # what the global step stores, and its number

    def build(self) -> None:
        made: list[Dataset] = []

        def dataset(context: Any) -> Dataset:
            made.append(self._source.dataset(context if self._distributed else None))
            return made[-1]

        batches = self._batches(dataset)
        # A batch that is not wanted in the end may be drawn where no user code makes it, and no other worker is asked for it.
        self._ahead = batches.stage.pure and self._strategy.mesh.job.workers == 1
        self._iterator = iter(batches)
        try:
            self._batch = self._iterator.peek_for_program()
        except StopIteration:
            self._batch = iter(self._batches(lambda context: dataset_like(made[0]))).peek_for_program()
        with self._strategy.scope():
            self._calls.record((self._batch, ()))

    def advance(self) -> StepResults | None:
        drawn, self._next = self._next, None
        batch = self._drawn() if drawn is None else drawn()
        if batch is _END:
            return None
        self._batch = batch
        before = self.global_step()
        found = self._run(final=False)
        return StepResults(before, found.get("loss"), found["tensors"])

    def final_metrics(self) -> dict[str, Any]:
        found: dict[str, Any] = self._run(final=True)["tensors"]
        return found

    def global_step(self) -> int:
        with storage:  # no copy, which would take as long as all hooks of a short step
            array = stored(self._step.graph.global_step)
            if self._counted is None or self._counted[0] is not array:
                self._counted = array, int(np.asarray(self._strategy.mesh.first(array)))
        return self._counted[1]

    def settle(self) -> None:
        pass  # reading a variable waits for it

    def close(self) -> None:
        if self._iterator is not None:
            self._iterator.close()

    def _batches(self, dataset: Callable[[Any], Dataset]) -> Any:
        with self._strategy.scope():
            return self._strategy.distribute_datasets_from_function(dataset)

    def _drawn(self) -> Any:
        """Returns the next batch; _END if there is none."""
        try:
            return self._iterator.next_for_program()
        except StopIteration:
            return _END

    def _draw_ahead(self) -> None:
        """Draws and prepares the next batch. An error is raised when the batch is asked for, as the training may end before."""
        try:
            batch = self._drawn()
        except Exception as error:
            self._next = functools.partial(_raise, error)
            return
        self._next = lambda: batch
        if batch is not _END:
            self._calls.prepare((batch, self._step.asked, False))

    def _run(self, *, final: bool) -> dict[str, Any]:
        """Begins a step, prepares the next, and waits for the step before this one, so that no more than two are in memory.

        A step whose program does not tell the global step after it is waited for.
        """
        before = self.global_step()
        with self._strategy.scope():
            finish = self._calls.begin((self._batch, self._step.asked, final))
            self._count(before)
            if self._ahead and not final:
                self._draw_ahead()
            found: dict[str, Any] = finish()
        previous, self._running = self._running, found["before"]
        jax.block_until_ready(self._running if self._counted is None else previous)
        return found

    def _count(self, before: int) -> None:
        """Takes note of the global step after the step that has begun, if its program tells it. Workers take steps together."""
        counter = self._step.graph.global_step
        added = self._calls.added_to(counter) if self._strategy.mesh.job.workers == 1 else None
        with storage:
            self._counted = None if added is None else (stored(counter), before + added)


_END = object()


def _raise(error: Exception) -> NoReturn:
    raise error


def dataset_like(dataset: Dataset) -> Dataset:
    """Returns a dataset of one element of zeros, shaped like those of an empty dataset, to build a model with."""

    def zeros(spec: Any) -> Any:
        shape = [1 if size is None else size for size in spec.shape]
        dtype = np.dtype(getattr(spec.dtype, "as_numpy_dtype", spec.dtype))
        return np.full(shape, b"", object) if dtype.hasobject else np.zeros(shape, dtype)

    return Dataset.from_tensors(jax.tree.map(zeros, dataset.element_spec))
