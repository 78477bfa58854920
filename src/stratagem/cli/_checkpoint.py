"""`stratagem checkpoint`: lists the checkpoints in a directory and verifies that they are intact."""

import time

import click

from stratagem._checkpoints import CheckpointReport, report_on
from stratagem.cli._local_path import LocalPath

_FOLDER = click.argument("directory", type=LocalPath(exists=True, file_okay=False))


@click.group()
def command() -> None:
    """List and verify checkpoints."""


@command.command(name="list")
@_FOLDER
def list_checkpoints(directory: str) -> None:
    """List the checkpoints in DIRECTORY, oldest first; `*` marks the latest. Compares the sizes of files only.

    NOT FINITE names arrays in which there is a NaN or an infinity.
    """
    for report in _reports(directory, thorough=False):
        mark = "*" if report.latest else " "
        if report.problem:
            click.echo(f"{mark} {report.path}  BAD: {report.problem}")
        else:
            saved = time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(report.saved_at))
            click.echo(
                f"{mark} {report.path}  {saved}  {report.nbytes / 1e6:.2f} MB  {report.arrays} arrays  {report.values} values"
                + (f"  NOT FINITE: {report.non_finite}" if report.non_finite else "")
            )


@command.command()
@_FOLDER
def verify(directory: str) -> None:
    """Compare every byte of the checkpoints in DIRECTORY, or of the one that it is, with its checksum.

    The exit status is 0 if all of them are whole, 1 if not.
    """
    reports = _reports(directory, thorough=True)
    for report in reports:
        if report.problem:
            click.echo(f"BAD  {report.path}: {report.problem}")
        else:
            click.echo(f"ok   {report.path}: {report.files} files, {report.nbytes / 1e6:.2f} MB")
    bad = sum(bool(report.problem) for report in reports)
    if bad:
        click.echo(f"{bad} of {len(reports)} are bad", err=True)
        raise SystemExit(1)


def _reports(directory: str, *, thorough: bool) -> list[CheckpointReport]:
    try:
        reports = report_on(directory, thorough=thorough)
    except FileNotFoundError as error:  # removed since click looked
        raise click.ClickException(str(error)) from error
    if not reports:
        raise click.ClickException(f"No checkpoints in {directory!r}.")
    return reports
