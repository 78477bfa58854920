"""What went wrong in a job: which task, where it was, and in words."""

import enum
from dataclasses import asdict, dataclass
from typing import Any, final

from stratagem._base.errors import PeerFailedError, PeerStuckError
from stratagem._base.job import Phase


@final
class FailureKind(enum.StrEnum):
    """How a task failed."""

    RAISED = "raised"  # an exception that nothing caught
    LOST = "lost"  # its process, or its machine, is gone
    FROZEN = "frozen"  # its process is stopped
    STUCK = "stuck"  # alive, but it does not do its part
    LEFT = "left"  # it ended as it should while others still need it
    ORPHANED = "orphaned"  # a process that runs beside it has ended
    CUT = "cut"  # it is there, but its connections to the others broke
    APART = "apart"  # it goes on, but it has left what the others still do


_SAYS = {
    FailureKind.RAISED: "raised an exception",
    FailureKind.LOST: "was lost",
    FailureKind.FROZEN: "is frozen: its process was stopped (SIGSTOP or Ctrl-Z)",
    FailureKind.STUCK: "is alive but does not go on",
    FailureKind.LEFT: "has ended, and others still need it",
    FailureKind.ORPHANED: "lost a process that runs beside it",
    FailureKind.CUT: "lost its connections to the other tasks, which are all there",
    FailureKind.APART: "has left the loop that others are in",
}


@final
@dataclass(frozen=True)
class JobFailure:
    """The first failure of a job; what follows from it is not told.

    task: such as `worker:1`. step, phase: where it was. text: what is known beside. waited: seconds until it was noticed.
    """

    task: str
    rank: int
    kind: FailureKind
    step: int
    phase: Phase
    text: str
    host: str
    pid: int
    waited: float

    def to_json(self) -> dict[str, Any]:
        """As a message carries it."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "JobFailure":
        """From a message."""
        return cls(**{**fields, "kind": FailureKind(fields["kind"]), "phase": Phase(fields["phase"])})

    def told(self) -> str:
        """One or more lines for logs and errors."""
        where = f"in step {self.step}, phase {self.phase}"
        after = f" Noticed after {self.waited:.1f} s." if self.waited >= 0.05 else ""
        text = f"\n{self.text.rstrip()}" if "\n" in self.text else f" {self.text}" if self.text else ""
        process = f", pid {self.pid}" if self.pid else ""  # of the hub itself the others know none
        return f"{self.task} (rank {self.rank}, {self.host}{process}) {_SAYS[self.kind]} {where}.{after}{text}"

    def error(self, task: str, step: int) -> PeerFailedError:
        """The error that another task raises."""
        kind = PeerStuckError if self.kind in (FailureKind.STUCK, FailureKind.FROZEN) else PeerFailedError
        return kind(
            f"{self.told()}\nSo {task} cannot go on in step {step}. Start the job again: it goes on from its last checkpoint.",
            task=self.task,
            step=self.step,
            phase=str(self.phase),
            waited=self.waited,
        )
