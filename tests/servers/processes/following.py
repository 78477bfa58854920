"""A job with parameter servers that trains in rounds, told what to do and watched from outside."""

import json
import random
import re
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

from tests.machines import Machine
from tests.multi_worker.jobs import PATIENCE, Running, job

PROGRAMS = Path(__file__).parent / "programs"
WORKERS, SERVERS = 2, 2
_ROUND = re.compile(r"^round (\[.*\])$", re.MULTILINE)


@final
@dataclass(frozen=True)
class Following:
    """A job that trains in rounds (programs/following.py), and the folder that tells it what to do."""

    running: Running
    folder: Path
    workers: int = WORKERS

    def tell(self, what: str, text: str = "") -> None:
        """Let the coordinator know."""
        (self.folder / what).write_text(text)

    def rounds(self) -> list[tuple[int, float, list[int]]]:
        """Of each so far: steps since the beginning, seconds, the processes that took its steps."""
        return [json.loads(found) for found in _ROUND.findall(self.running.output(0))]

    def wait_for_rounds(self, number: int = 1, until: Callable[[list[int]], bool] = bool) -> float:
        """Until so many more rounds have ended, and then one of whose processes `until` is true; the seconds."""
        before, began = len(self.rounds()), time.monotonic()
        while True:
            found = self.rounds()[before:]
            if len(found) >= number and until(found[-1][2]):
                return time.monotonic() - began
            assert time.monotonic() - began < PATIENCE, self.running.output(0)
            assert self.running.processes[0].poll() is None, self.running.output(0)
            time.sleep(0.02)

    def all_work(self) -> list[int]:
        """The processes of a round in which every worker takes steps."""
        self.wait_for_rounds(1, lambda who: len(who) == self.workers)
        return self.rounds()[-1][2]

    def all_work_again(self, before: list[int], lost: int = 1) -> list[int]:
        """The same, once so many of them are other processes than before."""
        self.wait_for_rounds(1, lambda who: len(who) == self.workers and len({*who} - {*before}) == lost)
        return self.rounds()[-1][2]

    def pace(self, rounds: int) -> float:
        """Seconds of the next rounds in which every worker takes steps, in the middle."""
        found: list[float] = []
        while len(found) < rounds:
            self.all_work()
            found.append(self.rounds()[-1][1])
        return statistics.median(found)

    def wait_for_more(self, text: str, told: int) -> None:
        """Until the coordinator has said this more often than so many times."""
        end = time.monotonic() + PATIENCE
        while self.running.output(0).count(text) <= told:
            assert self.running.processes[0].poll() is None, self.running.output(0)
            assert time.monotonic() < end, self.running.output(0)
            time.sleep(0.02)

    @contextmanager
    def resting(self) -> Iterator[None]:
        """Between two rounds: no worker has anything to do."""
        told = self.running.output(0).count("resting\n")
        self.tell("rest")
        self.wait_for_more("resting\n", told)
        yield
        (self.folder / "rest").unlink()

    def kill_worker(self, rank: int) -> None:
        """SIGKILL of a worker's task, and of the process that takes its steps; both are started again."""
        self.running.kill_and_start_again(rank)

    def applied_exactly(self) -> None:
        """End the rounds: every step was applied once, on all servers. Workers have looked up its words themselves."""
        self.tell("stop")
        self.running.wait_for(0, "looked up here ")  # the rest comes with it
        (line,) = [x for x in self.running.output(0).splitlines() if x.startswith("applied ")]
        scheduled, applied = json.loads(line.removeprefix("applied "))
        assert applied == [scheduled] * len(applied)
        (line,) = [x for x in self.running.output(0).splitlines() if x.startswith("looked up here ")]
        assert int(line.removeprefix("looked up here ")) <= 2 * self.workers, "more often than to trace the step"


@contextmanager
def following(
    seed: int, workers: int = WORKERS, machines: Sequence[Machine] = (), **variables: str
) -> Iterator[Following]:
    """The job, its tasks started in an order that the seed says, once all workers take steps."""
    ranks = range(1 + workers + SERVERS)
    order = random.Random(seed).sample(ranks, len(ranks))
    with tempfile.TemporaryDirectory(prefix="stratagem-soak-") as folder:
        program = PROGRAMS / "following.py"
        with job(program, workers, folder, ps=SERVERS, order=order, machines=machines, **variables) as running:
            started = Following(running, Path(folder), workers)
            running.wait_for(0, "coordinator ")
            started.all_work()
            yield started


def ends_well(started: Following) -> None:
    """Every step was applied once, and all tasks leave."""
    started.applied_exactly()
    ended = started.running.ended()
    assert [task.code for task in ended] == [0] * len(ended), ended
