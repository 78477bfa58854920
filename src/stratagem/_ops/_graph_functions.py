"""Functions that hand values on: TensorFlow has them for the order and the place of what its graphs compute."""

import time
from collections.abc import Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._core.context import current
from stratagem._ops._arrays import stack
from stratagem._ops._callbacks import numpy_function
from stratagem._ops._convert import Tensor
from stratagem._ops._creation import identity
from stratagem._ops._dtypes import float64
from stratagem._ops._symbolic import accept_symbols


@exported("identity_n")
def identity_n(input: Sequence[Any], name: str | None = None) -> list[Tensor]:
    """Returns tensors with the same values, of any dtypes. Raises InvalidArgumentError for no tensors."""
    found = [identity(value) for value in input]
    if not found:
        raise InvalidArgumentError("tf.identity_n takes one tensor or more, got none.")
    return found


@exported("tuple", v1=())
def tuple(tensors: Sequence[Any], control_inputs: object = None, name: str | None = None) -> list[Any]:
    """Returns the tensors as a list; None stays None. What has an effect takes place in the program's order here anyway."""
    return list(tensors)


@exported("guarantee_const")
def guarantee_const(input: Any, name: str | None = None) -> Tensor:
    """Returns a tensor with the same values; that they never change is not made use of."""
    return identity(input)


@exported("parallel_stack")
def parallel_stack(values: Any, name: str = "parallel_stack") -> Tensor:
    """Returns tensors of one shape stacked along a new first dimension, as `tf.stack` does.

    Raises RuntimeError outside of a compiled step, as TensorFlow does.
    """
    if current().recorder is None:
        raise RuntimeError("tf.parallel_stack works inside a tf.function only. Use tf.stack.")
    return stack(values)


@exported("timestamp")
def timestamp(name: str | None = None) -> Tensor:
    """Returns the seconds since 1970 when it is computed, in every call of a compiled step anew: a float64 scalar."""
    return numpy_function(lambda: np.float64(time.time()), [], float64, result_shape=())


accept_symbols(globals())
