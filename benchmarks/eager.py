"""How fast is a training step outside of compiled functions? Eager tape and optimizer against TensorFlow's."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.eager_step import NETWORKS
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported

TARGETS = {"TensorFlow": 1.0}


@click.command()
@python_of(TENSORFLOW)
@options(11)
@click.option("--steps", default=20, show_default=True, type=click.IntRange(1), help="Steps of each in a round.")
def main(tensorflow_python: str | None, rounds: int, folder: Path, steps: int) -> None:
    """Print the ratio of an eager step of an MLP and of a CNN to TensorFlow's; below 1 Stratagem is faster."""
    with reported("eager", folder, {TENSORFLOW: tensorflow_python}) as report:
        for network in NETWORKS:
            with ExitStack() as children:
                timers = {"Stratagem": children.enter_context(child("parts.eager_child", network))}
                if tensorflow_python:
                    theirs = child("parts.tensorflow_eager_child", network, python=tensorflow_python)
                    timers["TensorFlow"] = children.enter_context(theirs)
                report.compare(network, timers, rounds=rounds, steps=steps, targets=TARGETS)


if __name__ == "__main__":
    main()
