"""fit, evaluate and predict with parameter servers: the coordinator reads the data, workers run the steps."""

from collections import deque
from typing import Any, final

import numpy as np

from stratagem._core.step import prepare
from stratagem._servers.coordinator import ClusterCoordinator, RemoteValue
from stratagem._servers.strategy import ParameterServerStrategy
from stratagem._training._data_arguments import DataArguments
from stratagem._training._epochs import Epochs
from stratagem._training._feed import open_feed
from stratagem._training._replica_step import StepKind, Steps
from stratagem._training._runner import (
    StartedSteps,
    StepRunner,
    examples_of,
    open_runner,
    run_batch,
    run_steps,
    step_of,
)

# Executions submitted for each worker: one that it runs, and one that waits, so that the worker never has to.
_EXECUTIONS_PER_WORKER = 2


@final
class ParameterServerRunner(StepRunner):
    """A runner whose workers take the next batch when they are free; each batch is used exactly once, even if a worker dies."""

    def __init__(self, strategy: ParameterServerStrategy, steps: Steps, kind: StepKind, data: DataArguments) -> None:
        self._steps, self._strategy, self._kind = steps, strategy, kind
        self._coordinator = ClusterCoordinator(strategy)
        self._epochs = Epochs(open_feed(data, strategy, continues=kind is StepKind.TRAIN))
        self._submitted: deque[tuple[int, int, RemoteValue]] = deque()  # steps, examples, results
        self._reported = 0  # steps that were taken before the restored state was saved, and not yet reported
        self._logs: dict[str, Any] = {}

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
        prepare(*step_of(self._steps, self._strategy, self._kind, self._epochs.peek()), self._strategy.mesh)

    def begin_epoch(self) -> None:
        self._epochs.begin()

    def advance(self) -> StartedSteps | None:
        """Returns the next steps that have ended; keeps the workers busy meanwhile."""
        if self._reported:
            taken, self._reported = self._reported, 0
            return StartedSteps(taken, 0, self._logs)
        while len(self._submitted) < _EXECUTIONS_PER_WORKER * self._strategy.workers and self._submit():
            pass
        if not self._submitted:
            return None
        steps, examples, value = self._submitted.popleft()
        results = self._result(value)
        if self._kind is StepKind.PREDICT:
            return StartedSteps(steps, examples, results)
        self._logs = results[-1]
        return StartedSteps(steps, examples, self._logs)

    def end_epoch(self) -> None:
        while self._submitted:
            self._logs = self._result(self._submitted.popleft()[2])[-1]
        if self._kind is not StepKind.PREDICT and isinstance(self._logs, dict):
            # A worker's view of the metrics lacks the concurrent updates of others; the servers have all of them.
            totals = self._metric_results()
            self._logs.update((name, totals[name]) for name in self._logs if name in totals)
        self._epochs.end()

    def _metric_results(self) -> dict[str, Any]:
        """The results of the metrics that the steps have updated. (A user's `train_step` may use none of them.)"""
        results: dict[str, Any] = {}
        for metric in self._steps.model.metrics:
            if any(np.any(np.asarray(variable)) for variable in metric.variables):
                result = metric.result()
                results.update(result if isinstance(result, dict) else {metric.name: result})
        return results

    def get_state(self) -> Any:
        """Waits for the steps in progress, since the saved data position is behind them."""
        for _, _, value in self._submitted:
            self._result(value)
        reported = self._reported + sum(steps for steps, _, _ in self._submitted)
        return {**self._epochs.get_state(), "reported": reported}

    def set_state(self, state: Any) -> None:
        self._reported = state["reported"]
        self._epochs.set_state(state)

    def _submit(self) -> bool:
        """Submits the next execution; returns False if the epoch's data has ended."""
        with self._coordinator.reading:
            batches = self._epochs.take(self._steps.model.steps_per_execution)
        if not batches:
            return False
        name = f"{self._steps.model.name}.{self._kind.value}"
        value = self._coordinator.submit(name, run_steps, (self._steps, self._strategy, self._kind, batches))
        self._submitted.append((len(batches), sum(map(examples_of, batches)), value))
        return True

    def _result(self, value: RemoteValue) -> Any:
        try:
            return value.get()
        except BaseException:
            self._submitted.clear()
            self._coordinator.join()  # raises the same error, and leaves the workers ready for further work
            raise


def _run_batch(strategy: ParameterServerStrategy, steps: Steps, kind: StepKind, data: DataArguments) -> Any:
    coordinator = ClusterCoordinator(strategy)
    value = coordinator.submit(f"{steps.model.name}.{kind.value}", _one_batch, (strategy, steps, kind, data))
    coordinator.join()
    return value.get()


_one_batch = run_batch.dispatch(object)


@open_runner.register
def _(strategy: ParameterServerStrategy, steps: Steps, kind: StepKind, data: DataArguments) -> StepRunner:
    return ParameterServerRunner(strategy, steps, kind, data)


run_batch.register(ParameterServerStrategy, _run_batch)
