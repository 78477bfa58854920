"""Stratagem: tf.distribute's training model on JAX and Keras 3. Use it as `import stratagem as tf`."""

import importlib as _importlib
import sys as _sys
from typing import Any as _Any

from stratagem._base import allocator as _allocator
from stratagem._base import backend as _backend
from stratagem._base import log as _log

# The version of TensorFlow whose API this is, which programs compare with what they need. `tf.version.GIT_VERSION` and
# `importlib.metadata.version("stratagem")` are the package's own.
__version__ = "2.15.1"

_allocator.keep_freed_memory()  # before the threads of what is imported
_backend.choose()
_log.show(__name__)


# An idle process stays small: the names and namespaces, and with them JAX and Keras, are imported when one is first used.
def __getattr__(name: str) -> _Any:
    if name.startswith("_") and name != "__all__":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    _become_namespace()
    return getattr(_sys.modules[__name__], name)


def __dir__() -> list[str]:
    _become_namespace()
    return dir(_sys.modules[__name__])


def _become_namespace() -> None:
    with _allocator.without_collections():
        try:
            namespaces = _importlib.import_module(f"{__name__}._namespaces")
        except ModuleNotFoundError as error:
            if error.name != f"{__name__}._namespaces._names":
                raise
            raise ImportError(
                "The public namespaces of this checkout of stratagem have not been made yet: run `make api` in it."
            ) from error
        namespaces.attach(__name__)
