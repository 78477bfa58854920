"""`tf.is_tensor`, which strings, ragged and sparse tensors are, too."""

from typing import Any

from stratagem._base.exports import exported
from stratagem._core.step import TracedStrings
from stratagem._core.values import CompositeTensor
from stratagem._ops._convert import StringTensor
from stratagem._ops._convert import is_tensor as has_numbers


@exported("is_tensor")
def is_tensor(x: Any) -> bool:
    """Returns whether `x` is a tensor, also of strings, a ragged or sparse one, or a variable.

    NumPy arrays, Python numbers and text are none.
    """
    return isinstance(x, StringTensor | TracedStrings | CompositeTensor) or has_numbers(x)
