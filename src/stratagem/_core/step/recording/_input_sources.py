"""InputSources: the iterators that a trace draws from and the PerReplica values that it captures, as inputs."""

from collections.abc import Sequence
from typing import Any

import jax
import jax.numpy as jnp

from stratagem._base.errors import OutOfRangeError
from stratagem._base.types import DTypeLike
from stratagem._core.step.collectives._traced_per_replica import TracedPerReplica
from stratagem._core.step.host._host_prefix import is_strings
from stratagem._core.step.host._prefix_recorder import PrefixRecorder
from stratagem._core.step.keys._interrupts import HostMode, Unexplored
from stratagem._core.step.recording._captured_input import CapturedInput
from stratagem._core.values import Separate, Stacked, is_per_replica


class InputSources:
    """The sources of one trace, in the order in which it uses them.

    discovering: the first trace, in which elements have no values yet, only shapes.
    prefix: what records the computations of the host, which know the values of elements.
    """

    def __init__(self, replicas: int, prefix: PrefixRecorder, *, discovering: bool) -> None:
        self.sources: list[Any] = []
        self._replicas, self._prefix, self._discovering = replicas, prefix, discovering
        self._drawn: list[Any] = []
        self._leaves = 0

    def begin(self, drawn: Sequence[Any], leaves: int) -> None:
        """Sets the tracers of the elements that were drawn before the call. leaves: how many its arguments have."""
        self._drawn, self._leaves = list(drawn), leaves

    def draw(self, source: Any) -> Any:
        """Returns the next element of an iterator."""
        self.sources.append(source)
        return self._element(len(self.sources) - 1, source)

    def captured(self, value: Any) -> Any:
        """Returns a PerReplica value that the code has from outside as an input of the program."""
        if isinstance(value, TracedPerReplica):
            return value
        known = [source for source in self.sources if isinstance(source, CapturedInput) and source.value is value]
        if not known:
            known = [CapturedInput(value)]
            self.sources.append(known[0])
        return self._element(self.sources.index(known[0]), known[0])

    def _element(self, position: int, source: Any) -> Any:
        if position < len(self._drawn):
            return self._drawn[position]
        if not self._discovering:
            raise Unexplored
        try:
            example = source.peek()
        except StopIteration:
            raise OutOfRangeError("End of sequence: an iterator that the step draws from is empty.") from None
        leaves, structure = jax.tree.flatten(example, is_leaf=is_per_replica)
        found = [self._prefix.argument(self._leaves + i, leaf, self._like(leaf)) for i, leaf in enumerate(leaves)]
        self._leaves += len(leaves)
        return jax.tree.unflatten(structure, found)

    def _like(self, leaf: Any) -> Any:
        """Returns what stands for the value of a tensor; strings have none."""
        if is_strings(leaf):
            return None
        example = leaf
        if isinstance(leaf, Stacked | Separate):
            example = leaf.values[0]
        if not hasattr(example, "dtype") or example.dtype == object:
            raise HostMode(f"it draws elements of type {type(example).__name__}")
        value = placeholder(example.shape, example.dtype)
        return TracedPerReplica(value, self._replicas) if is_per_replica(leaf) else value


def placeholder(shape: tuple[int, ...], dtype: DTypeLike) -> jax.Array:
    """Returns a constant in place of a value that is not known while discovering, when only shapes matter.

    It is a new array, which is valid at any level of tracing, and a copy, because a tape cannot watch a scalar that JAX
    writes into the equations.
    """
    return jnp.copy(jnp.zeros(shape, dtype))
