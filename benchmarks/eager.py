"""How fast is a training step outside of compiled functions? Eager tape and optimizer against TensorFlow's."""

from contextlib import ExitStack

import click
from parts.child import child
from parts.eager_step import NETWORKS
from parts.paired import alternate, conditions, milliseconds, ratio

TARGET = 1.0


@click.command()
@click.option(
    "--tensorflow-python", type=click.Path(exists=True, dir_okay=False), help="A Python that has TensorFlow 2.15."
)
@click.option("--rounds", default=11, show_default=True, type=click.IntRange(2), help="How often the two alternate.")
@click.option("--steps", default=20, show_default=True, type=click.IntRange(1), help="Steps of each in a round.")
def main(tensorflow_python: str | None, rounds: int, steps: int) -> None:
    """Print the ratio of an eager step of an MLP and of a CNN to TensorFlow's; below 1 Stratagem is faster."""
    if tensorflow_python is None:
        click.echo("eager: tensorflow is not compared; name a Python that has it with --tensorflow-python")
    for network in NETWORKS:
        with ExitStack() as children:
            timers = {"stratagem": children.enter_context(child("parts.eager_child", network))}
            if tensorflow_python is not None:
                other = child("parts.tensorflow_eager_child", network, python=tensorflow_python)
                timers["tensorflow"] = children.enter_context(other)
            click.echo(f"eager {network}: {rounds} rounds of {steps} steps, {conditions()}")
            seconds = alternate(timers, rounds=rounds, steps=steps)
        click.echo(f"eager {network}: {milliseconds(seconds)} a step")
        if tensorflow_python is not None:
            found = ratio(seconds["stratagem"], seconds["tensorflow"])
            met = "met" if found.median <= TARGET else "MISSED"
            click.echo(f"eager {network}: stratagem / tensorflow = {found}; target at most {TARGET}: {met}")


if __name__ == "__main__":
    main()
