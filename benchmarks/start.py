"""How long does a program take to start? The demo's second start with a compilation cache, and compilation with rewrites."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
from parts.networks import NETWORKS
from parts.report import Report, options, reported
from rewrites import compiled

from stratagem._core.rewrites import compiler_options

HERE = Path(__file__).parent


def start(cache: str, *command: str) -> tuple[float, float]:
    """The wall and the CPU seconds of one start of the demo, in a process of its own."""
    begin = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *command],
        cwd=HERE,
        env=os.environ | {"STRATAGEM_COMPILE_CACHE": cache},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with exit code {process.returncode}")
    return time.perf_counter() - begin, used.ru_utime + used.ru_stime


def compare_starts(report: Report, rounds: int) -> None:
    """Say the ratio of the demo's second start to a first, which has to compile everything."""
    demo = ("-m", "parts.start_child")
    with tempfile.TemporaryDirectory() as filled:
        start(filled, *demo)
        contenders = {"second start": lambda: start(filled, *demo), "first start": lambda: start("0", *demo)}
        found: dict[str, list[tuple[float, float]]] = {name: [] for name in contenders}
        for number in range(rounds):
            for name in list(contenders)[:: -1 if number % 2 else 1]:
                found[name].append(contenders[name]())
    for column, clock in enumerate(("wall", "CPU")):
        seconds = {name: [times[column] for times in all_times] for name, all_times in found.items()}
        report.keep(f"demo's start, {clock} time", seconds, {"first start": 0.5})


def compare_compilations(report: Report, rounds: int) -> None:
    """Say the ratio of the CPU time of every network's compilation with rewrites and options to that of one as XLA has it."""
    contenders = {
        "rewritten": lambda name: compiled(name, rewrites=True, options=compiler_options("cpu"))[1],
        "XLA as it is": lambda name: compiled(name, rewrites=False, options=None)[1],
    }
    for name in NETWORKS:
        seconds: dict[str, list[float]] = {contender: [] for contender in contenders}
        for number in range(rounds):
            for contender in list(contenders)[:: -1 if number % 2 else 1]:
                seconds[contender].append(contenders[contender](name))
        report.keep(f"compilation of {name}", seconds, {"XLA as it is": 1.3})


@click.command()
@click.option("--part", type=click.Choice(["starts", "compilations"]), help="One of the two; both if none is named.")
@options(5)
def main(part: str | None, rounds: int, folder: Path) -> None:
    """Print both ratios; below 1 ours is faster."""
    with reported("start", folder) as report:
        if part != "compilations":
            compare_starts(report, rounds)
        if part != "starts":
            compare_compilations(report, rounds)


if __name__ == "__main__":
    main()
