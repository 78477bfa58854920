"""Member and PendingAgreement: the progress of the tasks, and which of them is the cause when others wait."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, final

from stratagem._base.job import Phase
from stratagem._cluster.control._channel import MAX_FRAME_BYTES, Channel, Message
from stratagem._cluster.control._failure import FailureKind, JobFailure
from stratagem._cluster.control._limits import TimeLimits

_ROOM = 1 << 20  # bytes of a frame for everything but the values


@final
@dataclass(eq=False)
class Member:
    """A task, as its supervisor reports it. entered: when it entered its phase, on this machine's clock."""

    rank: int
    task: str
    host: str
    pid: int
    channel: Channel
    heard: float
    entered: float
    step: int = 0
    phase: Phase = Phase.STARTING
    left: bool = False  # the task ended regularly
    disconnected: bool = False  # its supervisor has ended the connection

    def failure(self, kind: FailureKind, text: str, waited: float = 0.0) -> JobFailure:
        """Returns a failure of this task, at its present step and phase."""
        place = (self.step, self.phase, text, self.host, self.pid, waited)
        return JobFailure(self.task, self.rank, kind, *place)


@final
@dataclass
class PendingAgreement:
    """The values that tasks have given under one name, by rank. begun: when the first one was given."""

    name: str
    begun: float
    values: dict[int, Any] = field(default_factory=dict)
    at: str = ""  # the place in the program, in words, if all have to reach it after the same number of steps
    steps: dict[int, int] = field(default_factory=dict)  # by rank: after how many steps each has reached it

    @property
    def description(self) -> str:
        """The agreement in words."""
        return self.at or self.name

    def answer(self) -> Message:
        """Returns the answer to all tasks, once all have given their values.

        Equal values, which are the rule, are sent once.
        """
        distinct: dict[str, int] = {}
        indices = [distinct.setdefault(json.dumps(self.values[rank]), len(distinct)) for rank in sorted(self.values)]
        size = sum(map(len, distinct))
        if size > MAX_FRAME_BYTES - _ROOM:
            text = (
                f"The tasks' values of {self.name} have {size} bytes together; {MAX_FRAME_BYTES - _ROOM} is the most."
            )
            return {"op": "agreed", "name": self.name, "refused": text}
        values = [json.loads(text) for text in distinct]
        return {"op": "agreed", "name": self.name, "values": values, "indices": indices}


def find_diverged(members: Collection[Member], agreements: Iterable[PendingAgreement]) -> JobFailure | None:
    """Returns a failure if a task has taken fewer steps than others at a place that all have to reach after equally many.

    This is found at once, without a time limit: the others are in a step that this task never takes.
    """
    for agreement in agreements:
        steps = agreement.steps
        first = min(steps, key=lambda rank: steps[rank], default=None)
        if first is None:
            continue
        # Who has ended its program is in no step, and is named as that.
        present = [m for m in members if m.rank in steps or not m.left]
        further = [m for m in present if steps.get(m.rank, m.step) > steps[first]]
        culprit = next((m for m in members if m.rank == first), None)
        if further and culprit is not None:
            other = max(further, key=lambda m: steps.get(m.rank, m.step))
            return culprit.failure(FailureKind.DIVERGED, _divergence(agreement, steps[first], other))
    return None


def _divergence(agreement: PendingAgreement, steps: int, other: Member) -> str:
    there = agreement.steps.get(other.rank, other.step)
    where = f"came here after {there}" if other.rank in agreement.steps else f"is in step {there}"
    return (
        f"It waits for the others ({agreement.description}) after {steps} steps, and {other.task} {where}. Do all tasks take "
        "the same number of steps, have as many batches, and leave their loops together?"
    )


def find_stuck(
    members: Collection[Member], agreements: Mapping[str, PendingAgreement], limits: TimeLimits, now: float
) -> JobFailure | None:
    """Returns a failure if tasks have waited too long for one that does not take part."""
    for agreement in agreements.values():
        if now - agreement.begun > limits.collective:
            late = [m for m in members if m.rank not in agreement.values]
            text = f"The others wait for its part in: {agreement.description}."
            return _blame(late, limits, now, now - agreement.begun, text)
    here = [m for m in members if not m.left and m.phase == Phase.COLLECTIVE]
    waiting = [m for m in here if now - m.entered > limits.collective]
    if not waiting:
        return None
    longest = max(waiting, key=lambda m: now - m.entered)
    late = [m for m in members if m not in here or m.step < longest.step]
    text = f"{longest.task} waits in step {longest.step}."
    return _blame(late or [longest], limits, now, now - longest.entered, text)


def _blame(late: Iterable[Member], limits: TimeLimits, now: float, waited: float, text: str) -> JobFailure | None:
    late = list(late)
    if any(m.phase == Phase.COMPILING and now - m.entered < limits.compile for m in late):
        return None
    culprit = min(late, key=lambda m: (m.step, m.entered))  # the task that is furthest behind
    return culprit.failure(FailureKind.LEFT if culprit.left else FailureKind.STUCK, text, waited)
