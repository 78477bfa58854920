"""How long does a step take on this machine's first device? Absolute times, since there is nothing to compare a device with."""

import click
import jax
import numpy as np
from parts import distributed
from parts.paired import alternate, conditions

import stratagem as tf


@click.command()
@click.option(
    "--rounds", default=10, show_default=True, type=click.IntRange(2), help="How often each size is measured."
)
@click.option("--steps", default=30, show_default=True, type=click.IntRange(1), help="Steps in each round.")
@click.option(
    "--rows", default=(64, 512), show_default=True, multiple=True, type=click.IntRange(1), help="Batch sizes."
)
def main(rounds: int, steps: int, rows: tuple[int, ...]) -> None:
    """Print the time of a step, and how many images a second that is, for every batch size."""
    (name, *_), device = [found.name for found in tf.config.list_logical_devices()], jax.devices()[0]
    timers = {str(size): distributed.timer(tf, tf.distribute.MirroredStrategy([name]), size) for size in rows}
    click.echo(f"device: {device.device_kind} ({device.platform}), {rounds} rounds of {steps} steps, {conditions()}")
    for size, seconds in alternate(timers, rounds=rounds, steps=steps).items():
        low, median, high = np.percentile(seconds, [10, 50, 90])
        times = f"{1000 * median:.3f} ms a step (80 % between {1000 * low:.3f} and {1000 * high:.3f})"
        click.echo(f"device: batch of {size}: {times}, {int(size) / median:.0f} images a second")


if __name__ == "__main__":
    main()
