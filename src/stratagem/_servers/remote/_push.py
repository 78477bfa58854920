"""Push: what a step changes on one server, and which push it is."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Origin:
    """Which push this is, the same when it is sent again.

    closure: of the coordinator; number: of the closure's pushes, from 1. below: all closures with smaller numbers are over.
    coordinator: another name for another one, whose closures are counted anew.
    """

    closure: int
    number: int
    below: int = 0
    coordinator: str = ""


@dataclass(frozen=True)
class Push:
    """What a step changes on one server.

    updates: numbers of updates that the server knows, each with its gradients. added, set: values by variable. seen: how many
    pushes the server had applied when the step read from it; None if it has not.
    """

    updates: Sequence[tuple[int, Sequence[Any]]] = ()
    added: dict[str, Any] = field(default_factory=dict)
    set: dict[str, Any] = field(default_factory=dict)
    seen: int | None = None
