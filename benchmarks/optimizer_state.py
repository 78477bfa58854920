"""What do shards of an optimizer's slots save? Memory a replica, and what a step costs, with and without them."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.report import Report, options, reported

REPLICAS = (2, 4, 8)
WAYS = {"in shards": 1, "whole": 0}


def measure(report: Report, replicas: int, rounds: int) -> None:
    """Compares steps in turns, and says where the memory of one replica goes."""
    title = f"{replicas} replicas"
    with ExitStack() as stack:
        made = {
            name: stack.enter_context(child("parts.optimizer_state_child", str(replicas), str(way)))
            for name, way in WAYS.items()
        }
        report.compare(title, made, rounds=rounds, steps=10, warm_up=5)
        for name, contender in made.items():
            shown = ", ".join(f"{what} {mib:.1f}" for what, mib in contender.facts().items())
            report.say(f"{title}: {name}, MiB a replica: {shown}")


@click.command()
@options(9)
def main(rounds: int, folder: Path) -> None:
    """Four dense layers of 1024 units with Adam and a global_clipnorm, 64 rows together, by the number of virtual replicas."""
    with reported("optimizer_state", folder) as report:
        for replicas in REPLICAS:
            measure(report, replicas, rounds)


if __name__ == "__main__":
    main()
