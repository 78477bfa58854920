"""How fast is the step? Against TensorFlow, PyTorch, and JAX with Keras as they are, all alternating on one machine."""

from contextlib import ExitStack

import click
from parts.child import child
from parts.paired import alternate, conditions, milliseconds, ratio

PYTHON = click.Path(exists=True, dir_okay=False)
OPTIONS = {"tensorflow": "--tensorflow-python", "torch": "--torch-python"}


@click.command()
@click.option("--tensorflow-python", type=PYTHON, help="A Python that has TensorFlow 2.15.")
@click.option("--torch-python", type=PYTHON, help="A Python that has PyTorch 2.13.")
@click.option(
    "--rounds", default=15, show_default=True, type=click.IntRange(2), help="How often the contenders alternate."
)
@click.option(
    "--steps", default=30, show_default=True, type=click.IntRange(1), help="Steps of each contender in a round."
)
def main(tensorflow_python: str | None, torch_python: str | None, rounds: int, steps: int) -> None:
    """Print the ratio of Stratagem's step to each of the others'; below 1 Stratagem is faster."""
    given = {"tensorflow": tensorflow_python, "torch": torch_python}
    for name in (name for name, python in given.items() if python is None):
        click.echo(f"against: {name} is not compared; name a Python that has it with {OPTIONS[name]}")
    with ExitStack() as children:
        start = children.enter_context
        timers = {"stratagem": start(child("parts.stratagem_child", "1")), "plain jax": start(child("parts.jax_child"))}
        timers |= {name: start(child(f"parts.{name}_child", python=path)) for name, path in given.items() if path}
        click.echo(f"against: {rounds} rounds of {steps} steps, {conditions()}")
        seconds = alternate(timers, rounds=rounds, steps=steps)
    click.echo(f"against: {milliseconds(seconds)} a step")
    for name in list(timers)[1:]:
        click.echo(f"against: stratagem / {name} = {ratio(seconds['stratagem'], seconds[name])}")


if __name__ == "__main__":
    main()
