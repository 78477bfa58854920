"""Makes Keras run on JAX: Keras reads its backend once, from the environment, when it is first imported."""

import os
import sys

from stratagem._base.errors import BackendError


def choose() -> None:
    """Chooses JAX for Keras and for child processes. Raises BackendError if Keras already runs on another backend."""
    keras = sys.modules.get("keras")
    backend = keras.backend.backend() if keras is not None and hasattr(keras, "backend") else "jax"
    if backend != "jax":
        raise BackendError(
            f"Keras is already imported with the backend {backend!r}, and stratagem needs 'jax'. Import stratagem before "
            "keras, or set the environment variable KERAS_BACKEND=jax before Python starts."
        )
    # An environment variable written at import: a later `import keras` must find it, and Keras asks nowhere else.
    os.environ["KERAS_BACKEND"] = "jax"
