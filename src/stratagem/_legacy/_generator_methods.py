"""Methods of models that read generators, which TensorFlow keeps beside `fit`, `evaluate` and `predict`."""

from collections.abc import Callable
from typing import Any

from stratagem._private import add_model_methods


def _fit_generator(
    self: Any,
    generator: Any,
    steps_per_epoch: int | None = None,
    epochs: int = 1,
    verbose: Any = 1,
    callbacks: Any = None,
    validation_data: Any = None,
    validation_steps: int | None = None,
    validation_freq: Any = 1,
    class_weight: Any = None,
    max_queue_size: object = 10,
    workers: object = 1,
    use_multiprocessing: object = False,
    shuffle: bool = True,
    initial_epoch: int = 0,
) -> Any:
    """Calls `fit` with the generator; it reads in this process."""
    return self.fit(
        generator,
        steps_per_epoch=steps_per_epoch,
        epochs=epochs,
        verbose=verbose,
        callbacks=callbacks,
        validation_data=validation_data,
        validation_steps=validation_steps,
        validation_freq=validation_freq,
        class_weight=class_weight,
        shuffle=shuffle,
        initial_epoch=initial_epoch,
    )


def _evaluate_generator(
    self: Any,
    generator: Any,
    steps: int | None = None,
    callbacks: Any = None,
    max_queue_size: object = 10,
    workers: object = 1,
    use_multiprocessing: object = False,
    verbose: Any = 0,
) -> Any:
    """Calls `evaluate` with the generator; it reads in this process."""
    return self.evaluate(generator, steps=steps, callbacks=callbacks, verbose=verbose)


def _predict_generator(
    self: Any,
    generator: Any,
    steps: int | None = None,
    callbacks: Any = None,
    max_queue_size: object = 10,
    workers: object = 1,
    use_multiprocessing: object = False,
    verbose: Any = 0,
) -> Any:
    """Calls `predict` with the generator; it reads in this process."""
    return self.predict(generator, steps=steps, callbacks=callbacks, verbose=verbose)


def _reset_states(self: Any) -> None:
    """Resets the states of all layers that keep one between batches."""
    for layer in self.layers:
        if getattr(layer, "stateful", False) and hasattr(layer, "reset_state"):
            layer.reset_state()


GENERATOR_METHODS: dict[str, Callable[..., Any]] = {
    "fit_generator": _fit_generator,
    "evaluate_generator": _evaluate_generator,
    "predict_generator": _predict_generator,
    "reset_states": _reset_states,
}


def attach_generator_methods() -> None:
    """Give models the methods of Keras 2 that read generators, and `reset_states`."""
    add_model_methods(GENERATOR_METHODS)
