"""`tf.keras.utils.DeterministicRandomTestTool`: the same random numbers in two programs, so that tests can compare them."""

import contextlib
from collections.abc import Iterator
from typing import Any, Final, final

import jax
import numpy as np

from stratagem._base.exports import exported
from stratagem._private import SeedSource, seed_source, seeds_from

_MODES: Final = ("constant", "num_random_ops")


@exported("keras.utils.DeterministicRandomTestTool")
@final
class DeterministicRandomTestTool:
    """Makes random numbers the same in a graph and outside of one, as `tf.compat.v1.keras.utils.DeterministicRandomTestTool`.

    mode: "constant" for operations that all draw the same numbers, in any order; "num_random_ops" for numbers that are a
    function of how many random operations there were before.

    The numbers are not TensorFlow's. Raises ValueError for another mode.
    """

    def __init__(self, seed: int = 42, mode: str = "constant") -> None:
        if mode not in _MODES:
            raise ValueError(f"Mode arg must be 'constant' or 'num_random_ops'. Got: {mode!r}.")
        self._seed, self._mode = int(seed), mode
        self._operation_seed = 0
        self._drawn: set[int] = set()

    @property
    def operation_seed(self) -> int:
        """The number of the next random operation. Raises ValueError to read or set it in the mode "constant"."""
        self._demand_numbers()
        return self._operation_seed

    @operation_seed.setter
    def operation_seed(self, value: int) -> None:
        self._demand_numbers()
        self._operation_seed = int(value)

    @contextlib.contextmanager
    def scope(self) -> Iterator[None]:
        """Opens a context whose random operations draw these numbers, also of graphs in it. Entered again, it counts on.

        In it, an operation whose number has drawn before raises ValueError.
        """
        with seeds_from(self._next):
            yield

    def _next(self, generator: Any) -> jax.Array:
        number = 0
        if self._mode == "num_random_ops":
            number = self._operation_seed
            if number in self._drawn:
                raise ValueError(
                    f"This DeterministicRandomTestTool is about to use the operation seed {number} again. Two programs would "
                    "not draw the same numbers. Set `operation_seed` to numbers that the counting has not reached."
                )
            self._drawn.add(number)
            self._operation_seed += 1
        return jax.numpy.asarray(np.array([self._seed % 2**32, number], np.uint32))

    def _demand_numbers(self) -> None:
        if self._mode != "num_random_ops":
            raise ValueError(
                "operation_seed: all operations of the mode 'constant' have the same seed; use 'num_random_ops'."
            )


def unless_testing(source: SeedSource | None) -> SeedSource | None:
    """Returns the source of an open tool's numbers; without one, this."""
    present = seed_source()
    return present if isinstance(getattr(present, "__self__", None), DeterministicRandomTestTool) else source
