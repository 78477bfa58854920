"""A benchmark's run: it lets contenders take turns, says what was found, and writes it."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from statistics import median
from typing import TypeVar

import click
from parts import machine
from parts.paired import Timer, alternate, milliseconds, ratio
from parts.peers import Peer
from parts.results import FOLDER, Comparison, Result

_Command = TypeVar("_Command", bound=Callable[..., None])


class Report:
    """Collects what a run finds. Use it by `reported`."""

    def __init__(self, benchmark: str, conditions: str) -> None:
        self.benchmark, self.conditions = benchmark, conditions
        self.comparisons: list[Comparison] = []
        self.seconds: dict[str, dict[str, float]] = {}

    def say(self, text: str) -> None:
        """Print a line with the benchmark's name before it."""
        click.echo(f"{self.benchmark}: {text}")

    def compare(
        self,
        title: str,
        timers: Mapping[str, Timer],
        *,
        rounds: int,
        steps: int,
        warm_up: int = 10,
        targets: Mapping[str, float] | None = None,
    ) -> None:
        """Time the contenders in turns, then say and keep the ratio of the first one's time to each of the others'.

        `targets`: by the other's name, the most that the ratio may be.
        """
        self.say(f"{title}: {rounds} rounds of {steps}, load {machine.load()}")
        self.keep(title, alternate(timers, rounds=rounds, steps=steps, warm_up=warm_up), targets)

    def keep(self, title: str, seconds: Mapping[str, list[float]], targets: Mapping[str, float] | None = None) -> None:
        """The same of seconds that were measured already, a round each."""
        ours, *others = seconds
        self.seconds[title] = {name: median(found) for name, found in seconds.items()}
        self.say(f"{title}: {milliseconds(seconds)} each")
        for other in others:
            found = Comparison(title, ours, other, ratio(seconds[ours], seconds[other]), (targets or {}).get(other))
            verdict = "" if found.target is None else f"; target {found.target}: {'MISSED' if found.missed else 'met'}"
            self.say(f"{title}: {ours} / {other} = {found.ratio}{verdict}")
            self.comparisons.append(found)


@contextmanager
def reported(benchmark: str, folder: Path, peers: Mapping[Peer, str | None] | None = None) -> Iterator[Report]:
    """Say what the machine and the versions are, yield what collects the run's findings, and write them into the folder.

    `peers`: the Python of each; one that is None is said to be missing.
    """
    found, before, commit = machine.machine(), machine.load(), machine.commit()
    versions, report = machine.versions(), Report(benchmark, f"{found}, load {before}")
    for peer, python in (peers or {}).items():
        if python is None:
            report.say(f"{peer.name} is not compared; name a Python that has it with --{peer.name}-python")
        else:
            versions[peer.name] = machine.version_in(python, peer.distribution)
    report.say(report.conditions)
    report.say(", ".join(f"{name} {version}" for name, version in versions.items()))
    date = datetime.now(UTC).isoformat(timespec="seconds")
    try:
        yield report
    finally:  # a run that was interrupted keeps what it has found
        load = before, machine.load()
        result = Result(benchmark, date, commit, found, load, versions, report.seconds, tuple(report.comparisons))
        if report.seconds:
            report.say(f"load {load[0]} before, {load[1]} after; written to {result.write(folder)}")


def options(default_rounds: int) -> Callable[[_Command], _Command]:
    """The options of every benchmark: how often contenders take turns, and where the findings go."""

    def decorate(command: _Command) -> _Command:
        where = click.Path(file_okay=False, path_type=Path)
        rounds = click.option(
            "--rounds",
            default=default_rounds,
            show_default=True,
            type=click.IntRange(2),
            help="How often contenders alternate.",
        )
        folder = click.option(
            "--json", "folder", default=FOLDER, type=where, help="The folder that the findings go to."
        )
        return rounds(folder(command))

    return decorate
