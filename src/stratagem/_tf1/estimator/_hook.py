"""The contract of hooks: what a program may do before and after every step, and around every checkpoint."""

from typing import Any


class SessionRunHook:
    """As `tf.train.SessionRunHook`: a subclass implements the methods that it needs. All run on the host."""

    def begin(self) -> None:
        """Called once, before the first step, when the model has been built."""

    def after_create_session(self, session: Any, coord: Any) -> None:
        """Called when variables have their values, before the first step."""

    def before_run(self, run_context: Any) -> Any:
        """Called before every step; may return SessionRunArgs, what is to be computed beside it."""

    def after_run(self, run_context: Any, run_values: Any) -> None:
        """Called after every step with what `before_run` asked for; `run_context.request_stop()` ends the loop."""

    def end(self, session: Any) -> None:
        """Called at the end, unless an error ended the loop."""


class CheckpointSaverListener:
    """As `tf.train.CheckpointSaverListener`: a subclass implements the methods that it needs."""

    def begin(self) -> None:
        """Called once, before the first step."""

    def before_save(self, session: Any, global_step_value: int) -> None:
        """Called before a checkpoint is written."""

    def after_save(self, session: Any, global_step_value: int) -> bool | None:
        """Called when a checkpoint is written; True asks for the end of training."""

    def end(self, session: Any, global_step_value: int) -> None:
        """Called after the last checkpoint of a training."""
