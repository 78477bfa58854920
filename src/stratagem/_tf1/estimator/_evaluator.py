"""The evaluator of train_and_evaluate: after checkpoints of a training in this process, or in another one."""

import logging
import os
import time
from typing import Any, Final, final

from stratagem._base.errors import CheckpointError
from stratagem._checkpoints import is_good
from stratagem._tf1.estimator._announcement import ChiefMonitor
from stratagem._tf1.estimator._estimator import Estimator
from stratagem._tf1.estimator._session_run_hook import CheckpointSaverListener, SessionRunHook
from stratagem._tf1.estimator._train_eval_specs import EvalSpec, TrainSpec

_log = logging.getLogger("stratagem.estimator")

_POLL_SECONDS = 1.0
_WARN_SECONDS: Final = 600.0  # between two warnings that there is nothing to evaluate


@final
class Evaluator:
    """Evaluates each checkpoint once, and runs the exporters.

    passes_over: ignore a checkpoint that its training deleted before it could be read.
    metrics, exports: the results of the last evaluation, and what its exporters returned; None before the first.
    """

    def __init__(
        self, estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec, *, passes_over: bool = False
    ) -> None:
        self._estimator, self._spec = estimator, eval_spec
        self._max_steps, self._passes_over = train_spec.max_steps, passes_over
        self._last: str | None = None
        self._warned = -_WARN_SECONDS
        self.metrics: dict[str, Any] | None = None
        self.exports: list[Any] | None = None

    def evaluate(self) -> bool:
        """Evaluates the latest checkpoint. Returns False if there is no new one."""
        path = self._estimator.latest_checkpoint()
        if path is None:
            self._warn("Estimator is not trained yet. Will start an evaluation when a checkpoint is ready.")
            return False
        if path == self._last:
            self._warn("No new checkpoint ready for evaluation.")
            return False
        spec, read = self._spec, _CheckpointReadHook()
        try:
            metrics = self._estimator.evaluate(
                spec.input_fn, steps=spec.steps, hooks=[read, *spec.hooks], checkpoint_path=path, name=spec.name
            )
        except (CheckpointError, OSError):
            if read.done or not self._passes_over or is_good(path):
                raise
            _log.warning("%s was removed while it was read; the next one is evaluated.", path)
            return False
        self.metrics, self._last, self._warned = metrics, path, -_WARN_SECONDS
        self.exports = [self._exported(exporter, path, metrics) for exporter in spec.exporters]
        return True

    def has_evaluated_the_end(self) -> bool:
        """Returns True if the last evaluation was of a checkpoint at `max_steps`."""
        return bool(self.metrics and self._max_steps and self.metrics["global_step"] >= self._max_steps)

    def _exported(self, exporter: Any, path: str, metrics: dict[str, Any]) -> Any:
        return exporter.export(
            estimator=self._estimator,
            export_path=os.path.join(self._estimator.model_dir, "export", exporter.name),
            checkpoint_path=path,
            eval_result=metrics,
            is_the_final_export=self.has_evaluated_the_end(),
        )

    def _warn(self, message: str) -> None:
        now = time.monotonic()
        if now - self._warned >= _WARN_SECONDS:
            _log.warning(message)
            self._warned = now


@final
class _CheckpointReadHook(SessionRunHook):
    """Records that the checkpoint was read, so that later errors are not taken for a missing checkpoint."""

    def __init__(self) -> None:
        self.done = False

    def after_create_session(self, session: Any, coord: Any) -> None:
        self.done = True


@final
class EvaluatingListener(CheckpointSaverListener):
    """Evaluates after every checkpoint of a training except the first, which holds the initial values, and at the end."""

    def __init__(self, evaluator: Evaluator, throttle_secs: float) -> None:
        self._evaluator, self._throttle_secs = evaluator, throttle_secs
        self._saved = False
        self._step: int | None = None  # at the last evaluation
        self._began = 0.0

    def begin(self) -> None:
        self._saved, self._step = False, None

    def after_save(self, session: Any, global_step_value: int) -> None:
        """Evaluates, unless the last evaluation was less than `throttle_secs` ago."""
        if not self._saved:
            self._saved = True
        elif self._step is None or time.monotonic() - self._began >= self._throttle_secs:
            self._evaluate(global_step_value)
        else:
            _log.info("Skip the current checkpoint eval due to throttle secs (%s secs).", self._throttle_secs)

    def end(self, session: Any, global_step_value: int) -> None:
        """Evaluates the last checkpoint, if it has not been evaluated."""
        if global_step_value != self._step:
            self._evaluate(global_step_value)

    def _evaluate(self, global_step: int) -> None:
        self._step, self._began = global_step, time.monotonic()
        if not self._evaluator.evaluate():
            raise RuntimeError(
                f"There was no new checkpoint at global step {global_step} to evaluate. Does a hook remove checkpoints, or "
                "does another training write to the same model_dir?"
            )


def evaluate_while_others_train(estimator: Estimator, train_spec: TrainSpec, eval_spec: EvalSpec) -> None:
    """Evaluates every new checkpoint, up to the one at `max_steps` or the last one of a training that is over."""
    watch = ChiefMonitor(estimator.model_dir)
    if eval_spec.start_delay_secs:
        _log.info("Waiting %f secs before starting eval.", eval_spec.start_delay_secs)
        watch.wait(eval_spec.start_delay_secs)
    evaluator = Evaluator(estimator, train_spec, eval_spec, passes_over=True)
    while True:
        over, began = watch.is_over(), time.monotonic()
        evaluated = evaluator.evaluate()
        if evaluator.has_evaluated_the_end() or over:
            step = None if evaluator.metrics is None else evaluator.metrics["global_step"]
            _log.info("Exiting evaluation, global_step=%s, train max_steps=%s.", step, train_spec.max_steps)
            return
        pause = eval_spec.throttle_secs - (time.monotonic() - began)
        if evaluated and pause > 0:
            _log.info("Waiting %f secs before starting next eval run.", pause)
            watch.wait(pause)
        elif not evaluated:
            watch.wait(_POLL_SECONDS)
