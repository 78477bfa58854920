"""PlannedRun: what a session does for its fetches and feeds, found once for all runs of a loop."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self, final

import jax

from stratagem._core.step import GraphPart, IdentityKey, TracedStrings
from stratagem._private import KerasVariable
from stratagem._tf1.graph import Graph, Operation
from stratagem._tf1.graph.summary import GraphSummary
from stratagem._tf1.sessions._fetches import FetchPlan, fetched

# What is the same object in every run of a loop. Constants and sizes may be made anew each time.
_LASTING: Final = (str, jax.core.Tracer, TracedStrings, Operation, KerasVariable, GraphSummary)


@final
@dataclass(frozen=True)
class PlannedRun:
    """The run of a part of a graph.

    fetches: what is asked for. part: the step. results: of the operations. hosts: functions that are called before the step.
    places: of the tensors that the part has to be fed, among the feeds; None for one that is not there.
    """

    fetches: FetchPlan
    part: GraphPart
    results: Sequence[Any]
    hosts: Sequence[Any]
    places: Sequence[int | None]

    @classmethod
    def of(cls, fetches: Any, fed: Sequence[Any], graph: Graph) -> Self:
        """Returns the run of fetches with such feeds. Raises as `FetchPlan.of`."""
        leaves, structure = fetched(fetches)
        key = _key(leaves, structure, fed, graph)
        known = graph.runs.get(key)
        if known is not None:
            return known[0]
        plan = FetchPlan.of(leaves, structure, graph)
        part, results, hosts = _part(plan, fed, graph)
        keys = {graph.key_of(tensor): place for place, tensor in enumerate(fed)}
        found = cls(plan, part, results, hosts, [keys.get(graph.key_of(tensor)) for tensor in part.fed])
        if key is not None:
            # The key has identities, which are theirs as long as they are kept.
            graph.runs[key] = found, (leaves, tuple(fed), tuple(graph.building.dependencies))
        return found


def _key(leaves: Sequence[Any], structure: Hashable, fed: Sequence[Any], graph: Graph) -> Hashable:
    """Returns what tells a run from all others; None if it has fetches that may be made anew each time."""
    if not all(isinstance(leaf, _LASTING) for leaf in leaves):
        return None
    # Under `control_dependencies` a variable that is fetched has the value after them.
    after = tuple(map(id, graph.building.dependencies))
    return structure, tuple(v if type(v) is str else id(v) for v in leaves), tuple(map(id, fed)), after


def _part(plan: FetchPlan, fed: Sequence[Any], graph: Graph) -> tuple[GraphPart, Sequence[Any], Sequence[Any]]:
    """Returns the part of the graph for a plan: one for all structures of fetches, by names and by objects."""
    key = (
        tuple(graph.key_of(t) if graph.holds(t) else IdentityKey(t) for t in plan.tensors),
        tuple(map(id, plan.operations)),
        tuple(map(graph.key_of, fed)),
    )
    if key not in graph.parts:
        graph.parts[key] = graph.part(plan.tensors, plan.operations, fed), plan
    found: tuple[GraphPart, Sequence[Any], Sequence[Any]] = graph.parts[key][0]
    return found
