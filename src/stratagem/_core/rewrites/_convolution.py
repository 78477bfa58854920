"""Convolutions of channels-last signals, images and volumes, also transposed ones, that oneDNN computes faster than XLA.

The figures are ratios of the time with oneDNN to that with XLA on two cores of an AVX-512 machine, batches of 8 to 64
(`benchmarks/convolutions.py`).
"""

import math
from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._kernels import Geometry, channels_last, computes, convolve, convolve_of_input

# Floating-point operations. A call takes some microseconds: what XLA computes in that time stays with XLA.
_WORTH_A_CALL = 5e4


def is_for_onednn(eqn: Any) -> bool:
    """Returns whether a convolution is one that oneDNN has a fast kernel for."""
    x, w = (v.aval for v in eqn.invars)
    result, p = eqn.outvars[0].aval, eqn.params
    rank = len(x.shape)
    grouped = p["feature_group_count"] > 1
    products = math.prod(x.shape if is_transposed(eqn) else result.shape) * math.prod(w.shape[:-1])
    return (
        x.dtype == w.dtype == result.dtype
        and computes(x.dtype)
        and rank in (3, 4, 5)
        and is_channels_last(p["dimension_numbers"], rank)
        and p["batch_group_count"] == 1
        and (not is_transposed(eqn) or _has_geometry(eqn))
        and (grouped or 2 * products >= _WORTH_A_CALL)
        and 0 not in (*x.shape, *w.shape, *result.shape)
    )


def is_channels_last(numbers: jax.lax.ConvDimensionNumbers, rank: int) -> bool:
    """Returns whether all three are in TensorFlow's order: batch, places, channels; places, channels in, channels out."""
    return numbers == channels_last(rank)


def is_transposed(eqn: Any) -> bool:
    """Returns whether zeros stand between the elements of the images."""
    return any(d != 1 for d in eqn.params["lhs_dilation"])


def by_onednn(eqn: Any) -> Callable[[jax.Array, jax.Array], jax.Array]:
    """Returns a function for it that oneDNN computes, and its gradients as well."""
    if is_transposed(eqn):
        geometry = _transposed_geometry(eqn)
        return lambda x, w: convolve_of_input(x, _turned_round(w, geometry.groups), geometry)
    x, w, p = eqn.invars[0].aval, eqn.invars[1].aval, eqn.params
    # Negative padding cuts off.
    cut = [(min(0, low), min(0, high), 0) for low, high in p["padding"]]
    sizes = tuple(n + low + high for n, (low, high, _) in zip(x.shape[1:-1], cut, strict=True))
    padding = tuple((max(0, low), max(0, high)) for low, high in p["padding"])
    geometry = Geometry(
        sizes, w.shape[:-2], tuple(p["window_strides"]), padding, tuple(p["rhs_dilation"]), p["feature_group_count"]
    )
    if sizes == x.shape[1:-1]:
        return lambda x, w: convolve(x, w, geometry)
    around = ((0, 0, 0), *cut, (0, 0, 0))
    return lambda x, w: convolve(jax.lax.pad(x, jnp.zeros((), x.dtype), around), w, geometry)


# --- Transposed convolutions --------------------------------------------------------------------------------------------------


def _transposed_geometry(eqn: Any) -> Geometry:
    """Returns of which convolution this transposed one is the gradient of the input: from its results to its images.

    Padding before and after the elements that are apart is what the windows reach beyond them. See chapter 4 of Dumoulin and
    Visin, "A guide to convolution arithmetic for deep learning" (2016).
    """
    w, results, p = eqn.invars[1].aval, eqn.outvars[0].aval, eqn.params
    reach = [(k - 1) * d for k, d in zip(w.shape[:-2], p["rhs_dilation"], strict=True)]
    strides, sizes, images = tuple(p["lhs_dilation"]), results.shape[1:-1], eqn.invars[0].aval.shape[1:-1]
    padding = []
    for r, (low, _), n, m, s in zip(reach, p["padding"], sizes, images, strides, strict=True):
        before = r - low
        # Past the last window there may be elements that none meets.
        padding.append((before, max(0, (m - 1) * s + r + 1 - n - before)))
    return Geometry(sizes, w.shape[:-2], strides, tuple(padding), tuple(p["rhs_dilation"]), p["feature_group_count"])


def _has_geometry(eqn: Any) -> bool:
    """Returns whether a transposed convolution is the gradient of one whose padding is not negative."""
    geometry = _transposed_geometry(eqn)
    return (
        all(s == 1 for s in eqn.params["window_strides"])
        and all(low >= 0 for low, _ in geometry.padding)
        and geometry.results() == eqn.invars[0].aval.shape[1:-1]
    )


def _turned_round(w: jax.Array, groups: int) -> jax.Array:
    """Returns filters with every window reversed, and the channels in and out of each group exchanged."""
    *window, channels_in, channels_out = w.shape
    split = jax.lax.rev(w, range(w.ndim - 2)).reshape(*window, channels_in, groups, channels_out // groups)
    return jnp.swapaxes(split, -3, -1).reshape(*window, channels_out // groups, groups * channels_in)
