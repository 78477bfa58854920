"""What does an uneven end cost? Epochs whose last batch lacks rows against epochs of even batches, on two replicas."""

from pathlib import Path

import click
from parts import cnn, epochs
from parts.report import options, reported

import stratagem as tf

REPLICAS, TARGET = 2, 1.02
# name: rows that the last batch lacks. One, so that both epochs do the same work; all but one, so that a replica has none.
ENDS = {"a row less": 1, "a single row": REPLICAS * cnn.BATCH - 1}


@click.command()
@options(15)
@click.option("--steps", default=60, show_default=True, type=click.IntRange(2), help="Steps of an epoch.")
def main(rounds: int, folder: Path, steps: int) -> None:
    """Print the ratios of the epochs' times, after the first epoch, and whether the first meets the target."""
    with reported("uneven", folder) as report:
        cpu = tf.config.list_physical_devices("CPU")[0]
        tf.config.set_logical_device_configuration(cpu, [tf.config.LogicalDeviceConfiguration()] * REPLICAS)
        devices = [f"CPU:{i}" for i in range(REPLICAS)]
        made = {name: epochs.timer(tf, devices, steps, missing) for name, missing in {**ENDS, "even": 0}.items()}
        for name in ENDS:
            timers = {name: made[name], "even": made["even"]}
            targets = {"even": TARGET} if name == "a row less" else {}
            report.compare(f"an end with {name}", timers, rounds=rounds, steps=1, warm_up=2, targets=targets)


if __name__ == "__main__":
    main()
