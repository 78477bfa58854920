"""Worker: who runs a step over served variables, with what is its own: random seeds, and numbers for its pushes."""

from typing import Any, ClassVar, final

import jax
import jax.numpy as jnp

from stratagem._private import is_seed_state
from stratagem.remote._server import Origin

_GOLDEN = 0x9E3779B9  # spreads small numbers over 32 bits


@final
class Worker:
    """One worker of a job. Used by one thread at a time.

    index: of its task; None for the coordinator's own code, whose pushes nobody repeats.
    """

    here: ClassVar["Worker"]

    def __init__(self, index: int | None) -> None:
        self.index = index
        self._seeds: dict[int, tuple[Any, Any, jax.Array]] = {}
        self._closure = -1
        self._pushes = 0

    def begin(self, closure: int) -> None:
        """From now on it runs this closure, from its start."""
        self._closure, self._pushes = closure, 0

    def next_origin(self) -> Origin | None:
        """The number of its next push; the same when another worker runs the closure again."""
        if self.index is None:
            return None
        self._pushes += 1
        return Origin(self._closure, self._pushes)

    def value(self, variable: Any) -> Any:
        """What it sees of a variable that no server keeps: of a random seed its own."""
        if self.index is None or not is_seed_state(variable):
            return variable.value
        stored = variable._value
        known = self._seeds.get(id(variable))
        if known is None or known[1] is not stored:  # worker 0 draws what one device would, until somebody seeds anew
            spread = jnp.asarray([self.index * _GOLDEN % 2**32, *[0] * (variable.shape[0] - 1)], variable._dtype)
            self._seeds[id(variable)] = known = (variable, stored, variable.value + spread)
        return known[2]

    def keep(self, variable: Any, value: jax.Array) -> None:
        """A new value of such a variable."""
        if self.index is None:
            variable.assign(value)
        else:
            self._seeds[id(variable)] = (variable, variable._value, value)


Worker.here = Worker(None)
