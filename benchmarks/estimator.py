"""What does an Estimator cost? A step, and the turnaround of a short training with its evaluation, against TensorFlow 2.15."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported

STEPS = {("mlp", "steps"): 1000, ("cnn", "steps"): 100, ("mlp", "turnarounds"): 1}
TARGETS = {("cnn", "steps"): 0.8}


@click.command()
@python_of(TENSORFLOW)
@options(9)
def main(tensorflow_python: str | None, rounds: int, folder: Path) -> None:
    """Print the ratio of our Estimator's time to TensorFlow's; below 1 ours is faster."""
    with reported("estimator", folder, {TENSORFLOW: tensorflow_python}) as report:
        for (network, way), steps in STEPS.items():
            with ExitStack() as stack:
                timers = {"Stratagem": stack.enter_context(child("parts.stratagem_estimator_child", way, network))}
                if tensorflow_python:
                    theirs = child("parts.tensorflow_estimator_child", way, network, python=tensorflow_python)
                    timers["TensorFlow"] = stack.enter_context(theirs)
                target = {"TensorFlow": TARGETS[network, way]} if (network, way) in TARGETS else {}
                report.compare(f"{network}, {way}", timers, rounds=rounds, steps=steps, warm_up=1, targets=target)


if __name__ == "__main__":
    main()
