"""What do several steps an execution cost? `steps_per_execution` against single steps, alternating."""

from contextlib import ExitStack

import click
from parts.child import child
from parts.paired import alternate, conditions, milliseconds, ratio


@click.command()
@click.option("--rounds", default=15, show_default=True, type=click.IntRange(2), help="How often the two alternate.")
def main(rounds: int) -> None:
    """Print the ratio of a step of `fit` in executions of several to one of single steps: at most 1.05 for any network."""
    compare("cnn", 10, rounds, steps=40)
    compare("mlp", 10, rounds, steps=600)


def compare(network: str, per_execution: int, rounds: int, steps: int) -> None:
    """One network, with so many steps per execution."""
    with ExitStack() as stack:
        timers = {
            count: stack.enter_context(child("parts.stratagem_fit_child", "fit", network, count))
            for count in ("1", str(per_execution))
        }
        click.echo(f"{network}: {rounds} rounds of {steps} steps, {conditions()}")
        seconds = alternate(timers, rounds=rounds, steps=steps, warm_up=per_execution * 2)
    click.echo(f"{network}: {milliseconds(seconds)} a step")
    click.echo(f"{network}: {per_execution} a time / 1 a time = {ratio(seconds[str(per_execution)], seconds['1'])}")


if __name__ == "__main__":
    main()
