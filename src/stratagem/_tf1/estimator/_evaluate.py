"""Evaluation of an Estimator's model: metrics over the batches of a dataset, in the log and in event files."""

import logging
import time
from collections.abc import Sequence
from typing import Any

import keras
import numpy as np

from stratagem._core.step import compiling_seconds
from stratagem._tf1.estimator._events import EventFolders
from stratagem._tf1.estimator._loop import steps
from stratagem._tf1.estimator._runner import EstimatorStepRunner
from stratagem._tf1.estimator._saving import GLOBAL_STEP, GraphSaver
from stratagem._tf1.estimator._session import ModelSession
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.estimator._step import ModelFnResults, is_plain
from stratagem._tf1.estimator._train import initializer

_log = logging.getLogger("stratagem.estimator")

_LOSS = "loss"


def evaluate(
    session: ModelSession,
    runner: EstimatorStepRunner,
    built: ModelFnResults,
    saving: GraphSaver,
    hooks: Sequence[SessionRunHook],
    path: str | None,
) -> dict[str, Any]:
    """Evaluates all batches, or until a hook requests a stop, and returns the metrics, the mean loss and the global step.

    Raises ValueError for a metric that is named `loss` or `global_step`.
    """
    for name in (_LOSS, GLOBAL_STEP):
        if name in built.spec.eval_metric_ops:
            raise ValueError(
                f"Metric with name {name!r} is not allowed, because Estimator already defines a default metric with the same "
                "name."
            )
    _log.info("Starting evaluation at %s", time.strftime("%Y-%m-%dT%H:%M:%S"))
    start, compiled, batches = time.time(), compiling_seconds(), 0
    for _ in steps(session, built, hooks, initializer(session, built, saving, path)):
        batches += 1
    found = _values(runner, built, batches)
    found[_LOSS] = _value(built.mean_loss.result())
    found[GLOBAL_STEP] = np.int64(session.global_step())
    # TensorFlow's graphs need next to no time for this: counted, a short evaluation would seem slow.
    _log.info("Inference Time : %0.5fs", max(0.0, time.time() - start - (compiling_seconds() - compiled)))
    _log.info("Finished evaluation at %s", time.strftime("%Y-%m-%d-%H:%M:%S"))
    return found


def _values(runner: EstimatorStepRunner, built: ModelFnResults, batches: int) -> dict[str, Any]:
    """Returns the current values of all metrics."""
    metrics = built.spec.eval_metric_ops
    final_metrics = runner.final_metrics() if batches and any(map(is_plain, metrics.values())) else {}
    found = {}
    for name, metric in metrics.items():
        if isinstance(metric, keras.metrics.Metric):
            found[name] = _value(metric.result())
        else:
            found[name] = _value(final_metrics.get(f"metric {name}", np.nan) if is_plain(metric) else metric[0].read())
    return found


def _value(result: Any) -> Any:
    return np.asarray(result)[()]


def record(events: EventFolders, folder: str, found: dict[str, Any], path: str | None) -> None:
    """Logs the metrics and writes them to the event file of a folder."""
    step = int(found[GLOBAL_STEP])
    shown = ", ".join(f"{name} = {value!s}" for name, value in sorted(found.items()))
    _log.info("Saving dict for global step %d: %s", step, shown)
    numbers = {}
    for name, value in found.items():
        if name == GLOBAL_STEP:
            continue
        if np.ndim(value):
            _log.warning("Skipping summary for %s, which is no number: its shape is %s.", name, np.shape(value))
        else:
            numbers[name] = float(value)
    events.scalars(folder, step, numbers)
    if path is not None:
        _log.info("Saving 'checkpoint_path' summary for global step %d: %s", step, path)
        events.text(folder, step, "checkpoint_path", path)
