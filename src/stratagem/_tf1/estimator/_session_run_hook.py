"""The interface of hooks, which run before and after every step, and of listeners, which run around every checkpoint."""

from typing import Any

from stratagem._base.exports import exported


@exported("estimator.SessionRunHook", v1=["estimator.SessionRunHook", "train.SessionRunHook"])
class SessionRunHook:
    """The base class of hooks, as `tf.train.SessionRunHook`.

    Subclasses override what they need; all methods run on the host.
    """

    def begin(self) -> None:
        """Called once, before the first step, after the model has been built."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when variables have their values, before the first step."""

    def before_run(self, run_context: Any) -> Any:
        """Called before every step. May return SessionRunArgs, the values to fetch from the step."""

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called after every step with the values that `before_run` fetched; `run_context.request_stop()` ends the loop."""

    def end(self, session: Any) -> None:
        """Called at the end, unless an error ended the loop."""


@exported(
    "estimator.CheckpointSaverListener", v1=["estimator.CheckpointSaverListener", "train.CheckpointSaverListener"]
)
class CheckpointSaverListener:
    """The base class of listeners, as `tf.train.CheckpointSaverListener`. Subclasses override what they need."""

    def begin(self) -> None:
        """Called once, before the first step."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Called after a checkpoint is written. Returning True requests the end of training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called after the last checkpoint of a training."""
