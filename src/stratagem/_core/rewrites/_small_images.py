"""Convolutions of few places by large filters as matrix products: for each call, oneDNN would bring all filters into its order.

At the end of a network images are small and filters large: 32 images of 2x2 places meet 3x3x512x512 filters in ResNet-18 at
64 pixels. Forward and both gradients together take 0.31 to 1.01 of the time of oneDNN's convolutions (8 shapes, 2 cores,
AVX-512), the forward pass alone 0.27 to 1.24 (14 shapes; `benchmarks/convolutions.py` times each alone).
"""

import math
from collections.abc import Callable
from typing import Any

import jax

from stratagem._core.rewrites._convolution import is_for_onednn, is_transposed
from stratagem._kernels import Windows

_MOST_PLACES = 64  # of a window: each is a slice of the images


def is_of_small_images(eqn: Any) -> bool:
    """Returns whether the windows' elements of a convolution for oneDNN take at most a quarter of its filters' memory."""
    w, result = eqn.invars[1].aval, eqn.outvars[0].aval
    return (
        is_for_onednn(eqn)
        and not is_transposed(eqn)
        and eqn.params["feature_group_count"] == 1
        and eqn.params["precision"] is None
        and math.prod(w.shape[:-2]) <= _MOST_PLACES
        and 4 * math.prod(result.shape[:-1]) <= w.shape[-1]
    )


def as_product_of_windows(eqn: Any) -> Callable[[jax.Array, jax.Array], jax.Array]:
    """Returns a function for it: one product of (windows, their elements) and (elements of a window, channels out)."""
    p, shape = eqn.params, eqn.outvars[0].aval.shape

    windows = Windows(
        (1, *eqn.invars[1].aval.shape[:-2], 1),
        (1, *p["window_strides"], 1),
        ((0, 0), *p["padding"], (0, 0)),
        (1, *p["rhs_dilation"], 1),
    )

    def product(x: jax.Array, w: jax.Array) -> jax.Array:
        rows = jax.lax.concatenate(windows.elements(x), x.ndim - 1).reshape(math.prod(shape[:-1]), -1)
        return jax.lax.dot(rows, w.reshape(rows.shape[-1], shape[-1])).reshape(shape)

    return product
