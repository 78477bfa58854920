"""What does `fit` cost? Against our own loop, Keras 3 on JAX, and Keras 2.15 on TensorFlow, all alternating."""

from contextlib import ExitStack

import click
from parts.child import child
from parts.paired import alternate, conditions, milliseconds, ratio

PYTHON = click.Path(exists=True, dir_okay=False)


@click.command()
@click.option("--tensorflow-python", type=PYTHON, help="A Python that has TensorFlow 2.15.")
@click.option(
    "--rounds", default=15, show_default=True, type=click.IntRange(2), help="How often the contenders alternate."
)
def main(tensorflow_python: str | None, rounds: int) -> None:
    """Print the ratio of a step of `fit` to the others'; below 1 ours is faster."""
    compare("cnn", 1, tensorflow_python, rounds, steps=120)
    compare("mlp", 1, tensorflow_python, rounds, steps=600)
    compare("mlp", 50, tensorflow_python, rounds, steps=3000)


def compare(network: str, per_execution: int, tensorflow_python: str | None, rounds: int, steps: int) -> None:
    """One network, with so many steps per execution."""
    name, options = f"fit, {network}, {per_execution} a time", (network, str(per_execution))
    with ExitStack() as stack:
        start = stack.enter_context
        timers = {"fit": start(child("parts.stratagem_fit_child", "fit", *options))}
        if per_execution == 1:
            timers["own loop"] = start(child("parts.stratagem_fit_child", "loop", *options))
        timers["Keras 3 on JAX"] = start(child("parts.keras_fit_child", *options))
        if tensorflow_python:
            timers["Keras 2.15 on TensorFlow"] = start(
                child("parts.tensorflow_fit_child", *options, python=tensorflow_python)
            )
        click.echo(f"{name}: {rounds} rounds of {steps} steps, {conditions()}")
        seconds = alternate(timers, rounds=rounds, steps=steps, warm_up=per_execution * 10)
    click.echo(f"{name}: {milliseconds(seconds)} a step")
    for other in list(timers)[1:]:
        click.echo(f"{name}: fit / {other} = {ratio(seconds['fit'], seconds[other])}")


if __name__ == "__main__":
    main()
