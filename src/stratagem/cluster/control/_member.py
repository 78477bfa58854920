"""What the hub knows of the tasks, and who of them is to blame when others wait."""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, final

from stratagem._job import Phase
from stratagem.cluster.control._failure import Failure, Kind
from stratagem.cluster.control._limits import Limits
from stratagem.cluster.control._wire import MOST_BYTES, Channel, Message

_ROOM = 1 << 20  # in a frame, for what is beside the values


@final
@dataclass(eq=False)
class Member:
    """A task as its supervisor tells it. `entered` is when it entered its phase, on this machine's clock."""

    rank: int
    task: str
    host: str
    pid: int
    channel: Channel
    heard: float
    entered: float
    step: int = 0
    phase: Phase = Phase.STARTING
    left: bool = False  # it ended as it should
    gone: bool = False  # its supervisor, too

    def failure(self, kind: Kind, text: str, waited: float = 0.0) -> Failure:
        """That this task failed, where it is now."""
        place = (self.step, self.phase, text, self.host, self.pid, waited)
        return Failure(self.task, self.rank, kind, *place)


@final
@dataclass
class Agreement:
    """The values that tasks have given under one name, by rank."""

    name: str
    begun: float
    values: dict[int, Any] = field(default_factory=dict)

    def answer(self) -> Message:
        """To all tasks, once all have given theirs. Equal values, which is what most are, go out once."""
        distinct: dict[str, int] = {}
        which = [distinct.setdefault(json.dumps(self.values[rank]), len(distinct)) for rank in sorted(self.values)]
        size = sum(map(len, distinct))
        if size > MOST_BYTES - _ROOM:
            text = f"The tasks' values of {self.name} have {size} bytes together; {MOST_BYTES - _ROOM} is the most."
            return {"op": "agreed", "name": self.name, "refused": text}
        values = [json.loads(text) for text in distinct]
        return {"op": "agreed", "name": self.name, "values": values, "which": which}


def stuck(
    members: Collection[Member], agreements: Mapping[str, Agreement], limits: Limits, now: float
) -> Failure | None:
    """The failure of the job when tasks have waited too long for one that does not do its part."""
    for agreement in agreements.values():
        if now - agreement.begun > limits.collective:
            late = [m for m in members if m.rank not in agreement.values]
            text = f"The others wait for its part in: {agreement.name}."
            return _blame(late, limits, now, now - agreement.begun, text)
    here = [m for m in members if not m.left and m.phase == Phase.COLLECTIVE]
    waiting = [m for m in here if now - m.entered > limits.collective]
    if not waiting:
        return None
    longest = max(waiting, key=lambda m: now - m.entered)
    late = [m for m in members if m not in here or m.step < longest.step]
    text = f"{longest.task} waits in step {longest.step}."
    return _blame(late or [longest], limits, now, now - longest.entered, text)


def _blame(late: Iterable[Member], limits: Limits, now: float, waited: float, text: str) -> Failure | None:
    late = list(late)
    if any(m.phase == Phase.COMPILING and now - m.entered < limits.compile for m in late):
        return None
    culprit = min(late, key=lambda m: (m.step, m.entered))  # who went least far
    return culprit.failure(Kind.LEFT if culprit.left else Kind.STUCK, text, waited)
