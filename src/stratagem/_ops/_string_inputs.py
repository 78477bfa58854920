"""Lets Keras' layers and models take tensors of strings, and composite tensors."""

from typing import Any

import numpy as np

from stratagem._core.step import TracedStrings
from stratagem._core.values import CompositeTensor
from stratagem._ops._arrays import expand_dims, squeeze
from stratagem._ops._convert import tensor
from stratagem._private import take_strings


def is_strings(value: Any) -> bool:
    """Returns whether a value is a tensor of strings, in a step or outside, or a NumPy array of strings."""
    return isinstance(value, TracedStrings) or (isinstance(value, np.ndarray) and value.dtype.kind in "OSU")


def attach_strings() -> None:
    """Let Keras' layers and models take tensors of strings, and models ragged and sparse ones."""
    take_strings(is_strings, tensor, expand_dims, squeeze, lambda value: isinstance(value, CompositeTensor))
