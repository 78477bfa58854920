"""What does a step of a canned Estimator cost? Wide, deep, and both, against TensorFlow 2.15's, alternating."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported

# Without BaselineClassifier: under TensorFlow 2.15.1 this program of it ends with an error, as its iterator is not initialized.
MODELS = ("linear", "dnn", "combined")
STEPS, TARGET = 300, 1.0


@click.command()
@python_of(TENSORFLOW)
@options(9)
def main(tensorflow_python: str | None, rounds: int, folder: Path) -> None:
    """Print the ratio of our time for steps to TensorFlow's; below 1 ours is faster."""
    with reported("canned_estimators", folder, {TENSORFLOW: tensorflow_python}) as report:
        for model in MODELS:
            with ExitStack() as stack:
                timers = {"Stratagem": stack.enter_context(child("parts.stratagem_canned_child", model))}
                if tensorflow_python:
                    theirs = child("parts.tensorflow_canned_child", model, python=tensorflow_python)
                    timers["TensorFlow"] = stack.enter_context(theirs)
                targets = {"TensorFlow": TARGET} if tensorflow_python else {}
                report.compare(model, timers, rounds=rounds, steps=STEPS, warm_up=1, targets=targets)


if __name__ == "__main__":
    main()
