#!/usr/bin/env python3
"""Run fault scenarios many times, each with its own seed, and print how many were passed and how fast faults were found.

The scenarios are those of the test suite, which runs each of them a few times. A trial that fails prints its seed: run it
alone with `--only NAME --first SEED --trials 1`. "C10" and "C11" need what `tests/checkpoints/object_server.py` names.
"""

import argparse
import atexit
import functools
import logging
import os
import statistics
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]
os.environ.setdefault("KERAS_BACKEND", "jax")

import pytest  # noqa: E402

from tests.checkpoints import scenarios as checkpoints  # noqa: E402
from tests.checkpoints.object_server import Gateway, object_server  # noqa: E402
from tests.checkpoints.saving import Savers  # noqa: E402
from tests.damage import readers  # noqa: E402
from tests.multi_worker import scenarios as jobs  # noqa: E402
from tests.servers.processes import scenarios as served  # noqa: E402
from tests.training import scenarios as fits  # noqa: E402


@dataclass(frozen=True)
class Scenario:
    """One fault.

    run: one trial, from a seed: how many seconds it took and how many until the fault was detected; and of a trial that
        measures it, the throughput, as a share of what it was without the fault. Raises when the trial fails.
    trials: how many the documents ask for.
    """

    run: Callable[[int], tuple[float, ...]]
    trials: int


@functools.cache
def _savers() -> Savers:
    savers = Savers()
    atexit.register(savers.close)
    return savers


@functools.cache
def _returning() -> fits.Returning:
    program = fits.Returning()
    atexit.register(program.close)
    return program


@functools.cache
def _object_server() -> Gateway:
    running = object_server()
    atexit.register(running.__exit__, None, None, None)
    return running.__enter__()


def _in_a_directory(trial: Callable[[int, Path], checkpoints.Trial]) -> Callable[[int], tuple[float, float]]:
    def run(seed: int) -> tuple[float, float]:
        with tempfile.TemporaryDirectory(prefix="stratagem-soak-") as directory:
            result = trial(seed, Path(directory) / "ckpts")
        return result.seconds, result.detection

    return run


def _any_damage(seed: int, directory: Path) -> checkpoints.Trial:
    names = list(checkpoints.DAMAGES)
    return checkpoints.damaged(seed, directory, names[seed % len(names)])


def _killed_often(background: bool, format: str, seed: int, directory: Path) -> checkpoints.Trial:
    return checkpoints.killed_often(seed, directory, _savers(), background=background, format=format)


def _damaged_file(name: str, seed: int, directory: Path) -> checkpoints.Trial:
    return readers.damaged_file(seed, directory, name)


def _job(trial: Callable[[int], jobs.Trial | checkpoints.Trial]) -> Callable[[int], tuple[float, ...]]:
    def run(seed: int) -> tuple[float, ...]:
        result = trial(seed)
        measured = (result.throughput,) if isinstance(result, served.Paced) else ()
        return result.seconds, result.detection, *measured

    return run


# Name → scenario. The names begin with the numbers of the fault table in docs/reliability.md.
SCENARIOS: dict[str, Scenario] = {
    "A4 fuzzed frames": Scenario(_job(served.fuzzed), 1),
    "C1 killed while saving": Scenario(
        _in_a_directory(lambda seed, path: checkpoints.killed_while_saving(seed, path, _savers())), 100
    ),
    **{
        f"{row} killed often{form}": Scenario(_in_a_directory(functools.partial(_killed_often, background, format)), 12)
        for row, background in (("C1", False), ("C8", True))
        for form, format in (("", "stratagem"), (", TensorFlow's format", "tensorflow"))
    },
    "C2 one flipped bit": Scenario(_in_a_directory(checkpoints.flipped_bit), 100),
    "C3 damaged step": Scenario(_in_a_directory(_any_damage), 100),
    "C3 stale traces": Scenario(_in_a_directory(checkpoints.stale_traces), 20),
    "C4 failing disk": Scenario(_in_a_directory(checkpoints.failing_disk), 100),
    "C5 fit killed": Scenario(_job(fits.killed_fit), 20),
    "C6 second job": Scenario(_in_a_directory(lambda seed, path: checkpoints.second_job(seed, path, _savers())), 20),
    "C7 killed after fit": Scenario(_job(lambda seed: fits.killed_after_fit(seed, _returning())), 100),
    "C8 killed while saving in the background": Scenario(
        _in_a_directory(lambda seed, path: checkpoints.killed_while_saving(seed, path, _savers(), background=True)), 100
    ),
    "C9 any file damaged": Scenario(_in_a_directory(checkpoints.any_file_damaged), 300),
    "C10 object server ends": Scenario(_job(lambda seed: checkpoints.object_server_ends(seed, _object_server())), 100),
    "C11 workers save to an object server": Scenario(
        _job(lambda seed: jobs.workers_save_to_an_object_server(seed, _object_server())), 10
    ),
    **{f"D {name}": Scenario(_in_a_directory(functools.partial(_damaged_file, name)), 600) for name in readers.READERS},
    "F1 worker killed": Scenario(_job(jobs.killed), 20),
    "F2 chief killed": Scenario(_job(jobs.chief_killed), 20),
    "F2 service killed": Scenario(_job(jobs.service_killed), 20),
    "F2 supervisor killed": Scenario(_job(jobs.supervisor_killed), 20),
    "F3 worker frozen": Scenario(_job(jobs.frozen), 20),
    "F4 worker stuck": Scenario(_job(jobs.stuck), 20),
    "F5 worker late": Scenario(_job(jobs.late), 3),
    "F7 worker pre-empted": Scenario(_job(jobs.preempted), 20),
    "F8 worker raises": Scenario(_job(jobs.raised), 20),
    "P1 worker killed": Scenario(_job(served.worker_killed), 20),
    "P2 worker killed five times": Scenario(_job(served.worker_killed_often), 20),
    "P2 two workers killed": Scenario(_job(served.workers_killed), 20),
    "P ps killed": Scenario(_job(served.server_killed), 20),
    "P5 coordinator killed": Scenario(_job(served.coordinator_killed), 20),
    "P6 Ray's head killed": Scenario(_job(served.head_killed), 20),
    "P7 worker slow": Scenario(_job(served.worker_slow), 3),
    "P10 killed in evaluation": Scenario(_job(served.evaluation_disturbed), 20),
    "P worker frozen": Scenario(_job(served.worker_frozen), 20),
    "S6 ends drift": Scenario(_job(jobs.drifting), 20),
}


def soak(name: str, scenario: Scenario, first: int, trials: int) -> bool:
    """Run the trials and print one line; True if all were passed."""
    seconds, detections, shares, began = [], [], [], time.perf_counter()
    for seed in range(first, first + trials):
        try:
            took, detection, *measured = scenario.run(seed)
        except (Exception, pytest.fail.Exception):
            print(f"{name}: seed {seed} failed", flush=True)
            traceback.print_exc()
            continue
        seconds.append(took)
        detections.append(detection)
        shares += measured
    line = f"{name:24} {len(seconds):4d}/{trials:<4d}"
    if detections:
        p95 = sorted(detections)[int(0.95 * (len(detections) - 1))]
        middle, worst = statistics.median(detections), max(detections)
        line += f" detected in {middle:7.3f} s (p95 {p95:7.3f} s, worst {worst:7.3f} s)"
    if shares:
        line += f", throughput {statistics.median(shares):.0%} (worst {min(shares):.0%})"
    print(f"{line}  {time.perf_counter() - began:6.0f} s in all", flush=True)
    return len(seconds) == trials


def main() -> int:
    """Run what was asked for; 0 if every trial was passed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", default="", help="run the scenarios whose names contain this")
    parser.add_argument("--trials", type=int, help="trials of each scenario (default: each one's own number)")
    parser.add_argument("--first", type=int, default=1000, help="the first seed (default: 1000)")
    options = parser.parse_args()
    chosen = {name: scenario for name, scenario in SCENARIOS.items() if options.only in name}
    if not chosen:
        parser.error(f"no scenario's name contains {options.only!r}: {', '.join(SCENARIOS)}")
    commit = subprocess.run(["git", "rev-parse", "--short", "HEAD"], cwd=ROOT, capture_output=True, text=True)
    print(
        f"commit {commit.stdout.strip() or 'unknown'}, {os.cpu_count()} cores, seeds from {options.first}", flush=True
    )
    logging.disable(logging.WARNING)  # every fault is told in a warning
    results = [soak(name, each, options.first, options.trials or each.trials) for name, each in chosen.items()]
    return 0 if all(results) else 1


if __name__ == "__main__":
    raise SystemExit(main())
