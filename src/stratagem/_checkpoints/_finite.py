"""Finds arrays that hold a NaN or an infinity, and formats their names."""

from collections.abc import Mapping, Sequence

import jax.numpy as jnp
import numpy as np

_SHOWN = 3


def is_finite(array: np.ndarray) -> bool:
    """Returns whether an array has neither NaN nor infinity; integers, booleans and strings never have."""
    if not jnp.issubdtype(array.dtype, jnp.inexact):
        return True
    with np.errstate(all="ignore"):
        # The sum is not finite if any element is not, and needs no array of booleans. But it may also overflow.
        return bool(np.isfinite(array.sum())) or bool(np.isfinite(array).all())


def not_finite(arrays: Mapping[str, np.ndarray]) -> list[str]:
    """The names of the arrays that are not finite, in order."""
    return [name for name, array in arrays.items() if not is_finite(array)]


def shown(names: Sequence[str]) -> str:
    """Formats the first few names."""
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more
