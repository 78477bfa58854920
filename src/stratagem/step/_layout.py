"""Layout: what an uneven batch looks like on all replicas, as far as the trace of one of them must know it."""

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

from stratagem._errors import InvalidArgumentError

Shape = tuple[int, ...]
Connections = dict[int, tuple[bool, ...]]
T = TypeVar("T")


class UnknownShapes(Exception):  # never seen by users: it ends a trace, which starts again when the shapes are known
    """The trace gathers a value of this shape, and it is not known yet which shapes the other replicas have there."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape


@dataclass
class Layout:
    """keys: for every replica, the shapes of its own inputs (equal keys: the same trace).
    gathered: for every gather of the step by number, the shapes of the operand on all replicas, found out one by one.
    connections: for every key traced so far, which sources of a call of `tape.gradient` are connected there.
    """

    keys: Sequence[Hashable]
    gathered: list[tuple[Shape, ...]] = field(default_factory=list)
    connections: dict[Hashable, Connections] = field(default_factory=dict)

    def joined(self, replica: int, found: Connections) -> Connections:
        """Which sources are connected on some replica: all replicas must have the same gradients, if of zeros."""
        self.connections[self.keys[replica]] = found
        every = list(self.connections.values())
        return {
            call: tuple(map(any, zip(*(c.get(call, answer) for c in every), strict=False)))
            for call, answer in found.items()
        }


def settled(attempt: Callable[[int], T], layout: Layout, replica: int) -> T:
    """attempt(replica), again and again until all shapes that it gathers are known."""
    while True:
        try:
            return attempt(replica)
        except UnknownShapes:
            layout.gathered.append(_next_gathered(attempt, layout))


def _next_gathered(attempt: Callable[[int], T], layout: Layout) -> tuple[Shape, ...]:
    shapes: dict[Hashable, Shape] = {}
    for replica, key in enumerate(layout.keys):
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
    return tuple(shapes[key] for key in layout.keys)
