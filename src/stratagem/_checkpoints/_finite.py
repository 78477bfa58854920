"""Which arrays hold a NaN or an infinity, and how that is said."""

from collections.abc import Mapping, Sequence

import jax.numpy as jnp
import numpy as np

_SHOWN = 3


def is_finite(array: np.ndarray) -> bool:
    """True for an array without NaN and infinity; integers, booleans and strings have none."""
    if not jnp.issubdtype(array.dtype, jnp.inexact):
        return True
    with np.errstate(all="ignore"):
        # Any NaN or infinity makes the sum one, and a sum needs no array of booleans. It may also just be too large.
        return bool(np.isfinite(array.sum())) or bool(np.isfinite(array).all())


def not_finite(arrays: Mapping[str, np.ndarray]) -> list[str]:
    """The names of those that are not finite, in their order."""
    return [name for name, array in arrays.items() if not is_finite(array)]


def shown(names: Sequence[str]) -> str:
    """The first of several names."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
