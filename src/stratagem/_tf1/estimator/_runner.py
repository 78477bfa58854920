"""How the steps of a model are run: the interface, and the way of one process whose replicas take every step together."""

import abc
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from stratagem._core.step import Same, execute, prepare
from stratagem._core.values import storage
from stratagem._data import Dataset
from stratagem._private import stored
from stratagem._tf1.estimator._input import Input
from stratagem._tf1.estimator._step import ModelStep


@final
@dataclass(frozen=True)
class StepResults:
    """What one step gave.

    global_step: before the step.
    loss: the model's loss, a scalar; the mean over replicas where the optimizer scaled it so, else the sum. None where there
        is none.
    tensors: what the hooks of the model hold, names that were asked for, summaries and predictions, by key.
    """

    global_step: int
    loss: Any
    tensors: dict[str, Any]


class EstimatorRunner(abc.ABC):
    """Takes the steps of one training, evaluation or prediction. One class for each way to distribute the work."""

    @abc.abstractmethod
    def build(self) -> None:
        """Trace the model once, so that its variables exist and `ModelStep.built` is there. Takes no step and no batch."""

    @abc.abstractmethod
    def advance(self) -> StepResults | None:
        """Take the next step, or wait for the next one that ended elsewhere. None: the input has ended."""

    @abc.abstractmethod
    def finals(self) -> dict[str, Any]:
        """The values of metrics that the model_fn computes of other metrics, now; keys as in `StepResults.tensors`."""

    @abc.abstractmethod
    def global_step(self) -> int:
        """The present value of the model's global step: that after all steps which were reported."""

    @abc.abstractmethod
    def settle(self) -> None:
        """Wait until no step is under way, so that the variables can be read and saved together."""

    @abc.abstractmethod
    def close(self) -> None:
        """Let the input and what is under way go, also after an error. Closing twice has no effect."""


# How `Estimator._train` gets its runner: from the step, which is to be traced, and the input.
OpenRunner = Callable[[ModelStep, Input], EstimatorRunner]


@final
class LocalRunner(EstimatorRunner):
    """All replicas take every step together, each on a batch of its own.

    distributed: the strategy is the user's, so that the input_fn is told its place.
    """

    def __init__(self, step: ModelStep, source: Input, *, distributed: bool) -> None:
        self._step, self._strategy = step, step.strategy
        self._source, self._distributed = source, distributed
        self._iterator: Any = None
        self._batch: Any = None

    def build(self) -> None:
        made: list[Dataset] = []

        def dataset(context: Any) -> Dataset:
            made.append(self._source.dataset(context if self._distributed else None))
            return made[-1]

        self._iterator = iter(self._batches(dataset))
        try:
            self._batch = self._iterator.peek()
        except StopIteration:
            self._batch = iter(self._batches(lambda context: like(made[0]))).peek()
        with self._strategy.scope():
            prepare(self._step, self._key, self._step.name, (self._batch, ()), self._strategy.mesh)

    def advance(self) -> StepResults | None:
        try:
            self._batch = next(self._iterator)
        except StopIteration:
            return None
        found = self._run(final=False)
        return StepResults(int(found["before"]), found.get("loss"), found["tensors"])

    def finals(self) -> dict[str, Any]:
        found: dict[str, Any] = self._run(final=True)["tensors"]
        return found

    def global_step(self) -> int:
        with storage:  # what is stored, for to copy it takes as long as the rest of what hooks do around a short step
            number = self._strategy.mesh.first(stored(self._step.graph.global_step))
        return int(np.asarray(number))

    def settle(self) -> None:
        pass  # reading a variable waits for it

    def close(self) -> None:
        if self._iterator is not None:
            self._iterator.close()

    @property
    def _key(self) -> tuple[Any, ...]:
        return ("estimator", Same(self._step))

    def _batches(self, dataset: Callable[[Any], Dataset]) -> Any:
        with self._strategy.scope():
            return self._strategy.distribute_datasets_from_function(dataset)

    def _run(self, *, final: bool) -> dict[str, Any]:
        step, arguments = self._step, (self._batch, self._step.asked, final)
        with self._strategy.scope():
            found: dict[str, Any] = execute(step, self._key, step.name, arguments, {}, self._strategy.mesh)
        return found


def like(dataset: Dataset) -> Dataset:
    """A data set with one element of the shapes of another's, which has none: a model can be built for it."""

    def zeros(spec: Any) -> Any:
        shape = [1 if size is None else size for size in spec.shape]
        dtype = np.dtype(getattr(spec.dtype, "as_numpy_dtype", spec.dtype))
        return np.full(shape, b"", object) if dtype.hasobject else np.zeros(shape, dtype)

    return Dataset.from_tensors(jax.tree.map(zeros, dataset.element_spec))
