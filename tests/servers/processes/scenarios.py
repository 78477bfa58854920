"""Faults of jobs with parameter servers: one trial each, from a seed that chooses task and moment."""

import contextlib
import json
import random
import signal
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import psutil

from tests.multi_worker.jobs import PATIENCE, Ended, Running, printed
from tests.multi_worker.scenarios import Trial
from tests.servers.processes import frames
from tests.servers.processes.following import SERVERS, WORKERS, Following, ends_well, following

RANKS = range(1, 1 + WORKERS)  # of workers: rank 0 is the chief's
EXAMPLES = 240  # of an evaluation, whose labels are their numbers
LABELS = range(EXAMPLES)
FRAMES = 10_000  # that strangers send
MEMORY = 256 << 20  # bytes that a process may take more because of them


@final
@dataclass(frozen=True)
class Paced(Trial):
    """throughput: of steps, as a share of what it was without the fault."""

    throughput: float


def trial(
    seed: int, fault: Callable[[Following, random.Random], float], *, goes_on: bool = True, **variables: str
) -> Trial:
    """A job that suffers a fault, which says how long it took to be found, and then, if it goes on, ends well."""
    began = time.monotonic()
    with following(seed, **variables) as started:
        detection = fault(started, random.Random(seed))
        if goes_on:
            ends_well(started)
    return Trial(time.monotonic() - began, detection)


def some_time_later(started: Following, random_: random.Random) -> Following:
    """The job, somewhere in a round."""
    time.sleep(random_.uniform(0.0, 0.5))
    return started


def worker_killed(seed: int) -> Trial:
    """P1: SIGKILL of a worker at a random moment of a round, or between two; it comes back. Detection: until it works."""
    return trial(seed, lose_a_worker)


def lose_a_worker(started: Following, random_: random.Random) -> float:
    """Seconds until another process works in its place."""
    before = started.all_work()
    rank = random_.choice(RANKS)
    with started.resting() if random_.random() < 0.3 else contextlib.nullcontext():
        time.sleep(random_.uniform(0.0, 0.3))
        killed = time.monotonic()
        started.kill_worker(rank)
    started.all_work_again(before)
    return time.monotonic() - killed


def workers_killed(seed: int) -> Trial:
    """P2: SIGKILL of two workers at once, of two or three. Detection: until all work."""
    random_, began = random.Random(seed), time.monotonic()
    with following(seed, random_.choice((2, 3))) as started:
        detection = lose_two_workers(started, random_)
        ends_well(started)
    return Trial(time.monotonic() - began, detection)


def lose_two_workers(started: Following, random_: random.Random) -> float:
    """Seconds until other processes work in their places."""
    before = started.all_work()
    time.sleep(random_.uniform(0.0, 0.3))
    killed = time.monotonic()
    for rank in random_.sample(range(1, 1 + started.workers), 2):
        started.kill_worker(rank)
    started.all_work_again(before, 2)
    return time.monotonic() - killed


def worker_killed_often(seed: int) -> Paced:
    """P2: the same worker five times. Within 10 s of its return, the steps are as fast as before (95 %)."""
    random_, began, back, pace = random.Random(seed), time.monotonic(), 0.0, []
    with following(seed, PAUSE="0.05") as started:
        rank, usual = random_.choice(RANKS), started.pace(7)
        for _ in range(5):
            before = started.all_work()
            time.sleep(random_.uniform(0.0, 0.3))
            killed = time.monotonic()
            started.kill_worker(rank)
            started.all_work_again(before)
            returned = time.monotonic()
            back = max(back, returned - killed)
            while (found := usual / started.pace(3)) < 0.95:
                assert time.monotonic() - returned < 10.0, f"after 10 s {found:.2f} of what it was"
            pace.append(found)
        ends_well(started)
    return Paced(time.monotonic() - began, back, min(pace))


def worker_slow(seed: int) -> Paced:
    """P7, first half: the data of one of four workers takes five times as long. The others do its work."""
    random_, began = random.Random(seed), time.monotonic()
    shares = []
    with following(seed, 4, PAUSE="0.1", ROUND="400") as started:
        for _ in range(3):
            usual = started.pace(1)
            started.tell("slow", str(random_.choice(started.rounds()[-1][2])))
            started.wait_for_rounds()  # it began before
            shares.append(usual / started.pace(1))
            (started.folder / "slow").unlink()
            started.wait_for_rounds()
        share = statistics.median(shares)
        assert share >= 0.75, shares
        ends_well(started)
    return Paced(time.monotonic() - began, 0.0, share)


def worker_frozen(seed: int) -> Trial:
    """SIGSTOP of the process that takes a worker's steps: others do its work; it goes on and works again."""
    return trial(seed, lambda started, r: freeze_a_worker(started, r, 2), STRATAGEM_HEARTBEAT_SECONDS="2")


def freeze_a_worker(started: Following, random_: random.Random, heartbeat: int) -> float:
    """Seconds until others had done its work."""
    victim = psutil.Process(random_.choice(started.all_work()))
    victim.suspend()
    found = started.wait_for_rounds(3, lambda who: victim.pid not in who)
    victim.resume()
    started.wait_for_rounds(1, lambda who: victim.pid in who)
    assert f"has not answered for {heartbeat} s" in started.running.output(0)
    return found


def evaluation_disturbed(seed: int) -> Trial:
    """P10: SIGKILL of a worker in the middle of an evaluation, which counts every example once."""
    return trial(seed, lose_a_worker_in_an_evaluation)


def lose_a_worker_in_an_evaluation(started: Following, random_: random.Random) -> float:
    """Seconds until the evaluation has ended."""
    before = started.all_work()
    told = started.running.output(0).count("evaluating\n")
    started.tell("evaluate")
    started.wait_for_more("evaluating\n", told)
    time.sleep(random_.uniform(0.0, 0.3))
    killed = time.monotonic()
    started.kill_worker(random_.choice(RANKS))
    started.wait_for_more("evaluated ", told)
    detection = time.monotonic() - killed
    line = [x for x in started.running.output(0).splitlines() if x.startswith("evaluated ")][-1]
    assert json.loads(line.removeprefix("evaluated ")) == [sum(x**power for x in LABELS) for power in range(3)]
    started.all_work_again(before)
    return detection


def fuzzed(seed: int) -> Trial:
    """A4: strangers send frames to every port of a job; nothing of them is run, nobody ends, and the job goes on."""
    return trial(seed, lambda started, _: send_frames(started, FRAMES, seed))


def send_frames(started: Following, number: int, seed: int) -> float:
    """Seconds until the job has taken steps as before."""
    running, canary = started.running, started.folder / "canary"
    processes, addresses = settled(started)
    memory = {process: process.memory_info().rss for process in processes}
    began = time.monotonic()
    assert len(addresses) > len(running.processes)
    careless = {address for address in addresses if not frames.asks_for_the_token(address, canary)}
    assert not careless, (careless, addresses, frames.listening(running))
    links = frames.links(running)
    assert links, "workers call the servers of their machine past Ray"
    frames.flood([*addresses, *links], number, seed, canary)
    started.all_work()
    detection = time.monotonic() - began
    assert not canary.exists()
    assert set(memory) <= set(running.everything())
    assert [process for process, before in memory.items() if process.memory_info().rss > before + MEMORY] == []
    assert frames.listening(running) == addresses
    return detection


def settled(started: Following) -> tuple[set[psutil.Process], list[tuple[str, int]]]:
    """The processes of a job, and where they listen, once none has begun or ended for some time, as after a loss some do."""
    running, before, end = started.running, None, time.monotonic() + PATIENCE
    while True:
        found = set(running.everything()), frames.listening(running)
        if found == before:
            return found
        assert time.monotonic() < end, (before, found)
        before = found
        time.sleep(6.0)
        started.all_work()


def server_killed(seed: int) -> Trial:
    """P3, as far as TF has it: SIGKILL of a server ends the job with one error that names it."""
    return trial(seed, kill_server, goes_on=False)


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
    found = trial(seed, lambda started, r: kill_head(some_time_later(started, r).running), goes_on=False)
    assert found.detection < 30.0, f"{found.detection:.2f} s"
    return found


def kill_head(running: Running) -> float:
    """Kill Ray's first process, and see how the job ends: seconds until the coordinator has told."""
    (head,) = [p for p in running.everything() if p.name() == "gcs_server"]
    killed = time.monotonic()
    head.kill()
    while "errors.UnavailableError: Ray's " not in running.output(0):
        assert time.monotonic() - killed < PATIENCE, running.output(0)
        time.sleep(0.02)
    detection = time.monotonic() - killed
    ended = running.ended()
    assert [task.code for task in ended] == [1] * len(ended), ended
    return detection


def coordinator_killed(seed: int) -> Trial:
    """P5, first half: another coordinator takes the job over; what the first one's workers still do changes nothing."""
    return trial(seed, lambda started, r: replace_the_coordinator(some_time_later(started, r)))


def replace_the_coordinator(started: Following) -> float:
    """Seconds until the next one has seen two rounds."""
    killed = time.monotonic()
    started.running.kill_and_start_again(0)
    started.wait_for_rounds(3)  # the first one of them may be the old one's
    return time.monotonic() - killed
