"""tf.estimator.experimental: hooks that end a training early, when a function or the metrics of evaluations say so."""

import logging
import operator
from collections.abc import Callable
from typing import final

from stratagem._base.exports import exported
from stratagem._base.job import ALONE, Job
from stratagem._base.storage import checked_path
from stratagem._events import read_scalars
from stratagem._tf1.estimator._estimator import Estimator
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.estimator.hooks import SecondOrStepTimer, SessionRunArgs, SessionRunContext, SessionRunValues

_log = logging.getLogger("stratagem.estimator")

_EVERY_SECS = 60


@exported("estimator.experimental.make_early_stopping_hook")
def make_early_stopping_hook(
    estimator: Estimator,
    should_stop_fn: Callable[[], bool],
    run_every_secs: float | None = _EVERY_SECS,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Returns a hook that ends training when `should_stop_fn()`, called every so many seconds or steps, returns True.

    When several workers train together, all call it at the same steps, and one True ends the training of all. This requires
    run_every_steps, and run_every_secs=None.

    Raises:
        TypeError: `estimator` is not an Estimator, or should_stop_fn is not callable.
        ValueError: both or none of the intervals are given, or seconds when several workers train together.
    """
    if not isinstance(estimator, Estimator):
        raise TypeError(f"`estimator` must have type `tf.estimator.Estimator`. Got: {type(estimator)}")
    if not callable(should_stop_fn):
        raise TypeError(f"`should_stop_fn` must be callable, got {should_stop_fn!r}.")
    if run_every_secs is not None and run_every_steps is not None:
        raise ValueError(
            "Only one of `run_every_secs` and `run_every_steps` must be set. With steps, give run_every_secs=None."
        )
    strategy = estimator.config.train_distribute
    job = ALONE if strategy is None else strategy.mesh.job
    if job.workers > 1 and run_every_secs is not None:
        raise ValueError(
            "run_every_secs should not be set when several workers train together: their clocks differ. Give run_every_steps, "
            "and run_every_secs=None."
        )
    return _StopOnPredicateHook(should_stop_fn, SecondOrStepTimer(run_every_secs, run_every_steps), job)


@final
class _StopOnPredicateHook(SessionRunHook):
    """Ends the training of all workers of a job when one of them requests it."""

    def __init__(self, should_stop_fn: Callable[[], bool], timer: SecondOrStepTimer, job: Job) -> None:
        self._should_stop_fn, self._timer, self._job = should_stop_fn, timer, job

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        return SessionRunArgs(run_context.session.graph.global_step)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        step = int(run_values.results)
        if not self._timer.should_trigger_for_step(step):
            return
        self._timer.update_last_triggered_step(step)
        answers = self._job.agree("whether to stop early", bool(self._should_stop_fn()))
        if any(answers):
            _log.info("Requesting early stopping at global step %d", step)
            run_context.request_stop()


@exported("estimator.experimental.stop_if_higher_hook")
def stop_if_higher_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = _EVERY_SECS,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Returns a hook that ends training when an evaluation at step `min_steps` or later finds the metric above the threshold.

    eval_dir: the directory of the evaluations' event files; by default `estimator.eval_dir()`. Other arguments: see
        `make_early_stopping_hook`.
    """
    check = _ThresholdCrossed(estimator, metric_name, eval_dir, min_steps, threshold, higher=True)
    return make_early_stopping_hook(estimator, check, run_every_secs, run_every_steps)


@exported("estimator.experimental.stop_if_lower_hook")
def stop_if_lower_hook(
    estimator: Estimator,
    metric_name: str,
    threshold: float,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = _EVERY_SECS,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Returns a hook like `stop_if_higher_hook`, which ends training when the metric is below the threshold."""
    check = _ThresholdCrossed(estimator, metric_name, eval_dir, min_steps, threshold, higher=False)
    return make_early_stopping_hook(estimator, check, run_every_secs, run_every_steps)


@exported("estimator.experimental.stop_if_no_increase_hook")
def stop_if_no_increase_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_increase: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = _EVERY_SECS,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Returns a hook that ends training when the metric has not increased for so many steps.

    Evaluations before step `min_steps` are ignored. Other arguments: see `stop_if_higher_hook`.
    """
    check = _NotImproved(estimator, metric_name, eval_dir, min_steps, max_steps_without_increase, higher=True)
    return make_early_stopping_hook(estimator, check, run_every_secs, run_every_steps)


@exported("estimator.experimental.stop_if_no_decrease_hook")
def stop_if_no_decrease_hook(
    estimator: Estimator,
    metric_name: str,
    max_steps_without_decrease: int,
    eval_dir: str | None = None,
    min_steps: int = 0,
    run_every_secs: float | None = _EVERY_SECS,
    run_every_steps: int | None = None,
) -> SessionRunHook:
    """Returns a hook like `stop_if_no_increase_hook`, for a metric that is expected to decrease."""
    check = _NotImproved(estimator, metric_name, eval_dir, min_steps, max_steps_without_decrease, higher=False)
    return make_early_stopping_hook(estimator, check, run_every_secs, run_every_steps)


class _WatchedMetric:
    """A metric of evaluations, read from the event files of a folder."""

    def __init__(
        self,
        estimator: Estimator,
        metric: str,
        eval_dir: str | None,
        min_steps: int,
        limit: float,
        *,
        higher: bool,
    ) -> None:
        self._folder = estimator.eval_dir() if eval_dir is None else checked_path(eval_dir)
        self._metric, self._min_steps, self._limit = metric, min_steps, limit
        self._better = operator.gt if higher else operator.lt
        self._higher = higher

    def values(self) -> list[tuple[int, float]]:
        """Returns (step, value) of the evaluations so far. Raises ValueError if one lacks the metric."""
        found = {step: values for step, values in read_scalars(self._folder).items() if step >= self._min_steps}
        for step, values in found.items():
            if self._metric not in values:
                raise ValueError(
                    f"Early stopping watches the metric {self._metric!r}; the evaluation of step {step} has "
                    f"{', '.join(values)} ({self._folder})."
                )
        return [(step, values[self._metric]) for step, values in found.items()]


@final
class _ThresholdCrossed(_WatchedMetric):
    """A predicate: the metric was beyond the limit in an evaluation."""

    def __call__(self) -> bool:
        for step, value in self.values():
            if self._better(value, self._limit):
                _log.info(
                    'At step %s, metric "%s" has value %s which is %s than the configured threshold (%s) for early stopping.',
                    step,
                    self._metric,
                    value,
                    "greater" if self._higher else "less",
                    self._limit,
                )
                return True
        return False


@final
class _NotImproved(_WatchedMetric):
    """A predicate: the metric has not improved for as many steps as the limit says."""

    def __call__(self) -> bool:
        best: tuple[int, float] | None = None
        for step, value in self.values():
            if best is None or self._better(value, best[1]):
                best = step, value
            if step - best[0] >= self._limit:
                _log.info(
                    'No %s in metric "%s" for %s steps, which is greater than or equal to max steps (%s) configured for early '
                    "stopping.",
                    "increase" if self._higher else "decrease",
                    self._metric,
                    step - best[0],
                    self._limit,
                )
                return True
        return False
