"""The error for missing names, in every namespace of tf.keras."""

import contextlib
import importlib

from stratagem._ops import not_provided_in, tensorflow_names

_ROOT = __name__.partition(".")[0]


def know_missing_names() -> None:
    """Gives every namespace of tf.keras that is here a `__getattr__` which says what to use in place of a missing name.

    A namespace that has no file here is Keras' list of names, imported as a module of our own: Keras' own stays as it is.
    """
    for namespace in sorted(tensorflow_names()):
        if namespace.startswith("keras."):
            with contextlib.suppress(ModuleNotFoundError):  # some are missing themselves, which their parent says
                module = importlib.import_module(f"{_ROOT}.{namespace}")
                vars(module).setdefault("__getattr__", not_provided_in(namespace))
