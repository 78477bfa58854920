"""Hooks that end or delay a loop: after a number of steps, when the loss is NaN, until other workers have begun."""

import logging
from typing import Any, final

import numpy as np

from stratagem._base.exports import exported
from stratagem._tf1.estimator._session_run_hook import SessionRunHook
from stratagem._tf1.estimator.hooks._protocol import SessionRunArgs, SessionRunContext, SessionRunValues

_log = logging.getLogger("stratagem.estimator")


@exported("estimator.StopAtStepHook", v1=["estimator.StopAtStepHook", "train.StopAtStepHook"])
class StopAtStepHook(SessionRunHook):
    """Ends the loop after `num_steps` more steps, or when the global step is `last_step`.

    Raises ValueError unless exactly one of them is given.
    """

    def __init__(self, num_steps: int | None = None, last_step: int | None = None) -> None:
        if num_steps is None and last_step is None:
            raise ValueError("One of num_steps or last_step must be specified.")
        if num_steps is not None and last_step is not None:
            raise ValueError("Only one of num_steps or last_step can be specified.")
        self._num_steps, self._last_step = num_steps, last_step

    def after_create_session(self, session: Any, coord: Any) -> None:
        if self._last_step is None:
            assert self._num_steps is not None
            self._last_step = session.global_step() + self._num_steps

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        assert self._last_step is not None
        if run_context.session.global_step() >= self._last_step:
            run_context.request_stop()


@exported(
    "estimator.NanLossDuringTrainingError",
    v1=["estimator.NanLossDuringTrainingError", "train.NanLossDuringTrainingError"],
)
class NanLossDuringTrainingError(RuntimeError):
    """The error of a training whose loss is NaN."""

    def __str__(self) -> str:
        return "NaN loss during training." if not self.args else str(self.args[0])


@exported("estimator.NanTensorHook", v1=["estimator.NanTensorHook", "train.NanTensorHook"])
class NanTensorHook(SessionRunHook):
    """Raises NanLossDuringTrainingError when the tensor is NaN, or ends the loop (fail_on_nan_loss=False)."""

    def __init__(self, loss_tensor: Any, fail_on_nan_loss: bool = True) -> None:
        self._loss_tensor, self._fail_on_nan_loss = loss_tensor, fail_on_nan_loss
        # The global steps before the steps whose values are to come: the next one may have begun.
        self._before: list[int] = []

    def begin(self) -> None:
        self._before.clear()

    def before_run(self, run_context: SessionRunContext) -> SessionRunArgs:
        self._before.append(run_context.session.global_step())
        return SessionRunArgs(self._loss_tensor)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        before = self._before.pop(0)
        if not np.isnan(run_values.results):
            return
        message = "Model diverged with loss = NaN."
        if not self._fail_on_nan_loss:
            _log.warning(message)
            run_context.request_stop()
            return
        _log.error(message)
        raise NanLossDuringTrainingError(
            f"NaN loss during training. It is NaN in the step from global step {before}. Lower the learning rate, clip the "
            "gradients (tf.clip_by_global_norm), or look for log(0) and division by 0."
        )


@exported("estimator.GlobalStepWaiterHook", v1=["estimator.GlobalStepWaiterHook", "train.GlobalStepWaiterHook"])
class GlobalStepWaiterHook(SessionRunHook):
    """In TensorFlow, delays a worker until others reach `wait_until_step`. Here it logs that it does not wait.

    Hooks run where the steps of all workers are counted. No other task takes steps, so waiting would never end.
    """

    def __init__(self, wait_until_step: int) -> None:
        self._wait_until_step = wait_until_step

    def before_run(self, run_context: SessionRunContext) -> None:
        step = run_context.session.global_step()
        if step < self._wait_until_step:
            _log.info(
                "GlobalStepWaiterHook: the global step is %d, not yet %d, and all steps are taken here; training starts at "
                "once.",
                step,
                self._wait_until_step,
            )
        self._wait_until_step = 0


@final
class StopAfterBatchesHook(SessionRunHook):
    """Ends an evaluation after so many batches, and logs its progress ten times."""

    def __init__(self, batches: int) -> None:
        self._batches, self._done = batches, 0

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        self._done += 1
        every = max(1, self._batches // 10)
        if self._done % every == 0 or self._done == self._batches:
            _log.info("Evaluation [%d/%d]", self._done, self._batches)
        if self._done >= self._batches:
            run_context.request_stop()
