"""What do texts and look-ups cost in a dataset? Our layers in `map` and those of tf.data's Keras, alternating."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported
from parts.text_program import BATCH, EXAMPLES, LAYERS

TARGET = 1.5


@click.command()
@python_of(TENSORFLOW)
@options(15)
def main(tensorflow_python: str | None, rounds: int, folder: Path) -> None:
    """Print the ratio of our time for an epoch to TensorFlow's."""
    with reported("text", folder, {TENSORFLOW: tensorflow_python}) as report:
        report.say(f"epochs of {EXAMPLES} texts or rows of words in batches of {BATCH}")
        for layer in LAYERS if tensorflow_python else ():
            with ExitStack() as children:
                start = children.enter_context
                timers = {"Stratagem": start(child("parts.stratagem_text_child", layer))}
                theirs = child("parts.tensorflow_text_child", layer, python=str(tensorflow_python))
                timers["TensorFlow"] = start(theirs)
                targets = {"TensorFlow": TARGET}
                report.compare(layer, timers, rounds=rounds, steps=1, warm_up=1, targets=targets)


if __name__ == "__main__":
    main()
