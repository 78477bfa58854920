"""How fast does input come? Our pipelines against tf.data of TensorFlow and against Grain used directly, alternating."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.input_program import BATCH, PIPELINES
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported


@click.command()
@python_of(TENSORFLOW)
@options(15)
@click.option("--epochs", default=1, show_default=True, type=click.IntRange(1), help="Epochs of each in a round.")
def main(tensorflow_python: str | None, rounds: int, folder: Path, epochs: int) -> None:
    """Print the ratio of our time for an epoch to each of the others'; below 1 Stratagem is faster."""
    with reported("input", folder, {TENSORFLOW: tensorflow_python}) as report:
        report.say(f"epochs of 60000 examples in batches of {BATCH}")
        for pipeline in PIPELINES:
            with ExitStack() as children:
                start = children.enter_context
                timers = {"Stratagem": start(child("parts.stratagem_input_child", pipeline))}
                timers["Grain"] = start(child("parts.grain_input_child", pipeline))
                if tensorflow_python:
                    theirs = child("parts.tensorflow_input_child", pipeline, python=tensorflow_python)
                    timers["TensorFlow"] = start(theirs)
                report.compare(pipeline, timers, rounds=rounds, steps=epochs, warm_up=1)


if __name__ == "__main__":
    main()
