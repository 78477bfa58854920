"""What does an Estimator cost? A step, and the turnaround of a short training with its evaluation, against TensorFlow 2.15."""

from contextlib import ExitStack

import click
from parts.child import child
from parts.paired import alternate, conditions, milliseconds, ratio

PYTHON = click.Path(exists=True, dir_okay=False)


@click.command()
@click.option("--tensorflow-python", type=PYTHON, help="A Python that has TensorFlow 2.15.")
@click.option(
    "--rounds", default=9, show_default=True, type=click.IntRange(2), help="How often the contenders alternate."
)
def main(tensorflow_python: str | None, rounds: int) -> None:
    """Print the ratio of our Estimator's time to TensorFlow's; below 1 ours is faster."""
    compare("steps", "mlp", tensorflow_python, rounds, steps=1000)
    compare("steps", "cnn", tensorflow_python, rounds, steps=100)
    compare("turnarounds", "mlp", tensorflow_python, rounds, steps=1)


def compare(way: str, network: str, tensorflow_python: str | None, rounds: int, steps: int) -> None:
    """One network, one way to use its Estimator."""
    name = f"estimator, {network}, {way}"
    with ExitStack() as stack:
        timers = {"ours": stack.enter_context(child("parts.stratagem_estimator_child", way, network))}
        if tensorflow_python:
            theirs = child("parts.tensorflow_estimator_child", way, network, python=tensorflow_python)
            timers["TensorFlow"] = stack.enter_context(theirs)
        click.echo(f"{name}: {rounds} rounds of {steps}, {conditions()}")
        seconds = alternate(timers, rounds=rounds, steps=steps, warm_up=1)
    click.echo(f"{name}: {milliseconds(seconds)} each")
    if tensorflow_python:
        click.echo(f"{name}: ours / TensorFlow = {ratio(seconds['ours'], seconds['TensorFlow'])}")
    else:
        click.echo(f"{name}: TensorFlow is missing: name its Python with --tensorflow-python")


if __name__ == "__main__":
    main()
