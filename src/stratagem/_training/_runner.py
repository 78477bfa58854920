"""Runs the batches of a model: the interface, and the implementation for synchronous strategies."""

import abc
import functools
import math
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, final

import jax

from stratagem._core.step import (
    IdentityKey,
    agreed,
    execute_batched,
    execute_uncached,
    prepare,
    run_eagerly,
    run_replicas,
    runs_replicas_eagerly,
)
from stratagem._core.values import CompositeTensor, PerReplicaComposite, Separate, Stacked, is_per_replica
from stratagem._strategies import AbstractStrategy
from stratagem._training._array_preparation import placed_batch
from stratagem._training._data_arguments import DataArguments
from stratagem._training._epochs import Epochs
from stratagem._training._feed import open_feed
from stratagem._training._replica_step import StepKind, Steps, is_overridden

_COMPOSITES = CompositeTensor | PerReplicaComposite


@dataclass(frozen=True)
class StartedSteps:
    """Some steps that were started together.

    steps: their number.
    examples: the number of rows of their batches, on all replicas.
    result: the logs after the last of them; for predictions a list with the outputs of each, per replica. A runner whose
        steps are still in progress may return a dict of logs that it fills later, at the latest in `end_epoch`.
    """

    steps: int
    examples: int
    result: Any


class StepRunner(abc.ABC):
    """Runs one kind of step of a model on the batches of some data. There is one class for each way to distribute work."""

    @property
    @abc.abstractmethod
    def batches(self) -> int | None:
        """The number of batches in an epoch, if known."""

    @property
    @abc.abstractmethod
    def batches_now(self) -> int | None:
        """The number in the epoch that has begun, if known: it may have begun in another process, with other batches."""

    @property
    @abc.abstractmethod
    def continues(self) -> bool:
        """True if the next epoch goes on where this one ends; else it reads the data from their start."""

    @abc.abstractmethod
    def build(self) -> None:
        """Makes all variables that the steps use. Raises ValueError if there are no batches."""

    @abc.abstractmethod
    def begin_epoch(self) -> None:
        """Begins an epoch: the next `advance` takes its first batch."""

    @abc.abstractmethod
    def advance(self) -> StartedSteps | None:
        """Starts the next steps, at most as many as the model runs in one execution. None: the epoch's data has ended."""

    @abc.abstractmethod
    def end_epoch(self) -> None:
        """Waits until the metrics count every step of the epoch."""

    @abc.abstractmethod
    def get_state(self) -> Any:
        """The position in the data where the next step begins, as a dict that JSON can hold."""

    @abc.abstractmethod
    def set_state(self, state: Any) -> None:
        """Makes the next epoch begin at a saved position, possibly one of another process."""


@functools.singledispatch
def open_runner(strategy: AbstractStrategy, steps: Steps, kind: StepKind, data: DataArguments) -> StepRunner:
    """The runner for a strategy; `open_runner.register(Class)` registers another one for a strategy class."""
    return SynchronousRunner(steps, strategy, kind, data)


@functools.singledispatch
def run_batch(strategy: AbstractStrategy, steps: Steps, kind: StepKind, data: DataArguments) -> Any:
    """Runs one step on one batch of arrays to its end: returns the logs, or every replica's predictions.

    `run_batch.register(Class)` registers another implementation for a strategy class, as with `open_runner`.
    """
    return run_steps(steps, strategy, kind, [placed_batch(data, strategy)])[0]


@final
class SynchronousRunner(StepRunner):
    """All replicas take each step together, each on its part of the batch."""

    def __init__(self, steps: Steps, strategy: AbstractStrategy, kind: StepKind, data: DataArguments) -> None:
        self._steps, self._strategy, self._kind = steps, strategy, kind
        self._epochs = Epochs(open_feed(data, strategy, continues=kind is StepKind.TRAIN))

    @property
    def batches(self) -> int | None:
        return self._epochs.steps

    @property
    def batches_now(self) -> int | None:
        return self._epochs.steps_now

    @property
    def continues(self) -> bool:
        return self._epochs.continues

    def build(self) -> None:
        if _runs_as_python(self._steps, self._strategy):
            _build_as_python(self._steps, self._strategy, self._kind, self._epochs.peek())
            return
        prepare(*step_of(self._steps, self._strategy, self._kind, self._epochs.peek()), self._strategy.mesh)

    def begin_epoch(self) -> None:
        self._epochs.begin()

    def advance(self) -> StartedSteps | None:
        batches = self._epochs.take(self._steps.model.steps_per_execution)
        if not batches:
            return None
        results = run_steps(self._steps, self._strategy, self._kind, batches)
        return StartedSteps(
            len(batches), sum(map(examples_of, batches)), results if self._kind is StepKind.PREDICT else results[-1]
        )

    def end_epoch(self) -> None:
        self._epochs.end()
        self._strategy.mesh.non_finite.check(self._strategy.mesh.job, in_flight=0)

    def get_state(self) -> Any:
        return self._epochs.get_state()

    def set_state(self, state: Any) -> None:
        self._epochs.set_state(state)


def run_steps(steps: Steps, strategy: AbstractStrategy, kind: StepKind, batches: list[Any]) -> list[Any]:
    """Runs a step on every batch, on all replicas: returns the logs after the last, or every replica's predictions of each."""
    body, key, name, _ = step_of(steps, strategy, kind, None)
    every = kind is StepKind.PREDICT
    if _runs_as_python(steps, strategy):
        results = [_as_python(steps, strategy, kind, batch) for batch in batches]
        return results if every else results[-1:]
    if steps.model.run_eagerly:  # of several processes: its Python runs at every call, in a trace
        results = [execute_uncached(body, key, name, (batch,), strategy.mesh) for batch in batches]
        return results if every else results[-1:]
    return execute_batched(body, key, name, [(batch,) for batch in batches], strategy.mesh, every=every)


def _runs_as_python(steps: Steps, strategy: AbstractStrategy) -> bool:
    return runs_replicas_eagerly(strategy, wanted=bool(steps.model.run_eagerly))


def _as_python(steps: Steps, strategy: AbstractStrategy, kind: StepKind, batch: Any) -> Any:
    """Runs a step as Python, operation by operation, with values that it can see."""
    result = run_eagerly(strategy, steps, (kind, False, batch), {})
    if kind is StepKind.PREDICT:
        return result
    # The logs are those of the global batch, on every replica.
    return jax.tree.map(lambda leaf: leaf.values[0] if is_per_replica(leaf) else leaf, result, is_leaf=is_per_replica)


def _build_as_python(steps: Steps, strategy: AbstractStrategy, kind: StepKind, batch: Any) -> None:
    """Makes the variables of a model that is not built, by its outputs of a batch, which are forgotten.

    A step of the model's own makes them when it runs: its model may take other batches, or have no outputs.
    """
    if not steps.model.built and not is_overridden(steps.model, kind):
        run_eagerly(strategy, steps, (StepKind.PREDICT, False, batch), {}, commits=False)


def step_of(
    steps: Steps, strategy: AbstractStrategy, kind: StepKind, batch: Any
) -> tuple[Any, Hashable, str, tuple[Any]]:
    """The step as arguments for `execute`: body, key, name and arguments."""
    gathers = kind is StepKind.PREDICT and strategy.mesh.job.workers > 1

    def body(batch: Any) -> Any:
        result = run_replicas(strategy, steps, (kind, gathers, batch), {})
        return result if kind is StepKind.PREDICT and not gathers else agreed(result)

    return (
        body,
        ("trainer", IdentityKey(strategy), IdentityKey(steps), kind),
        f"{steps.model.name}.{kind.value}",
        (batch,),
    )


def examples_of(batch: Any) -> int:
    """The number of rows of a global batch."""
    found = jax.tree.leaves(batch, is_leaf=lambda v: is_per_replica(v) or isinstance(v, _COMPOSITES))
    first = min(found, key=lambda v: isinstance(v, _COMPOSITES))
    if isinstance(first, PerReplicaComposite):
        return sum(
            int(value.shape[0]) for value in first.values
        )  # of this process: others are known to their processes
    if isinstance(first, Stacked):
        return int(math.prod(first.array.shape[:2]))
    return sum(shape[0] for shape in first.shapes) if isinstance(first, Separate) else int(first.shape[0])
