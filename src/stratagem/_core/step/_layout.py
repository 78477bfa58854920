"""BatchLayout: what an uneven batch looks like on all replicas, as far as the trace of one of them must know it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from stratagem._base.errors import InvalidArgumentError

Shape = tuple[int, ...]
Key = tuple[tuple[Shape, Any], ...]  # shape and dtype of every input of a replica's own
Connections = dict[int, tuple[bool, ...]]
T = TypeVar("T")


class UnknownShapes(Exception):  # never seen by users: it ends a trace, which starts again when the shapes are known
    """The trace gathers a value of this shape, and it is not known yet which shapes the other replicas have there."""

    def __init__(self, shape: Shape) -> None:
        super().__init__()
        self.shape = shape


@dataclass
class BatchLayout:
    """keys: what every replica's own inputs are (equal keys: the same trace).
    gathered: for every gather of the step by number, the shapes of the operand on all replicas, found out one by one.
    connections: for every key traced so far, which sources of a call of `tape.gradient` are connected there.
    """

    keys: Sequence[Key]
    gathered: list[tuple[Shape, ...]] = field(default_factory=list)
    connections: dict[Key, Connections] = field(default_factory=dict)

    def joined(self, replica: int, found: Connections) -> Connections:
        """Which sources are connected on some replica: all replicas must have the same gradients, if of zeros."""
        self.connections[self.keys[replica]] = found
        every = list(self.connections.values())
        return {
            call: tuple(map(any, zip(*(c.get(call, answer) for c in every), strict=False)))
            for call, answer in found.items()
        }

    def described(self, replica: int) -> str:
        """Which replica that is and what it has, for a user whose code fails on it."""
        shapes = [shape for shape, _ in self.keys[replica]]
        text = f"This was replica {replica} of {len(self.keys)} on an uneven batch, with inputs of shapes {shapes}."
        if not any(0 in shape for shape in shapes):
            return text
        return (
            f"{text} It has no rows, but takes part: nothing summed is 0, a mean of nothing NaN, and there is no "
            "first row. Or drop the uneven end: batch(..., drop_remainder=True)."
        )


def named(attempt: Callable[[int], T], layout: BatchLayout) -> Callable[[int], T]:
    """`attempt`, with a note on every error that tells which replica it was."""

    def attempt_by_name(replica: int) -> T:
        try:
            return attempt(replica)
        except Exception as error:
            error.add_note(layout.described(replica))
            raise

    return attempt_by_name


def settled(attempt: Callable[[int], T], layout: BatchLayout, replica: int) -> T:
    """attempt(replica), again and again until all shapes that it gathers are known."""
    while True:
        try:
            return attempt(replica)
        except UnknownShapes:
            layout.gathered.append(_next_gathered(attempt, layout))


def _next_gathered(attempt: Callable[[int], T], layout: BatchLayout) -> tuple[Shape, ...]:
    shapes: dict[Key, Shape] = {}
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
