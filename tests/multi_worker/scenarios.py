"""The faults of docs/reliability.md in a job that trains: one trial each, from a seed that chooses task and step."""

import random
import re
import signal
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass

import psutil

from tests.checkpoints.object_server import Gateway
from tests.multi_worker.jobs import Ended, Running, job, printed

WORKERS = 4
HEARTBEAT, COLLECTIVE = 2.0, 4.0  # seconds
EPOCHS, STEPS, EXIT_CODE = 8, 15, 42  # of a job that is pre-empted
_ERROR = re.compile(r"^stratagem\._base\.errors\.(\w+): (.*)", re.MULTILINE)
_PATIENCE = 120.0


@dataclass(frozen=True)
class Trial:
    """How long a trial took, and how long it was from the fault until the last survivor raised its error (seconds)."""

    seconds: float
    detection: float


def killed(seed: int) -> Trial:
    """F1: SIGKILL of a worker in the middle of training."""
    return _faulty(seed, "kill", random.Random(seed).randrange(1, WORKERS), "PeerFailedError", "was lost in step", 2.0)


def chief_killed(seed: int) -> Trial:
    """F2: SIGKILL of worker 0, beside which the hub and the coordination service run."""
    return _faulty(seed, "kill", 0, "PeerFailedError", "was lost in step", 2.0)


def workers_save_to_an_object_server(seed: int, server: Gateway) -> Trial:
    """C11: two workers save in the background to a server that fails one request in ten, then the chief's disk is full."""
    began = time.perf_counter()
    server.rng, server.ends_after = random.Random(seed), None
    with job("saving.py", 2, f"s3://box/workers-{seed}", alone=True) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0, 0], ended
    (found, first), (other, second) = (printed(task, "results") for task in ended)
    assert found == other == [8.0, 14.0, 20.0]
    assert "No space left on device" in first
    assert second.startswith("AbortedError: worker:0 could not save its part")
    return Trial(time.perf_counter() - began, 0.0)


def service_killed(seed: int) -> Trial:
    """F2: SIGKILL of the coordination service."""
    return _killed_beside(seed, _service, "JAX's coordination service has ended")


def supervisor_killed(seed: int) -> Trial:
    """F2: SIGKILL of the supervisor of some task."""
    return _killed_beside(seed, _supervisor, "supervisor")


def frozen(seed: int) -> Trial:
    """F3: SIGSTOP of a worker."""
    limits = {"STRATAGEM_HEARTBEAT_SECONDS": str(HEARTBEAT), "STRATAGEM_LEAVE_SECONDS": "1"}
    rank = random.Random(seed).randrange(WORKERS)
    return _faulty(seed, "stop", rank, "PeerStuckError", "is frozen", HEARTBEAT + 2.0, **limits)


def stuck(seed: int) -> Trial:
    """F4: a worker that sleeps for ever."""
    limits = {"STRATAGEM_COLLECTIVE_SECONDS": str(COLLECTIVE), "STRATAGEM_LEAVE_SECONDS": "1"}
    rank = random.Random(seed).randrange(WORKERS)
    return _faulty(seed, "stuck", rank, "PeerStuckError", "is alive but does not go on", COLLECTIVE + 2.0, **limits)


def late(seed: int) -> Trial:
    """F5: a worker that comes 45 s late, to its first step or in the middle, with the limits of no variable."""
    random_ = random.Random(seed)
    step = random_.choice([0, random_.randrange(1, 40)])
    began = time.monotonic()
    rank = random_.randrange(WORKERS)
    with job("training.py", WORKERS, 96, 12, "late", step, rank, LATE_SECONDS="45") as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * WORKERS, ended
    assert not any("stratagem._base.errors." in task.output for task in ended), ended
    return Trial(time.monotonic() - began, 0.0)


def preempted(seed: int) -> Trial:
    """F7: SIGTERM of a worker at some step; detection is the time until all have left."""
    random_ = random.Random(seed)
    with tempfile.TemporaryDirectory(prefix="stratagem-soak-") as folder:
        found = preempt(random_.randrange(WORKERS), random_.randrange(EPOCHS * STEPS - 20), WORKERS, folder)
    assert found.detection <= 10.0, f"{found.detection:.2f} s"
    return found


def preempt(rank: int, step: int, workers: int, folder: str) -> Trial:
    """A job of which one worker is told at this step that it will be ended, and the job that goes on after it."""
    began = time.monotonic()
    with job("preempted.py", workers, folder) as running:
        running.wait_for(rank, f"step {step + 1}\n")
        signalled = time.monotonic()
        running.processes[rank].send_signal(signal.SIGTERM)
        first = running.ended()
    assert [task.code for task in first] == [EXIT_CODE] * workers, first
    detection = max(task.at for task in first) - signalled
    with job("preempted.py", workers, folder) as running:
        second = running.ended()
    assert [task.code for task in second] == [0] * workers, second
    places = [printed(task, "began") for task in second]
    runs, counted = places[0]
    assert places == [places[0]] * workers  # the same step everywhere
    assert runs >= step
    assert counted == runs * workers
    assert [printed(task, "ended") for task in second] == [workers * EPOCHS * STEPS] * workers
    return Trial(time.monotonic() - began, detection)


def raised(seed: int) -> Trial:
    """F8: an exception of one worker."""
    rank = random.Random(seed).randrange(WORKERS)
    return _faulty(seed, "raise", rank, "PeerFailedError", "ValueError: a bug of the user's", 5.0)


def drifting(seed: int) -> Trial:
    """S6: workers end up to some seconds one after the other."""
    began = time.monotonic()
    with job("ending.py", WORKERS, random.Random(seed).uniform(0.0, 5.0)) as running:
        ended = running.ended()
    assert [task.code for task in ended] == [0] * WORKERS, ended
    return Trial(time.monotonic() - began, 0.0)


def _faulty(seed: int, fault: str, rank: int, kind: str, text: str, limit: float, **variables: str) -> Trial:
    step = random.Random(-seed).randrange(40)
    began = time.monotonic()
    with job("training.py", WORKERS, 96, 1000, fault, step, rank, **variables) as running:
        _wait(running, lambda: "failing" in running.output(rank))
        others = [i for i in range(WORKERS) if i != rank]
        detection = _until_told(running, others)
        ended = running.ended()
        for i in others:
            _check(ended[i], kind, f"worker:{rank} (rank {rank},", text)
    assert detection <= limit, f"{detection:.2f} s"
    return Trial(time.monotonic() - began, detection)


def _killed_beside(seed: int, victim: Callable[[Running, random.Random], psutil.Process], text: str) -> Trial:
    random_ = random.Random(seed)
    began = time.monotonic()
    with job("training.py", WORKERS, 96, 100_000) as running:
        _wait(running, lambda: all("[Gloo]" in running.output(i) for i in range(WORKERS)))
        time.sleep(random_.uniform(0.0, 4.0))
        victim(running, random_).kill()
        detection = _until_told(running, list(range(WORKERS)))
        for task in running.ended():
            _check(task, "PeerFailedError", "worker:", text)
    assert detection <= 5.0, f"{detection:.2f} s"
    return Trial(time.monotonic() - began, detection)


def _supervisor(running: Running, random_: random.Random) -> psutil.Process:
    (found,) = psutil.Process(random_.choice(running.processes).pid).children()
    return found


def _service(running: Running, random_: random.Random) -> psutil.Process:
    (found,) = psutil.Process(running.processes[0].pid).children()[0].children()
    return found


def _wait(running: Running, until: Callable[[], bool]) -> None:
    end = time.monotonic() + _PATIENCE
    while not until():
        assert time.monotonic() < end, [running.output(i) for i in range(len(running.processes))]
        time.sleep(0.002)


def _until_told(running: Running, ranks: list[int]) -> float:
    """Seconds until all of these have printed their error."""
    began = time.monotonic()
    _wait(running, lambda: all(_ERROR.search(running.output(rank)) for rank in ranks))
    return time.monotonic() - began


def _check(task: Ended, kind: str, *facts: str) -> None:
    """One typed error, and no abort."""
    assert task.code == 1, (signal.Signals(-task.code) if task.code < 0 else task.code, task.output)
    errors = _ERROR.findall(task.output)
    assert [name for name, _ in errors] == [kind], task.output
    told = task.output[task.output.rindex(errors[0][1]) :]
    for fact in facts:
        assert fact in told, task.output
