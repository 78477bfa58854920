"""How fast is a step of every kind of network, and its first step? Against TensorFlow's, the same program."""

import tempfile
from contextlib import ExitStack
from pathlib import Path

import click
from parts.child import Processes, child, children
from parts.kinds import KINDS
from parts.peers import TENSORFLOW, python_of
from parts.report import Report, options, reported

SECONDS = 0.5  # of our steps in a round
TARGET, FIRST, SECOND = 1.0, 2.0, 0.5
MEMORY, PEAK, LARGE = 1.1, 1.3, 500  # the last is in megabytes: of smaller programs most is the libraries


def contenders(stack: ExitStack, kind: str, setting: tuple[str, ...], python: str | None) -> dict[str, Processes]:
    """Starts ours, and TensorFlow's if there is one."""
    started = {"Stratagem": stack.enter_context(child("parts.kinds_child", "stratagem", kind, *setting))}
    if python:
        tensorflow = child("parts.kinds_child", "tensorflow", kind, *setting, python=python)
        started["TensorFlow"] = stack.enter_context(tensorflow)
    return started


def compare_steps(report: Report, kind: str, setting: tuple[str, ...], rounds: int, python: str | None) -> None:
    """A step of both in turns; then what each said about its first step and its memory.

    setting: the clock, the number of cores and the policy.
    """
    clock, cores, policy = setting
    with ExitStack() as stack:
        made = contenders(stack, kind, setting, python)
        facts = {name: contender.facts() for name, contender in made.items()}
        steps = max(2, round(SECONDS / made["Stratagem"](3) * 3))
        targets = dict.fromkeys(made, TARGET)
        title = f"{kind}, {clock} time on {cores}" + ("" if policy == "float32" else f", {policy}")
        report.compare(title, made, rounds=rounds, steps=steps, warm_up=3, targets=targets)
    report.keep(
        f"{kind}, first step", {name: [said["first"]] for name, said in facts.items()}, dict.fromkeys(made, FIRST)
    )
    for fact, most in (("memory", MEMORY), ("peak", PEAK)):
        amounts = {name: said[fact] for name, said in facts.items()}
        report.say(f"{kind}: {fact} " + ", ".join(f"{name} {amount:.0f} MB" for name, amount in amounts.items()))
        if python and amounts["TensorFlow"] > LARGE:
            found = amounts["Stratagem"] / amounts["TensorFlow"]
            report.say(f"{kind}: {fact} {found:.2f}; target {most}: {'MISSED' if found > most else 'met'}")


def compare_starts(report: Report, kind: str) -> None:
    """The CPU time of the first step of a process whose compilation cache has the program, and of one that has none."""
    with tempfile.TemporaryDirectory() as cache:
        found = []
        for _ in range(2):
            environment = {"STRATAGEM_COMPILE_CACHE": cache}
            with children(
                "parts.kinds_child", "stratagem", kind, "cpu", "1", "float32", environments=[environment]
            ) as started:
                found.append(started.facts()["first"])
    first, second = found
    report.keep(f"{kind}, second start", {"second": [second], "first": [first]}, {"first": SECOND})


@click.command()
@click.option("--kind", "kinds", multiple=True, type=click.Choice(list(KINDS)), help="Which; all if none is named.")
@click.option("--clock", default="cpu", type=click.Choice(["cpu", "wall"]), help="CPU time, or that of a clock.")
@click.option("--cores", default=1, show_default=True, type=click.IntRange(1), help="That each may use.")
@click.option("--policy", default="float32", show_default=True, help="Keras' policy of dtypes.")
@click.option("--starts/--no-starts", default=False, help="Also a second start.")
@python_of(TENSORFLOW)
@options(10)
def main(
    kinds: tuple[str, ...],
    clock: str,
    cores: int,
    policy: str,
    starts: bool,
    tensorflow_python: str | None,
    rounds: int,
    folder: Path,
) -> None:
    """Print the ratio of a step to TensorFlow's; below 1 Stratagem is faster."""
    with reported("kinds", folder, {TENSORFLOW: tensorflow_python}) as report:
        for kind in kinds or KINDS:
            compare_steps(report, kind, (clock, str(cores), policy), rounds, tensorflow_python)
            if starts:
                compare_starts(report, kind)


if __name__ == "__main__":
    main()
