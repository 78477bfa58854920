"""What does an all-reduce between workers cost, by its size? The constants of docs/scaling.md."""

from contextlib import ExitStack

import click
import numpy as np
from parts.child import children
from parts.paired import alternate, conditions
from workers import of_tensorflow

SIZES = (4, 1 << 12, 1 << 16, 1 << 20, 1 << 24)  # bytes


@click.command()
@click.option("--workers", default=2, show_default=True, type=click.IntRange(2))
@click.option("--rounds", default=7, show_default=True, type=click.IntRange(2), help="How often the sizes alternate.")
@click.option("--steps", default=10, show_default=True, type=click.IntRange(1), help="Of each size in a round.")
def main(workers: int, rounds: int, steps: int) -> None:
    """Print the median milliseconds of an all-reduce of each size, and the latency and bandwidth that they mean."""
    with ExitStack() as stack:
        timers = {
            str(size): stack.enter_context(
                children("parts.all_reduce_worker", str(size), environments=of_tensorflow(workers))
            )
            for size in SIZES
        }
        click.echo(f"all_reduce: {workers} workers, {rounds} rounds of {steps}, {conditions()}")
        seconds = alternate(timers, rounds=rounds, steps=steps)
    medians = {size: float(np.median(seconds[str(size)])) for size in SIZES}
    for size, median in medians.items():
        click.echo(f"all_reduce: {size} bytes {median * 1000:.3f} ms")
    smallest, largest = SIZES[0], SIZES[-1]
    moved = 2 * (workers - 1) / workers * (largest - smallest)
    bandwidth = moved / (medians[largest] - medians[smallest])
    click.echo(f"all_reduce: latency {medians[smallest] * 1000:.3f} ms, bandwidth {bandwidth / 1e6:.0f} MB/s a worker")


if __name__ == "__main__":
    main()
