"""What does a function given to `map` cost? Ours in three ways, tf.data of TensorFlow and Grain, alternating."""

from contextlib import ExitStack

import click
from parts.child import child
from parts.map_program import BATCH, EXAMPLES, FUNCTIONS, WAYS
from parts.paired import alternate, conditions, milliseconds, ratio

PYTHON = click.Path(exists=True, dir_okay=False)


@click.command()
@click.option("--tensorflow-python", type=PYTHON, help="A Python that has TensorFlow 2.15.")
@click.option(
    "--rounds", default=15, show_default=True, type=click.IntRange(2), help="How often the contenders alternate."
)
def main(tensorflow_python: str | None, rounds: int) -> None:
    """Print the ratio of our time for an epoch to each of the others'; below 1 the way that is used by itself is faster."""
    if tensorflow_python is None:
        click.echo("map: tensorflow is not compared; name a Python that has it with --tensorflow-python")
    for function in FUNCTIONS:
        # A Python function is never compiled, and the others are vectorised by themselves.
        ways = ("python",) if function == "python" else WAYS
        with ExitStack() as children:
            start = children.enter_context
            timers = {way: start(child("parts.stratagem_map_child", function, way)) for way in ways}
            timers["grain"] = start(child("parts.grain_map_child", function))
            if tensorflow_python is not None:
                timers["tensorflow"] = start(child("parts.tensorflow_map_child", function, python=tensorflow_python))
            click.echo(f"map: {function}: {rounds} rounds of {EXAMPLES} examples in batches of {BATCH}, {conditions()}")
            seconds = alternate(timers, rounds=rounds, steps=1, warm_up=1)
        click.echo(f"map: {function}: {milliseconds(seconds)}")
        ours = ways[0]
        for name in list(timers)[1:]:
            click.echo(f"map: {function}: {ours} / {name} = {ratio(seconds[ours], seconds[name])}")


if __name__ == "__main__":
    main()
