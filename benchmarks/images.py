"""How fast are JPEG files decoded, changed at random and batched, against tf.data of TensorFlow on the same files?"""

from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory

import click
from parts.child import child
from parts.images_program import BATCH, FILES, PIPELINES, write
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported

import stratagem as tf

TARGET = 1.2


@click.command()
@python_of(TENSORFLOW)
@options(15)
def main(tensorflow_python: str | None, rounds: int, folder: Path) -> None:
    """Write files, then print the ratio of our time for an epoch to TensorFlow's."""
    with reported("images", folder, {TENSORFLOW: tensorflow_python}) as report, TemporaryDirectory() as files:
        write(tf, files)
        for name, (count, low, high, colours) in FILES.items():
            report.say(f"{name}: {count} files of {low} to {high} px and {colours} colours, batches of {BATCH}")
        for pipeline in PIPELINES if tensorflow_python else ():
            with ExitStack() as children:
                start = children.enter_context
                timers = {"Stratagem": start(child("parts.stratagem_images_child", files, pipeline))}
                theirs = child("parts.tensorflow_images_child", files, pipeline, python=str(tensorflow_python))
                timers["TensorFlow"] = start(theirs)
                report.compare(pipeline, timers, rounds=rounds, steps=1, warm_up=1, targets={"TensorFlow": TARGET})


if __name__ == "__main__":
    main()
