"""computed_once: have XLA compute a function's results once, for all that read them."""

from collections.abc import Callable
from typing import TypeVar

import jax
from jax.experimental.xla_metadata import set_xla_metadata

_Results = TypeVar("_Results")


def computed_once(function: Callable[..., _Results], *operands: jax.Array) -> _Results:
    """Returns a function's results; a program computes them in a call of its own, into memory.

    XLA puts what is cheap for one element into every loop that reads it, so a value that several loops read, or one loop at
    several places, is computed as often; on CPUs an optimization barrier does not keep it from that. It inlines no call with
    this attribute (`call_inliner.cc`). Compilers that do not know it inline the call.

    operands: arrays, which have to be in memory for the call.
    """

    def computed(*operands: jax.Array) -> _Results:
        with set_xla_metadata(inlineable="true"):  # calls that the function makes
            return function(*operands)

    called = jax.jit(computed)
    with set_xla_metadata(inlineable="false"):
        results: _Results = called(*operands)
    return results
