"""`stratagem profile`: runs a program, and reports where the time of its steps went: a table, a chart, and the trace itself."""

import importlib
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import FrameType
from typing import final

import click

from stratagem._base.files import write_text
from stratagem._base.profile_settings import ProfileSettings
from stratagem.cli._path_types import LocalPath
from stratagem.cli._tables import as_json

_NOT_FOUND, _NOT_EXECUTABLE, _SIGNALLED = 127, 126, 128  # the exit statuses of shells
_NOTHING_MEASURED = 1
_CHART, _FACTS = "report.html", "report.json"


@click.command(context_settings={"allow_interspersed_args": False, "max_content_width": 100})
@click.option(
    "--out",
    type=LocalPath(file_okay=False, path_type=Path),
    default="profile",
    show_default=True,
    help="Gets a folder of this run.",
)
@click.option(
    "--skip",
    type=click.IntRange(min=0),
    default=ProfileSettings.skip,
    show_default=True,
    help="First steps to leave out.",
)
@click.option(
    "--steps",
    type=click.IntRange(min=1),
    default=ProfileSettings.steps,
    show_default=True,
    help="Steps to record then.",
)
@click.option(
    "--seconds",
    type=click.FloatRange(min=0, min_open=True),
    default=ProfileSettings.seconds,
    show_default=True,
    help="Longest time to record.",
)
@click.option("--json", "machine_readable", is_flag=True, help="Report as one JSON object.")
@click.argument("program", nargs=-1, type=click.UNPROCESSED, required=True, metavar="-- PROGRAM [ARGUMENTS]...")
def command(out: Path, skip: int, steps: int, seconds: float, machine_readable: bool, program: Sequence[str]) -> None:
    """Run PROGRAM, such as `python train.py` or `stratagem launch --workers 2 train.py`, and report where its steps' time went.

    A step is a call of a compiled program. Its time is divided into compute, collective, input, compile, checkpoint, host
    (Python and dispatch), and what is unaccounted for. With --json, what PROGRAM prints goes to stderr. The exit status is
    PROGRAM's; 1 if that is 0 and nothing was measured.
    """
    folder = _folder_of_run(out)
    settings = ProfileSettings(folder, skip, steps, seconds)
    try:
        code = _run(program, settings.variables(), silent=machine_readable)
    except OSError as error:
        _remove(folder)
        missing = not isinstance(error, PermissionError)
        cure = "There is none." if isinstance(error, FileNotFoundError) else f"{error.strerror}."
        if not missing:
            cure = f"It is no program. For a script: stratagem profile -- python {program[0]}"
        click.echo(f"Error: {program[0]!r} cannot be started. {cure}", err=True)
        sys.exit(_NOT_FOUND if missing else _NOT_EXECUTABLE)
    reported = _report(folder, program, code, machine_readable)
    sys.exit(code or reported)


def _report(folder: Path, program: Sequence[str], code: int, machine_readable: bool) -> int:
    """Reports what was measured; returns an exit status."""
    reading = importlib.import_module("stratagem.cli._profile_report")  # not earlier: JAX would be beside the program
    report = reading.ProfileReport.read(folder, program, code)
    for problem in report.problems:
        click.echo(f"stratagem profile: {problem}", err=True)
    if not report.tasks:
        _remove(folder)
        return _NOTHING_MEASURED
    write_text(folder / _FACTS, as_json(report.as_json()) + "\n")
    write_text(folder / _CHART, importlib.import_module("stratagem.cli._profile_chart").page(report))
    if machine_readable:
        click.echo(as_json(report.as_json()))
        return 0
    click.echo("\n".join(report.lines(bars="utf" in sys.stdout.encoding.lower())))
    click.echo(f"\nchart: {folder / _CHART}")
    click.echo(f"trace: tensorboard --logdir {folder} (its profile plugin), or *.trace.json.gz in ui.perfetto.dev")
    return 0


def _folder_of_run(out: Path) -> Path:
    """Makes and returns a folder for the files of this run."""
    folder = out.absolute() / f"{time.strftime('%Y-%m-%d_%H-%M-%S')}-{os.getpid()}"
    try:
        folder.mkdir(parents=True)
    except OSError as error:
        raise click.ClickException(
            f"{folder} cannot be made: {error.strerror}. Name another folder with --out."
        ) from None
    return folder


def _remove(folder: Path) -> None:
    """Removes the folder of a run, and the one for all runs if there has been no other."""
    shutil.rmtree(folder)
    if not any(folder.parent.iterdir()):
        folder.parent.rmdir()


def _run(program: Sequence[str], variables: Mapping[str, str], *, silent: bool) -> int:
    """Runs the program to its end; returns its exit status as a shell would. silent: its stdout becomes stderr.

    Raises FileNotFoundError, PermissionError: it cannot be started.
    """
    signals = _ForwardedSignals()
    with signals:
        stdout = sys.stderr.fileno() if silent else None
        process = subprocess.Popen(program, env={**os.environ, **variables}, stdout=stdout)
        signals.to = process
        code = process.wait()
    return _SIGNALLED - code if code < 0 else code


@final
class _ForwardedSignals:
    """Lets the program answer signals while it runs, whose end is then reported.

    A terminal sends Ctrl-C to the program, too; what asks a process to end reaches this one alone, and is passed on.
    """

    _PASSED_ON = (signal.SIGTERM, signal.SIGHUP)

    def __init__(self) -> None:
        self.to: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> None:
        # Functions, not SIG_IGN, which the program would inherit.
        self._before = {number: signal.signal(number, self._received) for number in (signal.SIGINT, *self._PASSED_ON)}

    def __exit__(self, *_: object) -> None:
        for number, before in self._before.items():
            signal.signal(number, before)

    def _received(self, number: int, frame: FrameType | None) -> None:
        if self.to is not None and number in self._PASSED_ON:
            self.to.send_signal(number)
