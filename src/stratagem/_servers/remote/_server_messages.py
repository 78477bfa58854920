"""Push: a step's changes on one server; PushId: its identity; ReadReply: what a server answers to a read."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class PushId:
    """Identifies a push, also when it is sent again.

    closure: its number, given by the coordinator. number: of the closure's pushes, from 1. below: all closures with smaller
    numbers have ended. coordinator: the coordinator's name; another one numbers its own closures.
    """

    closure: int
    number: int
    below: int = 0
    coordinator: str = ""


@dataclass(frozen=True)
class UpdateGradients:
    """The gradients for an update that the server knows under this number."""

    update: int
    gradients: Sequence[Any]


@dataclass(frozen=True)
class ReadReply:
    """Values that a server holds, or rows of them; pushes: how many it had applied when they were read."""

    pushes: int
    values: Sequence[Any]


@dataclass(frozen=True)
class Push:
    """The changes of a step on one server.

    updates: the gradients of each update. added, set: amounts and new values, by
    the key of the variable. seen: the number of pushes that the server had applied when the step read from it; None if
    it did not.
    """

    updates: Sequence[UpdateGradients] = ()
    added: dict[str, Any] = field(default_factory=dict)
    set: dict[str, Any] = field(default_factory=dict)
    seen: int | None = None
