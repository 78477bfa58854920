"""The callbacks of one call of fit, evaluate or predict."""

from typing import Any

import keras

from stratagem._job import Job


def callback_list(
    callbacks: Any, model: Any, job: Job, *, verbose: Any, epochs: int, steps: int | None, history: bool = False
) -> Any:
    """Keras' list of callbacks. The progress bar appears once in a job: on worker 0."""
    if isinstance(callbacks, keras.callbacks.CallbackList):
        return callbacks
    shown = verbose if job.worker == 0 else 0
    return keras.callbacks.CallbackList(
        callbacks,
        add_history=history,
        add_progbar=shown != 0,
        verbose=shown,
        epochs=epochs,
        steps=steps,
        model=model,
    )
