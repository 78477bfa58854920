# Written by `python scripts/stubs.py`, which a test runs again: do not edit it.

from stratagem._tf1.estimator.inputs import numpy_input_fn as numpy_input_fn
from stratagem._tf1.estimator.inputs import pandas_input_fn as pandas_input_fn

__all__ = [
    "numpy_input_fn", "pandas_input_fn"
]  # fmt: skip
