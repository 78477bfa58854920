"""ResultStructure: the structure that a function returned, into which a program's results are put."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import jax

from stratagem._core.mesh import ReplicaMesh
from stratagem._core.step.collectives._traced_per_replica import TracedPerReplica
from stratagem._core.step.host._traced_strings import TracedStrings
from stratagem._core.step.keys._host_values import StringsResult
from stratagem._core.step.keys._unmade_tensor import UnmadeTensor
from stratagem._core.step.recording._assertions import NO_CHECKS, ProgramAssertions
from stratagem._core.values import is_per_replica, with_per_replica_composites


@dataclass
class ResultStructure:
    """The structure that a traced function returned, with the positions of tensors in it.

    checks: those of the program; their results come after the function's, also in `per_replica`.
    """

    structure: Any = None
    leaves: list[Any] = field(default_factory=list)
    per_replica: list[bool] = field(default_factory=list)
    checks: ProgramAssertions = NO_CHECKS

    def note(self, result: Any) -> list[Any]:
        """Stores the structure of a result; returns the tensors in it."""
        leaves, self.structure = jax.tree.flatten(with_per_replica_composites(result), is_leaf=is_per_replica)
        self.leaves = [v.__jax_array__() if isinstance(v, UnmadeTensor) else v for v in leaves]
        tensors = [v for v in self.leaves if _is_tensor(v)]
        self.per_replica = [isinstance(v, TracedPerReplica) for v in tensors]
        self.leaves = [_TENSOR if _is_tensor(v) else _strings(v) for v in self.leaves]
        return [v.local if isinstance(v, TracedPerReplica) else v for v in tensors]

    def rebuilt(self, tensors: Sequence[Any]) -> Any:
        """Returns the structure with these tensors in it."""
        remaining = iter(tensors)
        return self.structure.unflatten([next(remaining) if v is _TENSOR else v for v in self.leaves])

    def verified(self, tensors: Sequence[Any], mesh: ReplicaMesh) -> Any:
        """Waits for the program's checks, if it has any, then rebuilds. Raises InvalidArgumentError if a check has failed."""
        if self.checks:
            self.checks.verify(tensors, mesh.local_ids)
        return self.rebuilt(tensors)


_TENSOR = object()


def _is_tensor(leaf: Any) -> bool:
    """Returns whether a part of a result is one of the program's; strings are not."""
    return isinstance(leaf.local if isinstance(leaf, TracedPerReplica) else leaf, jax.Array)


def _strings(leaf: Any) -> Any:
    if isinstance(leaf, TracedPerReplica):
        strings: Any = leaf.local
        return StringsResult(strings.value, per_replica=True)
    return StringsResult(leaf.value, per_replica=False) if isinstance(leaf, TracedStrings) else leaf
