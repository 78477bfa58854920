"""How fast does input come? Our pipelines against tf.data of TensorFlow and against Grain used directly, alternating."""

from contextlib import ExitStack

import click
from parts.child import child
from parts.input_program import BATCH, PIPELINES
from parts.paired import alternate, conditions, ratio

PYTHON = click.Path(exists=True, dir_okay=False)


@click.command()
@click.option("--tensorflow-python", type=PYTHON, help="A Python that has TensorFlow 2.15.")
@click.option(
    "--rounds", default=15, show_default=True, type=click.IntRange(2), help="How often the contenders alternate."
)
@click.option("--epochs", default=1, show_default=True, type=click.IntRange(1), help="Epochs of each in a round.")
def main(tensorflow_python: str | None, rounds: int, epochs: int) -> None:
    """Print the ratio of our time for an epoch to each of the others'; below 1 Stratagem is faster."""
    if tensorflow_python is None:
        click.echo("input: tensorflow is not compared; name a Python that has it with --tensorflow-python")
    for pipeline in PIPELINES:
        with ExitStack() as children:
            start = children.enter_context
            timers = {"stratagem": start(child("parts.stratagem_input_child", pipeline))}
            timers["grain"] = start(child("parts.grain_input_child", pipeline))
            if tensorflow_python is not None:
                timers["tensorflow"] = start(child("parts.tensorflow_input_child", pipeline, python=tensorflow_python))
            click.echo(
                f"input: {pipeline}: {rounds} rounds of {epochs} epochs of 60000 examples in batches of {BATCH}, {conditions()}"
            )
            seconds = alternate(timers, rounds=rounds, steps=epochs, warm_up=1)
        for name in list(timers)[1:]:
            click.echo(f"input: {pipeline}: stratagem / {name} = {ratio(seconds['stratagem'], seconds[name])}")


if __name__ == "__main__":
    main()
