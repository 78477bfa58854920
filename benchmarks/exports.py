"""What do SavedModels cost? Saving, loading, also by a new process, and a served call, and TensorFlow's, alternating."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.exports_program import TASKS
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported

TARGETS = {"loading": 1.0, "first load,": 1.0}


@click.command()
@python_of(TENSORFLOW)
@click.option("--task", type=click.Choice(TASKS), multiple=True, help="One of them; all if none is named.")
@options(15)
def main(tensorflow_python: str | None, task: tuple[str, ...], rounds: int, folder: Path) -> None:
    """Print the ratio of our time to TensorFlow's, for a convolutional network and for a model of texts."""
    with reported("exports", folder, {TENSORFLOW: tensorflow_python}) as report:
        for each in (task or TASKS) if tensorflow_python else ():
            with ExitStack() as children:
                start = children.enter_context
                timers = {"Stratagem": start(child("parts.stratagem_exports_child", each))}
                theirs = child("parts.tensorflow_exports_child", each, python=str(tensorflow_python))
                timers["TensorFlow"] = start(theirs)
                target = next((limit for name, limit in TARGETS.items() if each.startswith(name)), None)
                targets = {} if target is None else {"TensorFlow": target}
                report.compare(each, timers, rounds=rounds, steps=1, warm_up=1, targets=targets)


if __name__ == "__main__":
    main()
