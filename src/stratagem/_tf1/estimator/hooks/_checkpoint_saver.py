"""CheckpointSaverHook: checkpoints during training, and their listeners."""

import logging
import os
from collections.abc import Iterable
from typing import Any

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._base.storage import checked_path
from stratagem._tf1.estimator._session_run_hook import CheckpointSaverListener, SessionRunHook
from stratagem._tf1.estimator.hooks._protocol import SessionRunContext, SessionRunValues
from stratagem._tf1.estimator.hooks._timer import SecondOrStepTimer

_log = logging.getLogger("stratagem.estimator")


@exported("estimator.CheckpointSaverHook", v1=["estimator.CheckpointSaverHook", "train.CheckpointSaverHook"])
class CheckpointSaverHook(SessionRunHook):
    """Saves a checkpoint before the first step, every so many steps or seconds, and after the last step.

    A checkpoint contains the model's variables, and the `tf.train.Checkpoint` of the Scaffold if it has one.

    scaffold: that of the model.
    save_graph_def: ignored; there is no graph to save.

    Raises ValueError unless exactly one of save_steps and save_secs is given, and if both saver and scaffold are given;
    UnimplementedError for a saver.
    """

    def __init__(
        self,
        checkpoint_dir: str,
        save_secs: float | None = None,
        save_steps: int | None = None,
        saver: object = None,
        checkpoint_basename: str = "model.ckpt",
        scaffold: object = None,
        listeners: Iterable[CheckpointSaverListener] | None = None,
        save_graph_def: bool = True,
    ) -> None:
        _log.info("Create CheckpointSaverHook.")
        if saver is not None and scaffold is not None:
            raise ValueError("You cannot provide both saver and scaffold.")
        if saver is not None:
            raise UnimplementedError(
                "CheckpointSaverHook(saver=...): a checkpoint has all variables of the model. To save more, let the model_fn "
                "return EstimatorSpec(..., scaffold=tf.train.Scaffold(saver=tf.train.Checkpoint(...)))."
            )
        self._directory, self._name = checked_path(checkpoint_dir), checkpoint_basename
        self._timer = SecondOrStepTimer(save_secs, save_steps)
        self._listeners = list(listeners or ())

    def listen(self, listener: CheckpointSaverListener) -> None:
        """Adds a listener."""
        if listener not in self._listeners:
            self._listeners.append(listener)

    def begin(self) -> None:
        for listener in self._listeners:
            listener.begin()

    def after_create_session(self, session: Any, coord: Any) -> None:
        self._save(session)

    def after_run(self, run_context: SessionRunContext, run_values: SessionRunValues) -> None:
        session = run_context.session
        if self._timer.should_trigger_for_step(session.global_step()) and self._save(session):
            run_context.request_stop()

    def end(self, session: Any) -> None:
        step = session.settle()
        if step != self._timer.last_triggered_step():
            self._save(session)
        for listener in self._listeners:
            listener.end(session, step)

    def _save(self, session: Any) -> bool:
        """Saves a checkpoint. Returns True if a listener requests a stop."""
        step = session.settle()  # includes steps that are running
        self._timer.update_last_triggered_step(step)
        _log.info("Calling checkpoint listeners before saving checkpoint %d...", step)
        for listener in self._listeners:
            listener.before_save(session, step)
        _log.info("Saving checkpoints for %d into %s.", step, os.path.join(self._directory, self._name))
        session.save(self._directory, self._name, step)
        _log.info("Calling checkpoint listeners after saving checkpoint %d...", step)
        asked = [listener for listener in self._listeners if listener.after_save(session, step)]
        for listener in asked:
            _log.info("A CheckpointSaverListener requested that training be stopped. listener: %s", listener)
        return bool(asked)
