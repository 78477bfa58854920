"""Tracebacks with or without the frames of libraries: JAX's and Keras' settings, under TensorFlow's names."""

import jax
import keras

from stratagem._base.exports import exported

_OFF = "off"


@exported("debugging.enable_traceback_filtering")
def enable_traceback_filtering() -> None:
    """Lets tracebacks leave out the frames of JAX and Keras, which is the default."""
    jax.config.update("jax_traceback_filtering", "auto")
    keras.config.enable_traceback_filtering()


@exported("debugging.disable_traceback_filtering")
def disable_traceback_filtering() -> None:
    """Lets tracebacks show the frames of JAX and Keras too."""
    jax.config.update("jax_traceback_filtering", _OFF)
    keras.config.disable_traceback_filtering()


@exported("debugging.is_traceback_filtering_enabled")
def is_traceback_filtering_enabled() -> bool:
    """Returns whether tracebacks leave out the frames of JAX and Keras."""
    return bool(jax.config.jax_traceback_filtering != _OFF)  # type: ignore[attr-defined]
