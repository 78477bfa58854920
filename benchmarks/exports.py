"""What do SavedModels cost? Saving, loading and a served call, and those of TensorFlow, alternating."""

from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import child
from parts.exports_program import TASKS
from parts.peers import TENSORFLOW, python_of
from parts.report import options, reported

TARGETS = {"loading": 1.0}


@click.command()
@python_of(TENSORFLOW)
@options(15)
def main(tensorflow_python: str | None, rounds: int, folder: Path) -> None:
    """Print the ratio of our time to TensorFlow's, for a convolutional network and for a model of texts."""
    with reported("exports", folder, {TENSORFLOW: tensorflow_python}) as report:
        for task in TASKS if tensorflow_python else ():
            with ExitStack() as children:
                start = children.enter_context
                timers = {"Stratagem": start(child("parts.stratagem_exports_child", task))}
                theirs = child("parts.tensorflow_exports_child", task, python=str(tensorflow_python))
                timers["TensorFlow"] = start(theirs)
                target = next((limit for name, limit in TARGETS.items() if task.startswith(name)), None)
                targets = {} if target is None else {"TensorFlow": target}
                report.compare(task, timers, rounds=rounds, steps=1, warm_up=1, targets=targets)


if __name__ == "__main__":
    main()
