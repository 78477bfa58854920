"""The magnitude of integers, which XLA computes wrongly where a square overflows: it simplifies abs(x * x) to x * x."""

from collections.abc import Callable
from typing import Any

import jax
import jax.numpy as jnp


def is_integer_magnitude(eqn: Any) -> bool:
    """Returns whether an `abs` is that of signed integers."""
    return bool(jnp.issubdtype(eqn.invars[0].aval.dtype, jnp.signedinteger))


def magnitude(eqn: Any) -> Callable[[jax.Array], jax.Array]:
    """Returns a function for it that XLA does not recognize; the smallest integer stays itself, as in TensorFlow."""
    return lambda x: jax.lax.max(x, jax.lax.neg(x))
