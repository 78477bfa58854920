"""JobInfo: the facts about the job and its own task that a supervisor gets."""

from dataclasses import asdict, dataclass
from typing import Any, final

from stratagem._cluster.control._limits import TimeLimits


@final
@dataclass(frozen=True)
class JobInfo:
    """A job as one of its tasks sees it.

    tasks: all of them by rank, such as `chief:0`. rank: this task's. hub: host:port where rank 0 listens. cluster: its
    description, which has to be equal in all tasks. versions: of the packages, equal likewise. pid: of the task's process.
    """

    tasks: tuple[str, ...]
    rank: int
    hub: str
    cluster: dict[str, Any]
    versions: dict[str, str]
    pid: int
    loopback: bool
    limits: TimeLimits

    @property
    def task(self) -> str:
        """The name of this task."""
        return self.tasks[self.rank]

    @property
    def address(self) -> tuple[str, int]:
        """Host and port of the hub."""
        host, _, port = self.hub.rpartition(":")
        return host.strip("[]"), int(port)

    def place_of(self, task: str) -> str:
        """Returns a task's name with its address, if the cluster has it: "worker:1 at 10.0.0.2:2222"."""
        job, _, index = task.partition(":")
        tasks: Any = self.cluster.get(job)
        addresses = dict(enumerate(tasks)) if isinstance(tasks, list | tuple) else tasks or {}
        address = addresses.get(int(index)) or addresses.get(index)
        return f"{task} at {address}" if address else task

    def mismatch(self, hello: dict[str, Any]) -> str | None:
        """Returns why a task with this first message can never be one of this job; None if it can."""
        for what, ours in (("cluster differs", self.cluster), ("versions differ", self.versions)):
            theirs = hello.get(what.partition(" ")[0])
            if theirs != ours:
                difference = _difference(theirs if isinstance(theirs, dict) else {}, ours)
                return f"its {what} from what {self.task} has: {difference}."
        rank = hello.get("rank")
        if not isinstance(rank, int) or not 0 <= rank < len(self.tasks) or hello.get("task") != self.tasks[rank]:
            return f"{hello.get('task')} is not number {rank} of {', '.join(self.tasks)}."
        return None

    def to_json(self) -> dict[str, Any]:
        """Returns the fields of a message."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "JobInfo":
        """Returns the facts in a message."""
        return cls(**{**fields, "tasks": tuple(fields["tasks"]), "limits": TimeLimits(**fields["limits"])})


def _difference(theirs: dict[str, Any], ours: dict[str, Any]) -> str:
    """Returns the entries that differ, in words."""
    names = [name for name in [*theirs, *(n for n in ours if n not in theirs)] if theirs.get(name) != ours.get(name)]
    return "; ".join(
        f"{name} is {theirs.get(name, 'missing')} there and {ours.get(name, 'missing')} here" for name in names
    )
