"""InputSources: the iterators that a trace draws from and the PerReplica values that it captures, as inputs."""

from collections.abc import Sequence
from typing import Any, final

import jax

from stratagem._base.errors import OutOfRangeError
from stratagem._core.step.collectives._traced_per_replica import TracedPerReplica
from stratagem._core.step.host._host_prefix import is_strings
from stratagem._core.step.host._prefix_recorder import PrefixRecorder
from stratagem._core.step.keys._interrupts import HostMode
from stratagem._core.step.recording._arguments import is_own, is_tensor
from stratagem._core.step.recording._captured_input import CapturedInput
from stratagem._core.step.recording._program_inputs import ProgramInputs
from stratagem._core.values import is_per_replica


@final
class InputSources:
    """The sources of one trace, in the order in which it uses them.

    inputs: the program's. prefix: what records the computations of the host, which know the values of elements. drawn: elements
    that were drawn for the call. For others, the next elements of their iterators are examples, which stay there. leaves: how
    many the call's arguments have.
    """

    def __init__(self, inputs: ProgramInputs, prefix: PrefixRecorder, drawn: Sequence[Any], leaves: int) -> None:
        self.sources: list[Any] = []
        self._inputs, self._prefix, self._drawn, self._leaves = inputs, prefix, drawn, leaves
        self._elements: list[Any] = []

    def draw(self, source: Any) -> Any:
        """Returns the next element of an iterator."""
        self.sources.append(source)
        self._elements.append(self._element(source))
        return self._elements[-1]

    def captured(self, value: Any) -> Any:
        """Returns a PerReplica value that the code has from outside as an input of the program."""
        if isinstance(value, TracedPerReplica):
            return value
        for source, element in zip(self.sources, self._elements, strict=True):
            if isinstance(source, CapturedInput) and source.value is value:
                return element
        return self.draw(CapturedInput(value))

    def _element(self, source: Any) -> Any:
        position = len(self._elements)
        if position < len(self._drawn):
            example = self._drawn[position]
        else:
            try:
                example = source.peek()
            except StopIteration:
                raise OutOfRangeError("End of sequence: an iterator that the step draws from is empty.") from None
        leaves, structure = jax.tree.flatten(example, is_leaf=is_per_replica)
        found = [self._part(self._leaves + i, leaf) for i, leaf in enumerate(leaves)]
        self._leaves += len(leaves)
        return jax.tree.unflatten(structure, found)

    def _part(self, position: int, leaf: Any) -> Any:
        if not (is_strings(leaf) or is_own(leaf) or is_tensor(leaf)):
            raise HostMode(f"it draws elements of type {type(leaf).__name__}")
        return self._prefix.argument(position, leaf, self._inputs.leaf(position, leaf))
