"""Stratagem: tf.distribute's training model on JAX and Keras 3. Use it as `import stratagem as tf`."""

import importlib
import logging
from typing import Any

from stratagem import _backend

# Programs test the TensorFlow version that they were written for; what follows the plus sign is our own.
__version__ = "2.15.1+stratagem.0.1.0"

_backend.choose()
logging.getLogger(__name__).addHandler(logging.NullHandler())

# Public names and where they come from. They are imported when first used: a process that only waits stays small.
_NAMESPACES = (
    "bitwise",
    "config",
    "data",
    "debugging",
    "distribute",
    "dtypes",
    "errors",
    "image",
    "io",
    "keras",
    "linalg",
    "math",
    "nest",
    "nn",
    "random",
    "strings",
    "train",
)
_NAMES = {
    "GradientTape": "step",
    "IndexedSlices": "values",
    "Module": "values",
    "TensorShape": "pipeline",
    "TensorSpec": "pipeline",
    "UnconnectedGradients": "step",
    "Variable": "values",
    "VariableAggregation": "values",
    "VariableSynchronization": "values",
    "function": "step",
}
_KERAS = {
    "initializers": "initializers",
    "losses": "losses",
    "metrics": "metrics",
    "optimizers": "optimizers",
    "regularizers": "regularizers",
}


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if name in _NAMESPACES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _KERAS:
        return importlib.import_module(f"{__name__}.keras.{_KERAS[name]}")
    module = importlib.import_module(f"{__name__}.{_NAMES.get(name, 'ops')}")
    if not hasattr(module, name):
        raise importlib.import_module(f"{__name__}.ops").not_provided("", name)
    value = getattr(module, name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*_NAMESPACES, *_NAMES, *_KERAS, "__version__"})
