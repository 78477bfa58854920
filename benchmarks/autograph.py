"""What do Python's statements cost in compiled functions? Programs with `if`, `while` and `for` against the same without."""

import time
from collections.abc import Callable
from pathlib import Path

import click
import jax
import numpy as np
from parts.decisions import PROGRAMS, Run
from parts.paired import Timer
from parts.report import options, reported

import stratagem as tf

WITH, WITHOUT = "with statements", "without"
TARGETS = {WITHOUT: 1.1}


def running(run: Run) -> Timer:
    """Runs a program that is compiled."""

    def timer(times: int) -> float:
        start = time.perf_counter()
        for _ in range(times):
            result = run()
        jax.block_until_ready(result)
        return time.perf_counter() - start

    return timer


def compiling(make: Callable[[], Run]) -> Timer:
    """Makes a program and runs it for the first time."""

    def timer(times: int) -> float:
        seconds = 0.0
        for _ in range(times):
            run = make()
            start = time.perf_counter()
            jax.block_until_ready(run())
            seconds += time.perf_counter() - start
        return seconds

    return timer


@click.command()
@options(15)
@click.option("--compilations", default=7, show_default=True, type=click.IntRange(2), help="The rounds of first calls.")
def main(rounds: int, folder: Path, compilations: int) -> None:
    """Print the ratios of run times and of first calls, and whether they meet the target."""
    with reported("autograph", folder) as report:
        for name, (with_statements, without) in PROGRAMS.items():
            tf.random.set_seed(0)
            calls = {WITH: running(with_statements()), WITHOUT: running(without())}
            report.compare(f"{name}, run", calls, rounds=rounds, steps=1, warm_up=1, targets=TARGETS)
            calls = {WITH: compiling(with_statements), WITHOUT: compiling(without)}
            report.compare(f"{name}, first call", calls, rounds=compilations, steps=1, warm_up=1, targets=TARGETS)
        start = time.perf_counter()
        text = tf.autograph.to_code(_converted)
        report.say(f"a conversion, once for a function's code: {(time.perf_counter() - start) * 1000:.0f} ms")
        assert "while_stmt" in text, "the function was not converted"


def _converted(x: float) -> float:
    while x > 1.0:
        x = x / 2.0 if x > 8.0 else x - 1.0
    return float(np.float32(x))


if __name__ == "__main__":
    main()
