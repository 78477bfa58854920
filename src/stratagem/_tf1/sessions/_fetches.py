"""FetchPlan: what a program asks a session for, as tensors and operations, and the answer in its structure."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, final

import jax
import numpy as np

from stratagem._core.step import TracedStrings, UnknownSizes, is_symbolic
from stratagem._core.values import CompositeTensor
from stratagem._private import KerasVariable
from stratagem._tf1.graph import Graph, Operation
from stratagem._tf1.graph.summary import GraphSummary

# The value of a fetch, of those of tensors and of the results of operations.
Answer = Callable[[Sequence[Any], Sequence[Any]], Any]


@final
@dataclass(frozen=True)
class FetchPlan:
    """The fetches of a run.

    tensors, operations: what is run. answers: the value of each fetch. structure: that of the fetches.
    """

    tensors: tuple[Any, ...]
    operations: tuple[Operation, ...]
    answers: tuple[Answer, ...]
    structure: Any

    @classmethod
    def of(cls, leaves: Sequence[Any], structure: Any, graph: Graph) -> "FetchPlan":
        """Plans what `fetched` returns.

        Raises TypeError for None and for what is no fetch, KeyError for an unknown name, ValueError for another graph's.
        """
        plan = _Planning(graph)
        answers = [plan.answer(leaf) for leaf in leaves]
        return cls(tuple(plan.tensors), tuple(plan.operations), tuple(answers), structure)

    def answered(self, values: Sequence[Any], results: Sequence[Any]) -> Any:
        """Returns the fetches' values. values: of the tensors. results: of the operations."""
        return jax.tree.unflatten(self.structure, [answer(values, results) for answer in self.answers])


@final
class _Planning:
    def __init__(self, graph: Graph) -> None:
        self.tensors: list[Any] = []
        self.operations: list[Operation] = []
        self._graph = graph

    def answer(self, fetch: Any) -> Answer:
        if isinstance(fetch, str):
            fetch = self._graph.as_graph_element(fetch)
        if isinstance(fetch, GraphSummary):
            start = len(self.tensors)
            self.tensors += fetch.tensors
            return lambda values, _: fetch.serialized(values[start : start + len(fetch.tensors)])
        if isinstance(fetch, Operation):
            if fetch.graph is not self._graph:
                raise ValueError(f"Operation {fetch.name!r} is not an element of the session's graph.")
            place = len(self.operations)
            self.operations.append(fetch)
            return lambda _, results: results[place]
        if isinstance(fetch, UnknownSizes) or is_symbolic(fetch):
            fetch = self._graph.sizes(fetch)
        if isinstance(fetch, CompositeTensor):
            leaves, structure = jax.tree.flatten(fetch)
            parts = [self.answer(leaf) for leaf in leaves]
            return lambda *given: jax.tree.unflatten(structure, [part(*given) for part in parts])
        if outputs := getattr(fetch, "outputs", None):
            self._tensor(outputs[0])
            return lambda values, _: None
        if isinstance(fetch, KerasVariable):
            with self._graph.as_default():
                fetch = fetch.value
        if isinstance(fetch, np.ndarray) and fetch.dtype == object:  # strings that no run changes
            return lambda *_: np.asarray(fetch)[()]
        if not isinstance(fetch, jax.Array | TracedStrings | np.ndarray | np.generic | int | float):
            raise TypeError(
                f"Fetch argument {fetch!r} has invalid type {type(fetch).__name__!r}, must be a string or Tensor. (Can not "
                f"convert a {type(fetch).__name__} into a Tensor or Operation.)"
            )
        place = self._tensor(fetch)
        return lambda values, _: values[place]

    def _tensor(self, tensor: Any) -> int:
        if isinstance(tensor, jax.core.Tracer | TracedStrings) and not self._graph.holds(tensor):
            raise ValueError(f"Tensor {tensor!r} is not an element of the session's graph.")
        self.tensors.append(tensor)
        return len(self.tensors) - 1


def fetched(fetches: Any) -> tuple[list[Any], Any]:
    """Returns the fetches in a structure, and the structure."""
    return jax.tree.flatten(fetches, is_leaf=_is_fetch)


def _is_fetch(value: Any) -> bool:
    return value is None or isinstance(value, CompositeTensor | GraphSummary)
