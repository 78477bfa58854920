"""What does `fit` cost? Against our own loop, Keras 3 on JAX, and Keras 2.15 on TensorFlow, all alternating."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.peers import TENSORFLOW, python_of
from parts.report import Report, options, reported

TARGETS = {"Keras 3 on JAX": 0.95}


@click.command()
@python_of(TENSORFLOW)
@options(15)
def main(tensorflow_python: str | None, rounds: int, folder: Path) -> None:
    """Print the ratio of a step of `fit` to the others'; below 1 ours is faster."""
    with reported("fit", folder, {TENSORFLOW: tensorflow_python}) as report:
        compare(report, "cnn", 1, tensorflow_python, rounds, steps=120)
        compare(report, "mlp", 1, tensorflow_python, rounds, steps=600)
        compare(report, "mlp", 50, tensorflow_python, rounds, steps=3000)


def compare(
    report: Report, network: str, per_execution: int, tensorflow_python: str | None, rounds: int, steps: int
) -> None:
    """One network, with so many steps per execution."""
    given = network, str(per_execution)
    with ExitStack() as stack:
        start = stack.enter_context
        timers = {"fit": start(child("parts.stratagem_fit_child", "fit", *given))}
        if per_execution == 1:
            timers["own loop"] = start(child("parts.stratagem_fit_child", "loop", *given))
        timers["Keras 3 on JAX"] = start(child("parts.keras_fit_child", *given))
        if tensorflow_python:
            theirs = child("parts.tensorflow_fit_child", *given, python=tensorflow_python)
            timers["Keras 2.15 on TensorFlow"] = start(theirs)
        title, warm_up = f"{network}, {per_execution} a time", per_execution * 10
        report.compare(title, timers, rounds=rounds, steps=steps, warm_up=warm_up, targets=TARGETS)


if __name__ == "__main__":
    main()
