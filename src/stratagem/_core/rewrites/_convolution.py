"""Convolutions that oneDNN computes faster than XLA: of channels-last images, signals and volumes.

The figures are ratios of the time with oneDNN to that with XLA on two cores of an AVX-512 machine, batches of 8 to 64
(`benchmarks/convolutions.py`).
"""

import math
from collections.abc import Callable
from typing import Any

import jax

from stratagem._private import convolve_by_onednn

# oneDNN prepares each call, which takes about 40 microseconds: what XLA computes in that time stays with XLA.
_WORTH_A_CALL = 4e6
_DTYPES = ("float32",)


def is_for_onednn(eqn: Any) -> bool:
    """Returns whether a convolution is one that oneDNN has a fast kernel for.

    It took 0.5 to 0.9 of XLA's time, for groups 0.4, for depth-wise ones 0.03 to 0.06.
    """
    x, w = (v.aval for v in eqn.invars)
    result, p = eqn.outvars[0].aval, eqn.params
    rank = len(x.shape)
    grouped = p["feature_group_count"] > 1
    products = math.prod(result.shape) * math.prod(w.shape[:-1])
    return (
        x.dtype == w.dtype == result.dtype
        and x.dtype.name in _DTYPES
        and rank in (3, 4, 5)
        and is_channels_last(p["dimension_numbers"], rank)
        and p["batch_group_count"] == 1
        and all(d == 1 for d in p["lhs_dilation"])
        and all(low >= 0 and high >= 0 for low, high in p["padding"])
        and (grouped or 2 * products >= _WORTH_A_CALL)
        and products > 0
    )


def is_channels_last(numbers: jax.lax.ConvDimensionNumbers, rank: int) -> bool:
    """Returns whether all three are in TensorFlow's order: batch, places, channels; places, channels in, channels out."""
    data = (0, rank - 1, *range(1, rank - 1))
    return numbers == jax.lax.ConvDimensionNumbers(data, (rank - 1, rank - 2, *range(rank - 2)), data)


def by_onednn(eqn: Any) -> Callable[[jax.Array, jax.Array], jax.Array]:
    """Returns a function for it that oneDNN computes where jaxlib has it, and its gradients as well where it is faster."""
    return lambda x, w: convolve_by_onednn(x, w, **eqn.params)
