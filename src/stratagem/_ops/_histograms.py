"""Histograms: counts of numbers in bins of one width."""

from typing import Any

import jax.numpy as jnp
import numpy as np

from stratagem._base.errors import InvalidArgumentError
from stratagem._base.exports import exported
from stratagem._base.types import DTypeLike
from stratagem._ops._convert import Tensor, allow_x64, is_traced, operands, static_int
from stratagem._ops._dtypes import as_dtype, int32
from stratagem._ops._segments import unsorted_segment_sum
from stratagem._ops._symbolic import accept_symbols

_NO_BIN = np.iinfo(np.int32).min  # the bin of NaN, as processors convert it


@exported("histogram_fixed_width")
def histogram_fixed_width(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """Returns how many values are in each of `nbins` bins of one width from `value_range[0]` to `value_range[1]`: (nbins,).

    Values outside of the range count for the first or the last bin. The dtype is int32 or int64. Raises InvalidArgumentError
    for another, for no bins, and, where they are known, for a range that is empty and for NaN.
    """
    array, (low, high), count = _checked("histogram_fixed_width", values, value_range, nbins)
    kind = as_dtype(dtype).dtype
    if kind not in (np.int32, np.int64):
        raise InvalidArgumentError(f"tf.histogram_fixed_width counts in int32 or int64, got {kind}.")
    if not is_traced([low, high]) and not low < high:
        raise InvalidArgumentError(f"tf.histogram_fixed_width: {low} to {high} is no range. Give the lower end first.")
    if not is_traced(array) and np.isnan(np.asarray(array)).any():
        raise InvalidArgumentError("tf.histogram_fixed_width: NaN is in no bin. Leave it out.")
    with allow_x64(np.float64):
        width = (high - low).astype(np.float64) / count
        bins = jnp.minimum((jnp.maximum(array, low) - low).astype(np.float64) / width, count - 1)
        places = jnp.where(jnp.isnan(bins), -1, bins).astype(np.int32)
    return unsorted_segment_sum(jnp.ones(places.shape, kind), places, count)


@exported("histogram_fixed_width_bins")
def histogram_fixed_width_bins(
    values: Any,
    value_range: Any,
    nbins: Any = 100,
    dtype: DTypeLike = int32,
    name: str | None = None,
) -> Tensor:
    """Returns the number of each value's bin among `nbins` of one width in a range: int32, of the shape of `values`.

    Values outside of the range are in the first or the last bin; NaN is in none, which is the least number of int32.
    `dtype` changes nothing. Raises InvalidArgumentError for integers and for no bins.
    """
    array, (low, high), count = _checked("histogram_fixed_width_bins", values, value_range, nbins)
    if not jnp.issubdtype(array.dtype, np.floating):
        raise InvalidArgumentError(
            f"tf.histogram_fixed_width_bins takes floating point, got {array.dtype}. Use tf.cast."
        )
    with allow_x64(array.dtype):
        bins = jnp.clip(jnp.floor((array - low) / (high - low) * count), 0, count - 1)
        return jnp.where(jnp.isnan(bins), _NO_BIN, bins.astype(np.int32))


def _checked(name: str, values: Any, value_range: Any, nbins: Any) -> tuple[Tensor, tuple[Tensor, Tensor], int]:
    """The values, the ends of the range, and the number of bins."""
    array, ends = operands(name, values, value_range)
    count = static_int(nbins, f"a tensor is the number of bins of tf.{name}")
    if count < 1 or ends.shape != (2,):
        raise InvalidArgumentError(
            f"tf.{name} takes a bin or more and the two ends of a range, got {count} and shape {list(ends.shape)}."
        )
    return array, (ends[0], ends[1]), count


accept_symbols(globals())
