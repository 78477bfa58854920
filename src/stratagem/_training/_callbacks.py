"""The callbacks of one call of fit, evaluate or predict."""

import contextlib
from collections.abc import Iterator
from typing import Any, final

import keras

from stratagem._base.job import Job
from stratagem._private import is_default
from stratagem._training._progress import ProgressLogger

# They write or send what one worker can: on the others they are not called.
_WRITERS = (keras.callbacks.CSVLogger, keras.callbacks.ProgbarLogger, keras.callbacks.RemoteMonitor)


@final
class Callbacks(keras.callbacks.CallbackList):  # type: ignore[misc]
    """Keras' list of callbacks, in a job: worker 0 writes and prints, and all workers stop where one wants to.

    The workers meet once an epoch; after every step only if somewhere a callback of the user's sees steps.
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
        """As Keras calls it."""
        super().on_train_begin(logs)
        mine = [bool(self.model.stop_training), any(map(_sees_steps, self.callbacks))]
        given = self._job.agree("to begin a fit", mine)
        self.model.stop_training = any(stop for stop, _ in given)
        self._agrees_on_steps = len(given) > 1 and any(sees for _, sees in given)

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """As Keras calls it."""
        super().on_epoch_begin(epoch, logs)
        self._agree("to begin an epoch")

    def agree_within_an_epoch(self) -> None:
        """After a step: stop all workers if one wants to."""
        if self._agrees_on_steps:
            self._agree("to take another step")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """As Keras calls it."""
        super().on_epoch_end(epoch, logs)
        self._agree("to end an epoch")

    def on_train_end(self, logs: Any = None) -> None:
        """As Keras calls it; what worker 0 writes is on disk when any worker returns."""
        super().on_train_end(logs)
        self.meet("end a fit")

    def meet(self, what: str) -> None:
        """Wait until all workers are here."""
        self._job.agree(what, None)

    def settle(self) -> None:
        """Wait for callbacks that were not waited for."""
        self._flush_futures()

    def _agree(self, what: str) -> None:
        if self._job.workers > 1:
            self.model.stop_training = any(self._job.agree(what, bool(self.model.stop_training)))


def _sees_steps(callback: Any) -> bool:
    """True for a callback that may do at any step of the training what those of the other workers do not."""
    hooks = (getattr(callback, name) for name in _STEP_HOOKS)
    return any(hook.__module__.partition(".")[0] not in ("keras", "stratagem") for hook in hooks)


# The fit itself tells these of its steps.
_SEE_NO_STEPS = (ProgressLogger, keras.callbacks.BackupAndRestore)
_STEP_HOOKS = ("on_batch_begin", "on_batch_end", "on_train_batch_begin", "on_train_batch_end")


def callback_list(
    callbacks: Any, model: Any, job: Job, *, verbose: Any, epochs: int, steps: int | None, history: bool = False
) -> Any:
    """The list of callbacks. The progress bar appears once in a job: on worker 0."""
    if isinstance(callbacks, keras.callbacks.CallbackList):
        return callbacks
    verbose = verbose if job.worker == 0 else 0
    given = keras.tree.flatten(callbacks) if callbacks else []
    if verbose and not any(isinstance(each, keras.callbacks.ProgbarLogger) for each in given):
        given.append(ProgressLogger())
    return Callbacks(given, job, model, add_history=history, verbose=verbose, epochs=epochs, steps=steps)


def hears(callbacks: Any, *hooks: str) -> bool:
    """True if a callback does something in one of these hooks."""
    others = [each for each in callbacks.callbacks if type(each) not in _SEE_NO_STEPS]
    return any(not is_default(getattr(each, hook)) for each in others for hook in hooks)


def show_progress(callbacks: Any, steps: int, examples: int, logs: Any) -> None:
    """Tell the progress, if it is ours, how many steps of the pass were started, and what on."""
    if isinstance(callbacks._progbar, ProgressLogger):
        callbacks._progbar.advance(steps, examples, logs)


@contextlib.contextmanager
def shown(callbacks: Any, *, nested: bool = False) -> Iterator[None]:
    """In the body progress may be shown live; it ends with the body, however that ends, or with that around a nested one."""
    try:
        yield
    finally:
        if isinstance(callbacks._progbar, ProgressLogger) and not nested:
            callbacks._progbar.close()
