"""What every supervisor is told about the job and its own task."""

from dataclasses import asdict, dataclass
from typing import Any, final

from stratagem.cluster.control._limits import Limits


@final
@dataclass(frozen=True)
class Facts:
    """A job as one of its tasks sees it.

    tasks: all of them by rank, such as `chief:0`. rank: this task's. hub: where rank 0 listens, host:port. cluster: its
    description, which has to be the same everywhere. versions: of the packages, likewise. pid: of the task's process.
    """

    tasks: tuple[str, ...]
    rank: int
    hub: str
    cluster: dict[str, Any]
    versions: dict[str, str]
    pid: int
    loopback: bool
    limits: Limits

    @property
    def task(self) -> str:
        """This one's name."""
        return self.tasks[self.rank]

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the hub."""
        host, _, port = self.hub.rpartition(":")
        return host.strip("[]"), int(port)

    def to_json(self) -> dict[str, Any]:
        """As a message carries it."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "Facts":
        """From a message."""
        return cls(**{**fields, "tasks": tuple(fields["tasks"]), "limits": Limits(**fields["limits"])})
