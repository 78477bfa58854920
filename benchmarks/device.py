"""How long does a step take on this machine's first device? Absolute times, since there is nothing to compare a device with."""

from pathlib import Path

import click
import jax
import numpy as np
from parts import distributed
from parts.paired import alternate
from parts.report import options, reported

import stratagem as tf


@click.command()
@options(10)
@click.option("--steps", default=30, show_default=True, type=click.IntRange(1), help="Steps in each round.")
@click.option(
    "--rows", default=(64, 512), show_default=True, multiple=True, type=click.IntRange(1), help="Batch sizes."
)
def main(rounds: int, folder: Path, steps: int, rows: tuple[int, ...]) -> None:
    """Print the time of a step, and how many images a second that is, for every batch size."""
    with reported("device", folder) as report:
        (name, *_), device = [found.name for found in tf.config.list_logical_devices()], jax.devices()[0]
        report.say(f"{device.device_kind} ({device.platform}), {rounds} rounds of {steps} steps")
        for size in rows:
            timer = distributed.timer(tf, tf.distribute.MirroredStrategy([name]), size)
            seconds = alternate({"step": timer}, rounds=rounds, steps=steps)
            report.keep(f"batch of {size}", seconds)
            low, median, high = np.percentile(seconds["step"], [10, 50, 90])
            times = f"80 % of steps between {1000 * low:.3f} and {1000 * high:.3f} ms"
            report.say(f"batch of {size}: {times}, {size / median:.0f} images a second")


if __name__ == "__main__":
    main()
