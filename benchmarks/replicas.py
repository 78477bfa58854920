"""What do two replicas cost? One step of two virtual CPU replicas against two steps of one replica, 64 examples each."""

import click
from parts.child import child
from parts.paired import alternate, conditions, milliseconds, ratio


@click.command()
@click.option("--pairs", default=15, show_default=True, type=click.IntRange(2), help="How often the two alternate.")
@click.option(
    "--steps", default=40, show_default=True, type=click.IntRange(1), help="Steps of the two replicas in a pair."
)
def main(pairs: int, steps: int) -> None:
    """Print the ratio; 1 means that the all-reduce and the second device cost nothing on the same cores."""
    with child("parts.stratagem_child", "1") as one, child("parts.stratagem_child", "2") as two:
        timers = {"two steps of one": lambda count: one(2 * count), "a step of two": two}
        click.echo(f"replicas: {pairs} pairs, {steps} steps of two replicas and {2 * steps} of one, {conditions()}")
        seconds = alternate(timers, rounds=pairs, steps=steps)
    click.echo(f"replicas: {milliseconds(seconds)}")
    cost = ratio(seconds["a step of two"], seconds["two steps of one"])
    click.echo(f"replicas: a step of two / two steps of one = {cost}")


if __name__ == "__main__":
    main()
