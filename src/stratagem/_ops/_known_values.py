"""Values of tensors that are known before their program runs, and the tensors that are symbols."""

from typing import Any

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._ops._convert import is_tensor, is_traced


@exported("AggregationMethod")
class AggregationMethod:
    """Ways to sum gradients, as `tf.AggregationMethod`: accepted where TensorFlow takes one, without effect, as XLA chooses."""

    ADD_N = 0
    DEFAULT = ADD_N
    EXPERIMENTAL_TREE = 1
    EXPERIMENTAL_ACCUMULATE_N = 2


@exported("get_static_value")
def get_static_value(tensor: Any, partial: bool = False) -> Any:
    """Returns a tensor's value as NumPy's if it is known now, else None; of a variable None, what is no tensor as it is.

    partial: changes nothing, as values are known as a whole or not at all.
    """
    if isinstance(tensor, jax.Array):
        return None if is_traced(tensor) else np.asarray(tensor)[()]
    if isinstance(tensor, np.ndarray) and tensor.dtype == object:
        return np.asarray(tensor)[()]
    return None if is_tensor(tensor) else tensor


@exported("is_symbolic_tensor")
def is_symbolic_tensor(tensor: Any) -> bool:
    """Returns whether a tensor stands for a value of a program that is being traced; False for what is no tensor."""
    return isinstance(tensor, jax.core.Tracer)
