"""What do two replicas cost? Against two steps of one replica, and TensorFlow's two replicas; 64 examples each."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts import machine
from parts.child import child
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported

TARGETS = {"TensorFlow": machine.limit(avx2=0.55, avx512=0.85)}


@click.command()
@python_of(TENSORFLOW)
@options(15)
@click.option("--steps", default=40, show_default=True, type=click.IntRange(1), help="Steps of each in a round.")
def main(tensorflow_python: str | None, rounds: int, folder: Path, steps: int) -> None:
    """Print the ratios; 1 to two steps of one means that the all-reduce and the second device cost nothing here."""
    with ExitStack() as stack:
        start = stack.enter_context
        report = start(reported("replicas", folder, {TENSORFLOW: tensorflow_python}))
        one, two = start(child("parts.stratagem_child", "1")), start(child("parts.stratagem_child", "2"))
        timers = {"two replicas": two, "two steps of one": lambda count: one(2 * count)}
        if tensorflow_python:
            timers["TensorFlow"] = start(child("parts.tensorflow_child", "2", python=tensorflow_python))
        report.compare("CNN", timers, rounds=rounds, steps=steps, targets=TARGETS)


if __name__ == "__main__":
    main()
