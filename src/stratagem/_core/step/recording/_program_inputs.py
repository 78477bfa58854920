"""ProgramInputs: the inputs of a program that is being recorded, each made when the code first needs it."""

from collections.abc import Sequence
from typing import Any, final

import jax
import numpy as np

from stratagem._core.step.collectives._traced_per_replica import TracedPerReplica
from stratagem._core.step.host._host_prefix import is_strings
from stratagem._core.step.recording._arguments import InputSpec, input_specs, is_own, is_tensor
from stratagem._private import OpenTrace


@final
class ProgramInputs:
    """Variables, tensors of the arguments and of drawn elements, and numbers that the host computes.

    replica: the one whose shapes the program has. replicas: how many there are.
    """

    def __init__(self, trace: OpenTrace, replica: int, replicas: int) -> None:
        self._trace, self._replica, self._replicas = trace, replica, replicas
        self._variables: list[jax.Array] = []
        # By whether every replica has its own, then by the position among all leaves, and by the number of the host's.
        self._leaves: dict[bool, dict[int, jax.Array]] = {True: {}, False: {}}
        self._computed: dict[bool, list[jax.Array]] = {True: [], False: []}

    def variable(self, shape: Sequence[Any], dtype: Any) -> jax.Array:
        """Returns the input for a variable."""
        self._variables.append(self._trace.new_input(shape, dtype))
        return self._variables[-1]

    def leaf(self, position: int, leaf: Any) -> Any:
        """Returns the step's own form of a leaf of its arguments, or of an element: an input, if it is a tensor of numbers."""
        if is_strings(leaf) or not (is_own(leaf) or is_tensor(leaf)):
            return leaf
        traced = self._new(leaf)
        self._leaves[is_own(leaf)][position] = traced
        return TracedPerReplica(traced, self._replicas) if is_own(leaf) else traced

    def computed(self, like: Any, own: bool) -> jax.Array:
        """Returns the input for numbers that the host computes. like: such numbers. own: whether each replica has its own."""
        self._computed[own].append(self._new(like))
        return self._computed[own][-1]

    def _new(self, like: Any) -> jax.Array:
        (spec,) = input_specs([like], self._replica)
        return self._trace.new_input(*spec)

    def in_order(self) -> list[jax.Array]:
        """Returns all inputs in the order in which a program takes them: variables, each replica's own, shared ones."""
        parts = [
            [*[self._leaves[own][i] for i in sorted(self._leaves[own])], *self._computed[own]] for own in (True, False)
        ]
        return [*self._variables, *parts[0], *parts[1]]

    @property
    def own(self) -> int:
        """The number of those that every replica has its own of."""
        return len(self._leaves[True]) + len(self._computed[True])

    def specs(self) -> tuple[InputSpec, ...]:
        """Returns the shapes and dtypes of all inputs, in their order."""
        return tuple((tuple(v.shape), np.dtype(v.dtype)) for v in self.in_order())
