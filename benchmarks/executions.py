"""What do several steps an execution cost? `steps_per_execution` against single steps, alternating."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.report import options, reported

STEPS, TOGETHER = {"cnn": 40, "mlp": 600}, 10
TARGETS = {"1 a time": 1.0}


@click.command()
@options(15)
def main(rounds: int, folder: Path) -> None:
    """Print the ratio of a step of `fit` in executions of several to one of single steps."""
    with reported("executions", folder) as report:
        for network, steps in STEPS.items():
            with ExitStack() as stack:
                timers = {
                    f"{count} a time": stack.enter_context(
                        child("parts.stratagem_fit_child", "fit", network, str(count))
                    )
                    for count in (TOGETHER, 1)
                }
                report.compare(network, timers, rounds=rounds, steps=steps, warm_up=2 * TOGETHER, targets=TARGETS)


if __name__ == "__main__":
    main()
