"""How fast is a step of networks that people train? Against TensorFlow's and PyTorch's, from the same weights."""

import shutil
from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import Processes, child
from parts.networks import COMPARED
from parts.peers import TENSORFLOW, TORCH, python_of
from parts.report import Report, options, reported

SECONDS = 0.7  # of our steps in a round
TARGET = 1.0  # to each, so to the better of them
SAME_LOSS, SAME_PARAMETERS = 1e-3, 1e-2  # relative: PyTorch's LSTM has two biases where Keras' has one


@click.command()
@click.option(
    "--network", "names", multiple=True, type=click.Choice(list(COMPARED)), help="Which; all if none is named."
)
@python_of(TENSORFLOW)
@python_of(TORCH)
@options(11)
def main(
    names: tuple[str, ...], tensorflow_python: str | None, torch_python: str | None, rounds: int, folder: Path
) -> None:
    """Print the ratio of a step to the others'; below 1 Stratagem is faster."""
    with reported("networks", folder, {TENSORFLOW: tensorflow_python, TORCH: torch_python}) as report:
        for name in names or COMPARED:
            with ExitStack() as stack:
                start = stack.enter_context
                made = {"Stratagem": start(child("parts.stratagem_network_child", name))}
                if tensorflow_python:
                    theirs = child("parts.tensorflow_network_child", name, python=tensorflow_python)
                    made["TensorFlow"] = start(theirs)
                if torch_python:
                    made["PyTorch"] = start(child("parts.torch_network_child", name, "eager", python=torch_python))
                if torch_python and shutil.which("g++"):  # it writes C++
                    theirs = child("parts.torch_network_child", name, "compiled", python=torch_python)
                    made["PyTorch, compiled"] = start(theirs)
                check(report, name, made)
                made["Stratagem"](2)
                steps = max(2, round(SECONDS / made["Stratagem"](3) * 3))
                targets = dict.fromkeys(made, TARGET)
                report.compare(name, made, rounds=rounds, steps=steps, warm_up=3, targets=targets)


def check(report: Report, name: str, made: dict[str, Processes]) -> None:
    """All contenders compute the same: their first losses agree, and their numbers of parameters."""
    facts = {label: contender.facts() for label, contender in made.items()}
    report.say(f"{name}: " + ", ".join(f"{label} {found}" for label, found in facts.items()))
    ours = facts["Stratagem"]
    for label, found in facts.items():
        for fact, allowed in (("loss", SAME_LOSS), ("parameters", SAME_PARAMETERS)):
            if abs(found[fact] - ours[fact]) > allowed * ours[fact]:
                raise SystemExit(
                    f"networks: {name}: {label} has another {fact} than Stratagem: {found[fact]}, {ours[fact]}"
                )


if __name__ == "__main__":
    main()
