"""What does an all-reduce between workers cost, by its size? The constants of docs/scaling.md."""

from contextlib import ExitStack
from pathlib import Path

import click
import numpy as np
from parts.child import children
from parts.paired import alternate
from parts.report import options, reported
from workers import of_tensorflow

SIZES = (4, 1 << 12, 1 << 16, 1 << 20, 1 << 24)  # bytes


@click.command()
@click.option("--workers", default=2, show_default=True, type=click.IntRange(2))
@options(7)
@click.option("--steps", default=10, show_default=True, type=click.IntRange(1), help="Of each size in a round.")
def main(workers: int, rounds: int, folder: Path, steps: int) -> None:
    """Print the median milliseconds of an all-reduce of each size, and the latency and bandwidth that they mean."""
    with ExitStack() as stack:
        report = stack.enter_context(reported("all_reduce", folder))
        timers = {
            str(size): stack.enter_context(
                children("parts.all_reduce_worker", str(size), environments=of_tensorflow(workers))
            )
            for size in SIZES
        }
        seconds = alternate(timers, rounds=rounds, steps=steps)
        for size, found in seconds.items():
            report.keep(f"{size} bytes, {workers} workers", {"all-reduce": found})
        smallest, largest = (float(np.median(seconds[str(size)])) for size in (SIZES[0], SIZES[-1]))
        moved = 2 * (workers - 1) / workers * (SIZES[-1] - SIZES[0])
        bandwidth = moved / (largest - smallest)
        report.say(f"latency {smallest * 1000:.3f} ms, bandwidth {bandwidth / 1e6:.0f} MB/s a worker")


if __name__ == "__main__":
    main()
