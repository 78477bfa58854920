"""What does a function given to `map` cost? Ours in three ways, tf.data of TensorFlow and Grain, alternating."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.map_program import BATCH, EXAMPLES, FUNCTIONS, WAYS
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported


@click.command()
@python_of(TENSORFLOW)
@options(15)
def main(tensorflow_python: str | None, rounds: int, folder: Path) -> None:
    """Print the ratio of our time for an epoch to each of the others'; below 1 the way that is used by itself is faster."""
    with reported("map", folder, {TENSORFLOW: tensorflow_python}) as report:
        report.say(f"epochs of {EXAMPLES} examples in batches of {BATCH}")
        for function in FUNCTIONS:
            # A Python function is never compiled, and the others are vectorised by themselves.
            ways = ("python",) if function == "python" else WAYS
            with ExitStack() as children:
                start = children.enter_context
                timers = {way: start(child("parts.stratagem_map_child", function, way)) for way in ways}
                timers["Grain"] = start(child("parts.grain_map_child", function))
                if tensorflow_python:
                    theirs = child("parts.tensorflow_map_child", function, python=tensorflow_python)
                    timers["TensorFlow"] = start(theirs)
                report.compare(function, timers, rounds=rounds, steps=1, warm_up=1)


if __name__ == "__main__":
    main()
