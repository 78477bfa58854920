"""The callbacks of one call of fit, evaluate or predict."""

import contextlib
from collections.abc import Iterator
from typing import Any, final

import keras

from stratagem._base.job import Job
from stratagem._private import is_default
from stratagem._training._progress import ProgressDisplay

# These write files or send data, which one worker can do for all: they are not called on the others.
_WRITERS = (keras.callbacks.CSVLogger, keras.callbacks.ProgbarLogger, keras.callbacks.RemoteMonitor)


@final
class Callbacks(keras.callbacks.CallbackList):  # type: ignore[misc]
    """Keras' list of callbacks for a job: only worker 0 writes and prints, and all workers stop if one wants to.

    The workers agree once an epoch; after every step only if some worker has a user's callback with step hooks.
    """

    def __init__(self, callbacks: list[Any], job: Job, model: Any, **options: Any) -> None:
        self.chief, self._job, self._agrees_on_steps = job.worker == 0, job, False
        for each in callbacks:
            if isinstance(each, keras.callbacks.BackupAndRestore):
                each.async_safe = True  # the fit makes backups itself, and they need no logs
            if not self.chief and isinstance(getattr(each, "verbose", None), int):
                each.verbose = 0
        called = [each for each in callbacks if self.chief or not isinstance(each, _WRITERS)]
        super().__init__(called, model=model, **options)

    def on_train_begin(self, logs: Any = None) -> None:
        """Called by Keras."""
        super().on_train_begin(logs)
        mine = [bool(self.model.stop_training), any(map(_has_user_step_hooks, self.callbacks))]
        given = self._job.agree("to begin a fit", mine)
        self.model.stop_training = any(stop for stop, _ in given)
        self._agrees_on_steps = len(given) > 1 and any(has_step_hooks for _, has_step_hooks in given)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Called by Keras."""
        super().on_epoch_begin(epoch, logs)
        self._agree("to begin an epoch")

    def agree_within_an_epoch(self) -> None:
        """Stops all workers after a step if one wants to stop."""
        if self._agrees_on_steps:
            self._agree("to take another step")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """Called by Keras."""
        super().on_epoch_end(epoch, logs)
        self._agree("to end an epoch")

    def on_train_end(self, logs: Any = None) -> None:
        """Called by Keras. When any worker returns, worker 0 has written its files to disk."""
        super().on_train_end(logs)
        self.meet("end a fit")

    def meet(self, what: str) -> None:
        """Waits until all workers have reached this point."""
        self._job.agree(what, None)

    def settle(self) -> None:
        """Waits for callbacks that run asynchronously."""
        self._flush_futures()

    def _agree(self, what: str) -> None:
        if self._job.workers > 1:
            self.model.stop_training = any(self._job.agree(what, bool(self.model.stop_training)))


def _has_user_step_hooks(callback: Any) -> bool:
    """Returns whether a callback has step hooks of a user's own, which may act differently on the other workers."""
    hooks = (getattr(callback, name) for name in _STEP_HOOKS)
    return any(hook.__module__.partition(".")[0] not in ("keras", "stratagem") for hook in hooks)


# The fit itself reports its steps to these.
_WITHOUT_STEP_HOOKS = (ProgressDisplay, keras.callbacks.BackupAndRestore)
_STEP_HOOKS = ("on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end")


def callback_list(
    callbacks: Any, model: Any, job: Job, *, verbose: Any, epochs: int, steps: int | None, history: bool = False
) -> Any:
    """The list of callbacks. Only worker 0 of a job shows a progress bar."""
    if isinstance(callbacks, keras.callbacks.CallbackList):
        return callbacks
    verbose = verbose if job.worker == 0 else 0
    given = keras.tree.flatten(callbacks) if callbacks else []
    if verbose and not any(isinstance(each, keras.callbacks.ProgbarLogger) for each in given):
        given.append(ProgressDisplay())
    return Callbacks(given, job, model, add_history=history, verbose=verbose, epochs=epochs, steps=steps)


def has_hooks(callbacks: Any, *hooks: str) -> bool:
    """Returns whether some callback implements one of these hooks."""
    others = [each for each in callbacks.callbacks if type(each) not in _WITHOUT_STEP_HOOKS]
    return any(not is_default(getattr(each, hook)) for each in others for hook in hooks)


def show_progress(callbacks: Any, steps: int, last: int, examples: int, logs: Any) -> None:
    """Reports to our progress display, if in use, how many steps of the pass were started, the `last` on so many examples."""
    if isinstance(callbacks._progbar, ProgressDisplay):
        callbacks._progbar.advance(steps, last, examples, logs)


@contextlib.contextmanager
def progress_display(callbacks: Any, *, nested: bool = False) -> Iterator[None]:
    """Allows live progress in the body. The display ends with the body, or with the enclosing one if it is nested."""
    try:
        yield
    finally:
        if isinstance(callbacks._progbar, ProgressDisplay) and not nested:
            callbacks._progbar.close()
