"""Push: a step's changes on one server; Origin: the identity of a push."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Origin:
    """Identifies a push, also when it is sent again.

    closure: its number, given by the coordinator. number: of the closure's pushes, from 1. below: all closures with smaller
    numbers have ended. coordinator: the coordinator's name; another one numbers its own closures.
    """

    closure: int
    number: int
    below: int = 0
    coordinator: str = ""


@dataclass(frozen=True)
class Push:
    """The changes of a step on one server.

    updates: numbers of updates that the server knows, each with its gradients. added, set: amounts and new values, by
    the key of the variable. seen: the number of pushes that the server had applied when the step read from it; None if
    it did not.
    """

    updates: Sequence[tuple[int, Sequence[Any]]] = ()
    added: dict[str, Any] = field(default_factory=dict)
    set: dict[str, Any] = field(default_factory=dict)
    seen: int | None = None
