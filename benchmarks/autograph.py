"""What do Python's statements cost in compiled functions? Programs with `if`, `while` and `for` against the same without."""

import time
from collections.abc import Callable

import click
import jax
import numpy as np
from parts.decisions import PROGRAMS, Run
from parts.paired import Ratio, Timer, alternate, conditions, milliseconds, ratio

import stratagem as tf

TARGET = 1.1


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


def compared(name: str, timers: tuple[Timer, Timer], pairs: int) -> Ratio:
    """The ratio of a program with statements to that without."""
    seconds = alternate(dict(zip(("with", "without"), timers, strict=True)), rounds=pairs, steps=1, warm_up=1)
    found = ratio(seconds["with"], seconds["without"])
    click.echo(f"autograph: {name}: {found}; {milliseconds(seconds)}")
    return found


@click.command()
@click.option("--pairs", default=15, show_default=True, type=click.IntRange(2), help="How often the two alternate.")
@click.option("--compilations", default=7, show_default=True, type=click.IntRange(2), help="The same for first calls.")
def main(pairs: int, compilations: int) -> None:
    """Print the ratios of run times and of first calls, and whether they meet the target."""
    click.echo(f"autograph: with / without the statements, {conditions()}")
    slower = []
    for name, (with_statements, without) in PROGRAMS.items():
        tf.random.set_seed(0)
        found = [compared(f"{name}, run", (running(with_statements()), running(without())), pairs)]
        found.append(compared(f"{name}, first call", (compiling(with_statements), compiling(without)), compilations))
        slower += [name for each in found if each.median > TARGET]
    start = time.perf_counter()
    text = tf.autograph.to_code(_converted)
    click.echo(f"autograph: a conversion, once for a function's code: {(time.perf_counter() - start) * 1000:.0f} ms")
    assert "while_stmt" in text, "the function was not converted"
    click.echo(f"autograph: target at most {TARGET}: {'met' if not slower else 'MISSED by ' + ', '.join(slower)}")


def _converted(x: float) -> float:
    while x > 1.0:
        x = x / 2.0 if x > 8.0 else x - 1.0
    return float(np.float32(x))


if __name__ == "__main__":
    main()
