"""The callbacks of one call of fit, evaluate or predict."""

import contextlib
from collections.abc import Iterator
from typing import Any

import keras

from stratagem._job import Job
from stratagem._private import is_default
from stratagem.trainer._progress import ProgressLogger


def callback_list(
    callbacks: Any, model: Any, job: Job, *, verbose: Any, epochs: int, steps: int | None, history: bool = False
) -> Any:
    """Keras' list of callbacks. The progress bar appears once in a job: on worker 0."""
    if isinstance(callbacks, keras.callbacks.CallbackList):
        return callbacks
    verbose = verbose if job.worker == 0 else 0
    given = keras.tree.flatten(callbacks) if callbacks else []
    if verbose and not any(isinstance(each, keras.callbacks.ProgbarLogger) for each in given):
        given.append(ProgressLogger())
    return keras.callbacks.CallbackList(
        given,
        add_history=history,
        verbose=verbose,
        epochs=epochs,
        steps=steps,
        model=model,
    )


def hears(callbacks: Any, *hooks: str) -> bool:
    """True if a callback does something in one of these hooks."""
    others = [each for each in callbacks.callbacks if not isinstance(each, ProgressLogger)]
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
