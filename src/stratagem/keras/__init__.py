"""tf.keras: Keras 3, together with TensorFlow's names that Keras 3 has dropped.

Submodules that have no file here (`stratagem.keras.layers`, `.applications.resnet50` …) are found on Keras' own path: those
files of Keras are mere lists of public names, so both spellings mean the same classes.
"""

import importlib as _importlib
from typing import Any as _Any

from stratagem import (
    _hooks,
    _training,  # noqa: F401  # installs the hooks into Keras' classes
)

_hooks.install()  # before the names below are taken from Keras: it replaces some

import keras as _keras  # noqa: E402
from keras import *  # noqa: E402

__path__.extend(_keras.__path__)

# Statements of this form import the submodule even though the line above already bound Keras' own to its name.
import stratagem.keras.__internal__  # noqa: E402
import stratagem.keras.backend  # noqa: E402
import stratagem.keras.callbacks  # noqa: E402
import stratagem.keras.datasets  # noqa: E402
import stratagem.keras.experimental  # noqa: E402
import stratagem.keras.export  # noqa: E402
import stratagem.keras.layers  # noqa: E402
import stratagem.keras.losses  # noqa: E402
import stratagem.keras.metrics  # noqa: E402
import stratagem.keras.optimizers  # noqa: E402
import stratagem.keras.preprocessing  # noqa: E402
import stratagem.keras.utils  # noqa: E402, F401
from stratagem._ops import not_provided as _not_provided  # noqa: E402
from stratagem.keras._namespaces import know_missing_names as _know_missing_names  # noqa: E402

_know_missing_names()

__version__ = _keras.__version__


def __getattr__(name: str) -> _Any:
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return _importlib.import_module(f"{__name__}.{name}")
    except ModuleNotFoundError:
        raise _not_provided("keras", name) from None
