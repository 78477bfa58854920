"""What does Stratagem cost? Its step against the same step written by hand in JAX, with the same rewrites, in one process."""

import click
from parts import by_hand, distributed
from parts.paired import alternate, conditions, milliseconds, ratio

import stratagem as tf

TARGET = 1.05


@click.command()
@click.option("--pairs", default=15, show_default=True, type=click.IntRange(2), help="How often the two alternate.")
@click.option("--steps", default=100, show_default=True, type=click.IntRange(1), help="Steps in each half of a pair.")
def main(pairs: int, steps: int) -> None:
    """Print the ratio of the two steps' times and whether it meets the target."""
    timers = {
        "stratagem": distributed.timer(tf, tf.distribute.MirroredStrategy([tf.config.list_logical_devices()[0].name])),
        "by hand": by_hand.timer(rewrites=True),
    }
    click.echo(f"step: {pairs} pairs of {steps} steps, {conditions()}")
    seconds = alternate(timers, rounds=pairs, steps=steps)
    overhead = ratio(seconds["stratagem"], seconds["by hand"])
    click.echo(f"step: {milliseconds(seconds)} a step")
    click.echo(f"step: stratagem / written by hand in JAX = {overhead}")
    click.echo(f"step: target at most {TARGET}: {'met' if overhead.median <= TARGET else 'MISSED'}")


if __name__ == "__main__":
    main()
