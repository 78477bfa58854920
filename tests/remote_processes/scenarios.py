"""Faults of jobs with parameter servers: one trial each, from a seed that chooses task and moment."""

import json
import random
import signal
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import final

import psutil

from tests.multi_worker.jobs import PATIENCE, Ended, Running, job, printed
from tests.multi_worker.scenarios import Trial

PROGRAMS = Path(__file__).parent / "programs"
WORKERS, SERVERS = 2, 2
RANKS = range(1, 1 + WORKERS)  # of workers: rank 0 is the chief's


@final
@dataclass(frozen=True)
class Following:
    """A job that trains in rounds (programs/following.py), and the folder that tells it what to do."""

    running: Running
    folder: Path

    def tell(self, what: str) -> None:
        """Let the coordinator know."""
        (self.folder / what).touch()

    def rounds(self) -> list[tuple[int, float, list[int]]]:
        """Of each so far: steps since the beginning, seconds, the processes that took its steps."""
        lines = self.running.output(0).splitlines(keepends=True)
        return [json.loads(x.removeprefix("round ")) for x in lines if x.startswith("round ") and x.endswith("\n")]

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
        self.wait_for_rounds(1, lambda who: len(who) == WORKERS)
        return self.rounds()[-1][2]

    def kill_worker(self, rank: int) -> None:
        """SIGKILL of a worker's task, and of the process that takes its steps; both are started again."""
        self.running.kill_and_start_again(rank)

    def applied_exactly(self) -> None:
        """End the rounds: every step was applied once, on all servers."""
        self.tell("stop")
        self.running.wait_for(0, "applied ")
        (line,) = [x for x in self.running.output(0).splitlines() if x.startswith("applied ")]
        scheduled, applied = json.loads(line.removeprefix("applied "))
        assert applied == [scheduled] * len(applied)


@contextmanager
def following(seed: int, **variables: str) -> Iterator[Following]:
    """The job, its tasks started in an order that the seed says, once all workers take steps."""
    ranks = range(1 + WORKERS + SERVERS)
    order = random.Random(seed).sample(ranks, len(ranks))
    with tempfile.TemporaryDirectory(prefix="stratagem-soak-") as folder:
        program = PROGRAMS / "following.py"
        with job(program, WORKERS, folder, ps=SERVERS, order=order, **variables) as running:
            started = Following(running, Path(folder))
            running.wait_for(0, "coordinator ")
            started.all_work()
            yield started


def worker_killed(seed: int, times: int = 1) -> Trial:
    """P1, P2: SIGKILL of a worker at a random moment of a round, or between two; it comes back. Detection: until it works."""
    random_, began, back = random.Random(seed), time.monotonic(), 0.0
    with following(seed) as started:
        rank = random_.choice(RANKS)
        for _ in range(times):
            before = set(started.all_work())
            if random_.random() < 0.3:
                started.tell("rest")
                started.running.wait_for(0, "resting")
            time.sleep(random_.uniform(0.0, 0.3))
            killed = time.monotonic()
            started.kill_worker(rank)
            started.wait_for_rounds(2, lambda who, before=before: len(who) == WORKERS and set(who) != before)
            (started.folder / "rest").unlink(missing_ok=True)
            back = max(back, time.monotonic() - killed)
        started.applied_exactly()
        ended = started.running.ended()
    assert [task.code for task in ended] == [0] * len(ended), ended
    return Trial(time.monotonic() - began, back)


def worker_killed_often(seed: int) -> Trial:
    """P2: the same worker five times."""
    return worker_killed(seed, 5)


def worker_frozen(seed: int) -> Trial:
    """SIGSTOP of the process that takes a worker's steps: others do its work; it goes on and works again."""
    random_, began = random.Random(seed), time.monotonic()
    with following(seed, STRATAGEM_HEARTBEAT_SECONDS="2") as started:
        victim = psutil.Process(random_.choice(started.all_work()))
        victim.suspend()
        found = started.wait_for_rounds(3, lambda who: victim.pid not in who)
        victim.resume()
        started.wait_for_rounds(1, lambda who: victim.pid in who)
        assert "has not answered for 2 s" in started.running.output(0)
        started.applied_exactly()
        ended = started.running.ended()
    assert [task.code for task in ended] == [0] * len(ended), ended
    return Trial(time.monotonic() - began, found)


def server_killed(seed: int) -> Trial:
    """P3, as far as TF has it: SIGKILL of a server ends the job with one error that names it."""
    began = time.monotonic()
    with following(seed) as started:
        detection = kill_server(started, random.Random(seed))
    return Trial(time.monotonic() - began, detection)


def kill_server(started: Following, random_: random.Random) -> float:
    """Kill a server, and see how the job ends: seconds until the coordinator has told."""
    index = random_.randrange(SERVERS)
    started.tell("more")
    started.applied_exactly()
    time.sleep(random_.uniform(0.0, 0.5))
    killed = time.monotonic()
    started.running.processes[1 + WORKERS + index].kill()
    started.running.wait_for(0, "lost ")
    detection = time.monotonic() - killed
    ended = started.running.ended()
    check_lost(ended, index)
    return detection


def check_lost(ended: list[Ended], index: int) -> None:
    """One typed error that names the server, at every use; the others leave."""
    chief, lost = ended[0], 1 + WORKERS + index
    assert chief.code == 1, chief.output
    assert f"ps:{index} is gone" in printed(chief, "lost")
    assert printed(chief, "raised") == 4
    assert chief.output.count("Traceback (most recent call last)") == 1, chief.output
    assert ended[lost].code == -signal.SIGKILL
    assert [task.code for i, task in enumerate(ended) if i not in (0, lost)] == [0] * (len(ended) - 2), ended


def head_killed(seed: int) -> Trial:
    """P6: SIGKILL of Ray's first process: every task ends with an error, the coordinator within 30 s."""
    began = time.monotonic()
    with following(seed) as started:
        (head,) = [p for p in started.running.everything() if p.name() == "gcs_server"]
        time.sleep(random.Random(seed).uniform(0.0, 0.5))
        killed = time.monotonic()
        head.kill()
        while "_errors.UnavailableError: Ray's " not in started.running.output(0):
            assert time.monotonic() - killed < 30.0, started.running.output(0)
            time.sleep(0.02)
        detection = time.monotonic() - killed
        ended = started.running.ended()
    assert [task.code for task in ended] == [1] * len(ended), ended
    return Trial(time.monotonic() - began, detection)


def coordinator_killed(seed: int) -> Trial:
    """P5, first half: another coordinator takes the job over; what the first one's workers still do changes nothing."""
    began = time.monotonic()
    with following(seed) as started:
        time.sleep(random.Random(seed).uniform(0.0, 0.5))
        killed = time.monotonic()
        before = len(started.rounds())
        started.running.kill_and_start_again(0)
        while len(started.rounds()) <= before + 2:
            assert time.monotonic() - killed < PATIENCE, started.running.output(0)
            time.sleep(0.05)
        detection = time.monotonic() - killed
        started.applied_exactly()
        ended = started.running.ended()
    assert [task.code for task in ended] == [0] * len(ended), ended
    return Trial(time.monotonic() - began, detection)
