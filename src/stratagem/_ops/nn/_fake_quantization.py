"""Fake quantization: rounding to the numbers that a quantized type could hold, with TensorFlow's gradients."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, is_tensor, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.nn._straight_through import straight_through

_Levels = tuple[int, int]


class _Grid(NamedTuple):
    """The numbers that are left: every `step` from `low` to `high`, one of them 0. They broadcast with the inputs."""

    low: Tensor
    high: Tensor
    step: Tensor


def _levels(name: str, num_bits: int, narrow_range: bool) -> _Levels:
    if not 2 <= num_bits <= 16:
        raise InvalidArgumentError(f"tf.quantization.{name}: num_bits is a number from 2 to 16, got {num_bits}.")
    return (1 if narrow_range else 0), 2**num_bits - 1


def _grid(low: Tensor, high: Tensor, levels: _Levels) -> _Grid:
    """Moves a range so that 0 is one of its levels, as in Jacob et al. 2018 (arXiv 1712.05877), section 3.1."""
    first, last = levels
    step = (high - low) / (last - first)
    zero = first - low / step
    whole = jnp.where(zero < first, first, jnp.where(zero > last, last, jnp.floor(zero + 0.5)))
    return _Grid((first - whole) * step, (last - whole) * step, step)


def _rounded(inputs: Tensor, low: Tensor, high: Tensor, levels: _Levels) -> Tensor:
    """The nearest numbers of the grid; 0 where the range is empty."""
    grid = _grid(low, high, levels)
    inverse = 1 / grid.step
    zero = jnp.floor(-grid.low * inverse + 0.5)
    shifted = jnp.minimum(jnp.maximum(inputs, grid.low), grid.high) - grid.low
    return jnp.where((low == 0) & (high == 0), 0, jnp.floor(shifted * inverse - zero + 0.5) * grid.step)


def _parts(
    gradients: Tensor, inputs: Tensor, low: Tensor, high: Tensor, levels: _Levels
) -> tuple[Tensor, Tensor, Tensor]:
    """The gradients of inputs inside the range, below and above it: the last two are those of its ends, entry by entry."""
    grid = _grid(low, high, levels)
    empty = (low == 0) & (high == 0)
    below, above = (inputs < grid.low) & ~empty, (inputs > grid.high) & ~empty
    inside = empty | ((inputs >= grid.low) & (inputs <= grid.high))
    return jnp.where(inside, gradients, 0), jnp.where(below, gradients, 0), jnp.where(above, gradients, 0)


def _quantized(levels: _Levels, inputs: Tensor, low: Tensor, high: Tensor) -> Tensor:
    """The rounded inputs. Gradients of inputs inside the range pass, others belong to the end of the range."""
    slopes = _parts(jnp.ones_like(inputs), inputs, low, high, levels)
    return straight_through(_rounded(inputs, low, high, levels), (inputs, low, high), slopes)


# --- A range of numbers -----------------------------------------------------------------------------------------------


@exported("quantization.fake_quant_with_min_max_args")
def fake_quant_with_min_max_args(
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Rounds float32 to `2 ** num_bits` numbers from `min` to `max`, which are moved so that 0 is one of them.

    narrow_range: one number less, so that a symmetric range keeps its ends. Gradients pass where the input is in the range.
    Raises InvalidArgumentError for an empty range, another dtype, and `num_bits` outside of 2 to 16.
    """
    label = "fake_quant_with_min_max_args"
    array, low, high = _args(label, inputs, min, max)
    return _quantized(_levels(label, num_bits, narrow_range), array, low, high)


@exported("quantization.fake_quant_with_min_max_args_gradient")
def fake_quant_with_min_max_args_gradient(
    gradients: Any,
    inputs: Any,
    min: float = -6,
    max: float = 6,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """The gradient of `fake_quant_with_min_max_args` by its inputs, for a gradient of its result."""
    label = "fake_quant_with_min_max_args_gradient"
    array, low, high = _args(label, inputs, min, max)
    levels = _levels(label, num_bits, narrow_range)
    return _parts(_floats(label, gradients), array, low, high, levels)[0]


def _args(name: str, inputs: Any, low: float, high: float) -> tuple[Tensor, Tensor, Tensor]:
    if not low < high:
        raise InvalidArgumentError(f"tf.quantization.{name}: min is below max, got {low} and {high}.")
    return _floats(name, inputs), tensor(np.float32(low)), tensor(np.float32(high))


def _floats(name: str, value: Any) -> Tensor:
    array = tensor(value) if is_tensor(value) else tensor(value, np.float32)
    if array.dtype != np.float32:
        raise InvalidArgumentError(f"tf.quantization.{name} takes float32, got {array.dtype}. Use tf.cast.")
    return array


# --- Ranges that are tensors ------------------------------------------------------------------------------------------


class FakeQuantGradients(NamedTuple):
    """The gradients of a fake quantization by its inputs and by the ends of its range."""

    backprops_wrt_input: Tensor
    backprop_wrt_min: Tensor
    backprop_wrt_max: Tensor


@exported("quantization.fake_quant_with_min_max_vars")
def fake_quant_with_min_max_vars(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Like `fake_quant_with_min_max_args` with a range of two scalars, which get the gradients of inputs outside of it.

    For a range from 0 to 0 the result is 0. Raises InvalidArgumentError for ends that are not scalars.
    """
    label = "fake_quant_with_min_max_vars"
    array, low, high = _vars(label, inputs, min, max, ())
    return _quantized(_levels(label, num_bits, narrow_range), array, low, high)


@exported("quantization.fake_quant_with_min_max_vars_per_channel")
def fake_quant_with_min_max_vars_per_channel(
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> Tensor:
    """Like `fake_quant_with_min_max_vars` with a range for each entry of the last dimension: `min` and `max` are vectors."""
    label = "fake_quant_with_min_max_vars_per_channel"
    array, low, high = _vars(label, inputs, min, max, (-1,))
    return _quantized(_levels(label, num_bits, narrow_range), array, low, high)


@exported("quantization.fake_quant_with_min_max_vars_gradient")
def fake_quant_with_min_max_vars_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantGradients:
    """The gradients of `fake_quant_with_min_max_vars` for a gradient of its result."""
    label = "fake_quant_with_min_max_vars_gradient"
    array, low, high = _vars(label, inputs, min, max, ())
    parts = _parts(_floats(label, gradients), array, low, high, _levels(label, num_bits, narrow_range))
    return FakeQuantGradients(parts[0], jnp.sum(parts[1]), jnp.sum(parts[2]))


@exported("quantization.fake_quant_with_min_max_vars_per_channel_gradient")
def fake_quant_with_min_max_vars_per_channel_gradient(
    gradients: Any,
    inputs: Any,
    min: Any,
    max: Any,
    num_bits: int = 8,
    narrow_range: bool = False,
    name: str | None = None,
) -> FakeQuantGradients:
    """The gradients of `fake_quant_with_min_max_vars_per_channel` for a gradient of its result."""
    label = "fake_quant_with_min_max_vars_per_channel_gradient"
    array, low, high = _vars(label, inputs, min, max, (-1,))
    parts = _parts(_floats(label, gradients), array, low, high, _levels(label, num_bits, narrow_range))
    others = tuple(range(array.ndim - 1))
    return FakeQuantGradients(parts[0], jnp.sum(parts[1], others), jnp.sum(parts[2], others))


def _vars(name: str, inputs: Any, low: Any, high: Any, axes: tuple[int, ...]) -> tuple[Tensor, Tensor, Tensor]:
    array, first, last = (_floats(name, value) for value in (inputs, low, high))
    expected = tuple(array.shape[axis] for axis in axes) if array.ndim else None
    if axes and expected is None:
        raise InvalidArgumentError(f"tf.quantization.{name} takes tensors with a last dimension, got a scalar.")
    if not first.shape == last.shape == (expected or ()):
        raise InvalidArgumentError(
            f"tf.quantization.{name}: min and max are of shape {expected or ()}, got {first.shape} and {last.shape}."
        )
    return array, first, last


accept_symbols(globals())
