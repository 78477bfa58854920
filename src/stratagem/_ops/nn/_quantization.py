"""Quantization by one scale, and back at once, under the names of `tf.quantization`."""

from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._ops._convert import Tensor, is_traced, operands, tensor
from stratagem._ops._symbolic import accept_symbols
from stratagem._ops.nn._straight_through import straight_through


class _Rounding(NamedTuple):
    """The arguments that say how to round."""

    signed_input: bool
    num_bits: int
    range_given: bool
    round_mode: str
    narrow_range: bool
    axis: int | None


@exported("quantization.quantize_and_dequantize")
def quantize_and_dequantize(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Rounds to multiples of a scale whose numbers `num_bits` can hold. Gradients pass as if it had not.

    range_given: the scale is that of input_min to input_max, and inputs outside are cut; else that of the smallest to the
    largest input. narrow_range: without the smallest signed number. round_mode: "HALF_TO_EVEN" or "HALF_UP". axis: a range for
    each entry of this dimension; input_min and input_max are then vectors.
    Raises InvalidArgumentError for a range whose ends are exchanged, other words and numbers of bits, and for integers.
    """
    how = _Rounding(signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    array, low, high = _checked(input, input_min, input_max, how)
    return straight_through(_rounded(array, low, high, how), (array,), (jnp.ones_like(array),))


@exported("quantization.quantize_and_dequantize_v2")
def quantize_and_dequantize_v2(
    input: Any,
    input_min: Any,
    input_max: Any,
    signed_input: bool = True,
    num_bits: int = 8,
    range_given: bool = False,
    round_mode: str = "HALF_TO_EVEN",
    name: str | None = None,
    narrow_range: bool = False,
    axis: int | None = None,
) -> Tensor:
    """Like `quantize_and_dequantize`, but gradients pass only from input_min to input_max, also if the range is not given."""
    how = _Rounding(signed_input, num_bits, range_given, round_mode, narrow_range, axis)
    array, low, high = _checked(input, input_min, input_max, how)
    inside = ((array >= low) & (array <= high)).astype(array.dtype)
    nothing = jnp.zeros_like(array)  # TensorFlow's tapes give zeros for the range, not None
    return straight_through(_rounded(array, low, high, how), (array, low, high), (inside, nothing, nothing))


def _checked(value: Any, low: Any, high: Any, how: _Rounding) -> tuple[Tensor, Tensor, Tensor]:
    """The input, and the ends of the given range as they broadcast with it."""
    array, first, last = operands("quantization.quantize_and_dequantize", tensor(value), low, high)
    if not jnp.issubdtype(array.dtype, np.floating):
        raise InvalidArgumentError(f"tf.quantization.quantize_and_dequantize takes floating point, got {array.dtype}.")
    if how.round_mode not in ("HALF_TO_EVEN", "HALF_UP"):
        raise InvalidArgumentError(f"round_mode is 'HALF_TO_EVEN' or 'HALF_UP', got {how.round_mode!r}.")
    most_bits = 61 if how.signed_input else 62
    if not 1 <= how.num_bits <= most_bits:
        raise InvalidArgumentError(f"num_bits is a number from 1 to {most_bits}, got {how.num_bits}.")
    if how.range_given and not is_traced((first, last)) and bool(jnp.any(first > last)):
        raise InvalidArgumentError(f"input_min is not above input_max, got {first} and {last}.")
    if how.axis is not None:
        shape = [-1 if axis == how.axis % array.ndim else 1 for axis in range(array.ndim)]
        first, last = (jnp.broadcast_to(v, array.shape[how.axis]).reshape(shape) for v in (first, last))
    return array, first, last


def _rounded(array: Tensor, low: Tensor, high: Tensor, how: _Rounding) -> Tensor:
    if not how.range_given:
        others = None if how.axis is None else tuple(a for a in range(array.ndim) if a != how.axis % array.ndim)
        low, high = (reduce(array, others, keepdims=how.axis is not None) for reduce in (jnp.min, jnp.max))
    whole = 2 ** (how.num_bits - how.signed_input)
    least, most = float(-whole + how.narrow_range if how.signed_input else 0), float(whole - 1)
    widest = jnp.finfo(array.dtype).max
    by_low = jnp.where(least * low > 0, least / low, widest)
    by_high = jnp.where(most * high > 0, most / high, widest)
    from_low = by_low < by_high
    scale, step = jnp.where(from_low, by_low, by_high), jnp.where(from_low, low / (least or 1), high / (most or 1))
    if how.range_given:
        low, high = jnp.where(from_low, low, least * step), jnp.where(from_low, most * step, high)
        array = jnp.minimum(jnp.maximum(array, low), high)
    scaled = array * scale
    return (jnp.round(scaled) if how.round_mode == "HALF_TO_EVEN" else jnp.floor(scaled + 0.5)) * step


accept_symbols(globals())
