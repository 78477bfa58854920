"""Difference quotients beside the derivatives of a tape: `tf.test.compute_gradient`."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from stratagem._base.errors import UnimplementedError
from stratagem._base.exports import exported
from stratagem._core.step import GradientTape
from stratagem._ops import Tensor, constant, tensor

Jacobians = tuple[np.ndarray, ...]


@exported("test.compute_gradient")
def compute_gradient(
    f: Callable[..., Any], x: Sequence[Any], delta: float | None = None
) -> tuple[Jacobians, Jacobians]:
    """Returns the Jacobians of `f(*x)` by each argument: the tape's, and central difference quotients.

    x: a list of tensors of real floating point. delta: the distance of the differences; by default 2⁻¹⁰, as in TensorFlow.
    Each Jacobian has a row for every entry of the result and a column for every entry of the argument.

    Raises:
        ValueError: `x` is no list or tuple.
        UnimplementedError: an argument that is complex or an integer.
    """
    if not isinstance(x, list | tuple):
        raise ValueError(f"compute_gradient: x must be a list or tuple of tensors, got {type(x).__name__}.")
    arguments = [tensor(each) for each in x]
    for each in arguments:
        if not np.issubdtype(np.asarray(each).dtype, np.floating) and each.dtype.name != "bfloat16":
            raise UnimplementedError(f"compute_gradient: real floating point is differentiated, got {each.dtype}.")
    step = 1.0 / 1024 if delta is None else delta
    return (
        tuple(_by_tape(f, arguments, i) for i, _ in enumerate(arguments)),
        tuple(_by_differences(f, arguments, i, step) for i, _ in enumerate(arguments)),
    )


def _by_tape(f: Callable[..., Any], arguments: Sequence[Tensor], index: int) -> np.ndarray:
    with GradientTape() as tape:
        tape.watch(arguments[index])
        result = tensor(f(*arguments))
    found = tape.jacobian(result, arguments[index])
    shape = (result.size, arguments[index].size)
    return np.zeros(shape, np.asarray(arguments[index]).dtype) if found is None else np.asarray(found).reshape(shape)


def _by_differences(f: Callable[..., Any], arguments: Sequence[Tensor], index: int, step: float) -> np.ndarray:
    at = np.asarray(arguments[index])
    columns = []
    for entry in range(at.size):
        sides = []
        for sign in (1, -1):
            moved = at.copy().reshape(-1)
            moved[entry] += at.dtype.type(sign * step)
            given = [constant(moved.reshape(at.shape)) if i == index else v for i, v in enumerate(arguments)]
            sides.append(np.asarray(tensor(f(*given))).reshape(-1))
        columns.append((sides[0] - sides[1]) / (2 * step))
    rows = np.asarray(tensor(f(*arguments))).size
    return np.stack(columns, axis=1).astype(at.dtype) if columns else np.zeros((rows, 0), at.dtype)
