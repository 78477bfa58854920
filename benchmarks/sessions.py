"""What does `session.run` with a feed_dict cost? Steps of two networks against TensorFlow 2.15, alternating."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported

STEPS = {"mlp": 300, "cnn": 30}
TARGETS = {"TensorFlow": 1.0}


@click.command()
@python_of(TENSORFLOW)
@options(9)
def main(tensorflow_python: str | None, rounds: int, folder: Path) -> None:
    """Print the ratio of the time of our session's steps to TensorFlow's; below 1 ours is faster."""
    with reported("sessions", folder, {TENSORFLOW: tensorflow_python}) as report:
        for network, steps in STEPS.items():
            with ExitStack() as stack:
                timers = {"Stratagem": stack.enter_context(child("parts.stratagem_session_child", network))}
                if tensorflow_python:
                    theirs = child("parts.tensorflow_session_child", network, python=tensorflow_python)
                    timers["TensorFlow"] = stack.enter_context(theirs)
                report.compare(network, timers, rounds=rounds, steps=steps, warm_up=1, targets=TARGETS)


if __name__ == "__main__":
    main()
