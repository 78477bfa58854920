"""Functions of tensors whose sizes were unknown when they were traced: in a program of known sizes XLA computes them."""

from collections.abc import Callable
from typing import Any

import jax


def has_known_sizes(eqn: Any) -> bool:
    """Returns whether all operands of an equation have known sizes."""
    return all(isinstance(size, int) for operand in eqn.invars for size in operand.aval.shape)


def compiled_function(eqn: Any) -> Callable[..., jax.Array]:
    """Returns the function that does the same in a program, see `sized_call`."""
    found: Callable[..., jax.Array] = eqn.params["compiled"]
    return found
