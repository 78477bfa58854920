"""Matrix products with operands, or with gradients, that XLA would copy into another order: oneDNN takes them as they lie.

Time with oneDNN to that with XLA on two cores of an AVX-512 machine, beside other programs: gradients of weights 0.5 to 0.9,
queries and keys of attention 0.5, weights and values 0.76, a step of a transformer 0.85 (0.84 to 0.88). Operands in the order
of XLA's own kernels took 0.7 to 1.4, so `_private/_onednn_product.py` leaves these to XLA, but for long sums.
"""

import math
from collections.abc import Callable
from typing import Any

import jax

from stratagem._kernels import multiply

# Floating-point operations: a fifth of a millisecond. LSTMs, whose steps multiply less, took 1.6 times as long with oneDNN.
_WORTH_A_CALL = 3e7


def is_product_for_onednn(eqn: Any) -> bool:
    """Returns whether a product of float32 matrices, or of batches of them, is large enough for a call of oneDNN."""
    x, y = (v.aval for v in eqn.invars)
    p, result = eqn.params, eqn.outvars[0].aval
    (of_x, of_y), (batch, _) = p["dimension_numbers"]
    shared = math.prod(x.shape[axis] for axis in of_x)
    return (
        x.dtype == y.dtype == result.dtype
        and x.dtype.name == "float32"
        and p["precision"] is None
        and p["preferred_element_type"] in (None, x.dtype)
        and len(of_x) > 0
        and len(x.shape) > len(of_x) + len(batch)
        and len(y.shape) > len(of_y) + len(batch)
        and 2 * math.prod(result.shape) * shared >= _WORTH_A_CALL
    )


def product_by_onednn(eqn: Any) -> Callable[[jax.Array, jax.Array], jax.Array]:
    """Returns a function for it that oneDNN computes where that is faster, and its gradients as well."""
    order = tuple(range(len(eqn.outvars[0].aval.shape)))
    return lambda x, y: multiply(x, y, dimension_numbers=eqn.params["dimension_numbers"], order=order)
