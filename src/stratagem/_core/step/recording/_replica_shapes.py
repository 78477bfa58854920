"""ReplicaShapes: the shapes of an uneven batch on all replicas, as far as the trace for one of them needs them."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stratagem._base.errors import InvalidArgumentError
from stratagem._core.step.keys._interrupts import UnknownShapes

Shape = tuple[int, ...]
# Shape and dtype of every input of a replica's own, and sizes that the host has computed for it.
Key = tuple[tuple[Any, Any], ...]
Connections = dict[int, tuple[bool, ...]]
T = TypeVar("T")


@dataclass
class ReplicaShapes:
    """The shapes of an uneven batch on all replicas, and what traces of it have found.

    keys: the shapes and dtypes of every replica's own inputs (equal keys: the same trace).
    gathered: for every gather of the step by number, the shapes of its operand on all replicas, found one by one.
    connections: for every key traced so far, which sources of a call of `tape.gradient` are connected there.
    """

    keys: Sequence[Key]
    gathered: list[tuple[Shape, ...]] = field(default_factory=list)
    connections: dict[Key, Connections] = field(default_factory=dict)

    def joined(self, replica: int, found: Connections) -> Connections:
        """Adds the findings of one replica; returns which sources are connected on any replica.

        All replicas must compute the same gradients, some of which may be zero.
        """
        self.connections[self.keys[replica]] = found
        every = list(self.connections.values())
        return {
            call: tuple(map(any, zip(*(c.get(call, answer) for c in every), strict=False)))
            for call, answer in found.items()
        }

    def described(self, replica: int) -> str:
        """Returns, for an error in the user's code, which replica it occurred on and the shapes of its inputs."""
        shapes = [shape for shape, _ in self.keys[replica]]
        text = f"This was replica {replica} of {len(self.keys)} on an uneven batch, with inputs of shapes {shapes}."
        if not any(0 in shape for shape in shapes):
            return text
        return (
            f"{text} It has no rows, but takes part: nothing summed is 0, a mean of nothing NaN, and there is no "
            "first row. Or drop the uneven end: batch(..., drop_remainder=True)."
        )


def with_replica_note(attempt: Callable[[int], T], replica_shapes: ReplicaShapes) -> Callable[[int], T]:
    """Returns `attempt` with a note on every error that tells the replica."""

    def noted(replica: int) -> T:
        try:
            return attempt(replica)
        except Exception as error:
            error.add_note(replica_shapes.described(replica))
            raise

    return noted


def retried_until_shapes_known(attempt: Callable[[int], T], replica_shapes: ReplicaShapes, replica: int) -> T:
    """Returns `attempt(replica)`, repeated until the shapes of all values that it gathers are known."""
    while True:
        try:
            return attempt(replica)
        except UnknownShapes:
            replica_shapes.gathered.append(_next_gathered(attempt, replica_shapes))


def _next_gathered(attempt: Callable[[int], T], replica_shapes: ReplicaShapes) -> tuple[Shape, ...]:
    shapes: dict[Key, Shape] = {}
    for replica, key in enumerate(replica_shapes.keys):
        if key in shapes:
            continue
        try:
            attempt(replica)
        except UnknownShapes as unknown:
            shapes[key] = unknown.shape
        else:
            raise InvalidArgumentError(
                "On this uneven batch only some replicas gather a value (all_gather, gather, or PerReplica.values): the step "
                "decides by the number of its rows whether to. Every replica must make the same collectives."
            )
    return tuple(shapes[key] for key in replica_shapes.keys)
