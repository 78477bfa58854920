"""JobFailure: the failure of a job: the task that failed, its step and phase, and a description."""

import enum
from dataclasses import asdict, dataclass
from typing import Any, final

from stratagem._base.errors import PeerFailedError, PeerStuckError
from stratagem._base.job import Phase
from stratagem._base.program_line import call_of_program


@final
class FailureKind(enum.StrEnum):
    """The ways in which a task fails."""

    RAISED = "raised"  # an exception that nothing caught
    LOST = "lost"  # its process or machine has ended
    FROZEN = "frozen"  # its process is stopped
    STUCK = "stuck"  # its process runs, but does not take part in what others wait for
    LEFT = "left"  # it ended regularly while others still need it
    ORPHANED = "orphaned"  # its supervisor, or the process of the coordination service, has ended
    DISCONNECTED = "disconnected"  # it runs, but its connections to the others broke
    DIVERGED = "diverged"  # it has left a loop that the others are still in


_DESCRIPTIONS = {
    FailureKind.RAISED: "raised an exception",
    FailureKind.LOST: "was lost",
    FailureKind.FROZEN: "is frozen: its process was stopped (SIGSTOP or Ctrl-Z)",
    FailureKind.STUCK: "is alive but does not go on",
    FailureKind.LEFT: "has ended, and others still need it",
    FailureKind.ORPHANED: "lost a process that runs beside it",
    FailureKind.DISCONNECTED: "lost its connections to the other tasks, which are all there",
    FailureKind.DIVERGED: "has left the loop that others are in",
}


@final
@dataclass(frozen=True)
class JobFailure:
    """The first failure of a job; failures that follow from it are not reported.

    task: such as `worker:1`. step, phase: where it was. text: further facts. waited: seconds until the failure was noticed.
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
        """Returns the fields of a message."""
        return asdict(self)

    @classmethod
    def from_json(cls, fields: dict[str, Any]) -> "JobFailure":
        """Returns the failure in a message."""
        return cls(**{**fields, "kind": FailureKind(fields["kind"]), "phase": Phase(fields["phase"])})

    def description(self) -> str:
        """Returns one or more lines for logs and errors."""
        where = f"in step {self.step}, phase {self.phase}"
        after = f" Noticed after {self.waited:.1f} s." if self.waited >= 0.05 else ""
        text = f"\n{self.text.rstrip()}" if "\n" in self.text else f" {self.text}" if self.text else ""
        process = f", pid {self.pid}" if self.pid else ""  # other tasks do not know the hub's
        return f"{self.task} (rank {self.rank}, {self.host}{process}) {_DESCRIPTIONS[self.kind]} {where}.{after}{text}"

    def error(self, task: str, step: int) -> PeerFailedError:
        """Returns the error that another task raises."""
        kind = PeerStuckError if self.kind in (FailureKind.STUCK, FailureKind.FROZEN) else PeerFailedError
        return kind(
            f"{self.description()}\n{self._consequence(task, step)}",
            task=self.task,
            step=self.step,
            phase=str(self.phase),
            waited=self.waited,
        )

    def _consequence(self, task: str, step: int) -> str:
        """Returns what this means for another task, and what to do."""
        if self.kind is not FailureKind.LEFT:
            again = "Start the job again: it goes on from its last checkpoint if it restores one."
            return f"So {task} cannot go on in step {step}. {again}"
        call = call_of_program()
        calls = f"calls {call}" if call else "goes on"
        return (
            f"The program of {self.task} has ended without an error, and {task} {calls} in step {step}: all workers have to "
            "call fit, evaluate, predict, save and steps, equally often. Move it out of a test of the task's index, or let all "
            "loops end after the same number of steps (max_steps, steps_per_epoch). To start the job again does not help."
        )
