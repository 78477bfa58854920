"""An optimizer's update that a trace leaves to where the variables are."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class RemoteUpdate:
    """A call of `optimizer.apply`. variables: one for each gradient. counted: what else code may read after it."""

    optimizer: Any
    variables: tuple[Any, ...]
    counted: tuple[Any, ...]
