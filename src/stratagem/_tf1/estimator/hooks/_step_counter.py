"""StepCounterHook: the speed of training."""

import logging
from typing import Any

from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.estimator.hooks._protocol import SessionRunArgs, SessionRunContext, SessionRunValues
from stratagem._tf1.estimator.hooks._timer import SecondOrStepTimer

_log = logging.getLogger("stratagem.estimator")

_TAG = "global_step/sec"
_WARNINGS = 5


@exported("estimator.StepCounterHook", v1=["estimator.StepCounterHook", "train.StepCounterHook"])
class StepCounterHook(SessionRunHook):
    """Logs global steps per second every so many steps or seconds, and writes them to the event file of `output_dir`.

    summary_writer: refused; use `output_dir`.
    """

    def __init__(
        self,
        every_n_steps: int | None = 100,
        every_n_secs: float | None = None,
        output_dir: str | None = None,
        summary_writer: object = None,
    ) -> None:
        if (every_n_steps is None) == (every_n_secs is None):
            raise ValueError("exactly one of every_n_steps and every_n_secs should be provided.")
        refuse_writer(summary_writer)
        self._timer = SecondOrStepTimer(every_n_secs, every_n_steps)
        self._output_dir = None if output_dir is None else checked_path(output_dir)
        self._step: int | None = None
        self._warnings = 0

    def begin(self) -> None:
        self._timer.reset()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs | None:
        if self._step is None:
            self._step = run_context.session.global_step()
        return None

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        before, self._step = self._step, run_context.session.global_step()
        if self._timer.should_trigger_for_step(self._step):
            seconds, steps = self._timer.update_last_triggered_step(self._step)
            if seconds is not None and steps is not None:
                self._show(steps / seconds, run_context)
        if before == self._step and self._warnings < _WARNINGS:
            self._warnings += 1
            _log.warning(
                "It seems that global step (tf.train.get_global_step) has not been increased. It is %d. Pass "
                "tf.train.get_global_step() to Optimizer.apply_gradients or Optimizer.minimize.",
                before,
            )

    def _show(self, speed: float, run_context: SessionRunContext) -> None:
        assert self._step is not None
        if self._output_dir is not None:
            run_context.session.events.scalars(self._output_dir, self._step, {_TAG: speed})
        _log.info("%s: %g", _TAG, speed)


def refuse_writer(summary_writer: Any) -> None:
    """Raises ValueError if a summary writer was given to a hook."""
    if summary_writer is not None:
        raise ValueError("A hook writes to the event file of its output_dir: give that instead of a summary_writer.")
