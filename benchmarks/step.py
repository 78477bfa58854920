"""What does Stratagem cost? Its step against the same step written by hand in JAX, with the same rewrites, in one process."""

from pathlib import Path

import click
from parts import by_hand, distributed
from parts.report import options, reported

import stratagem as tf

TARGETS = {"written by hand": 1.01}


@click.command()
@options(15)
@click.option("--steps", default=100, show_default=True, type=click.IntRange(1), help="Steps of each in a round.")
def main(rounds: int, folder: Path, steps: int) -> None:
    """Print the ratio of the two steps' times and whether it meets the target."""
    with reported("step", folder) as report:
        strategy = tf.distribute.MirroredStrategy([tf.config.list_logical_devices()[0].name])
        timers = {"Stratagem": distributed.timer(tf, strategy), "written by hand": by_hand.timer(rewrites=True)}
        report.compare("CNN", timers, rounds=rounds, steps=steps, targets=TARGETS)


if __name__ == "__main__":
    main()
