"""What does an uneven end cost? Epochs whose last batch lacks rows against epochs of even batches, on two replicas."""

import click
from parts import cnn, epochs
from parts.paired import alternate, conditions, milliseconds, ratio

import stratagem as tf

REPLICAS, TARGET = 2, 1.02
# name: rows that the last batch lacks. One, so that both epochs do the same work; all but one, so that a replica has none.
ENDS = {"a row less": 1, "a single row": REPLICAS * cnn.BATCH - 1}


@click.command()
@click.option("--pairs", default=15, show_default=True, type=click.IntRange(2), help="How often the two alternate.")
@click.option("--steps", default=60, show_default=True, type=click.IntRange(2), help="Steps of an epoch.")
def main(pairs: int, steps: int) -> None:
    """Print the ratio of the epochs' times, after the first epoch, and whether it meets the target."""
    cpu = tf.config.list_physical_devices("CPU")[0]
    tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * REPLICAS)
    devices = [f"CPU:{i}" for i in range(REPLICAS)]
    timers = {name: epochs.timer(tf, devices, steps, missing) for name, missing in {"even": 0, **ENDS}.items()}
    click.echo(f"uneven: {pairs} rounds of an epoch of {steps} steps, {REPLICAS} replicas, {conditions()}")
    seconds = alternate(timers, rounds=pairs, steps=1, warm_up=2)
    click.echo(f"uneven: {milliseconds(seconds)} an epoch")
    for name in ENDS:
        click.echo(f"uneven: an end with {name} / even = {ratio(seconds[name], seconds['even'])}")
    cost = ratio(seconds["a row less"], seconds["even"]).median
    click.echo(f"uneven: target at most {TARGET}: {'met' if cost <= TARGET else 'MISSED'}")


if __name__ == "__main__":
    main()
