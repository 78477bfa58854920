"""`stratagem checkpoint`: lists, shows, verifies, compares and converts checkpoints of this library and of TensorFlow."""

import contextlib
import dataclasses
import os
from collections.abc import Callable, Iterator

import click

from stratagem._base.errors import CheckpointError, OpError
from stratagem._checkpoints import (
    CheckpointFormat,
    CheckpointReport,
    Comparison,
    Difference,
    compared,
    convert,
    folders_below,
    keras_files,
    report_on,
    values_in,
)
from stratagem.cli._path_types import AnyPath
from stratagem.cli._tables import aligned, as_json, count, shortened, size, when

_PATH = AnyPath()
_FORMATS = {each.value: each for each in CheckpointFormat}
_MOST = 16  # elements of a value that is shown


class _Trouble(click.ClickException):
    """The command could not do what was asked; status 1 is left to say that checkpoints are damaged or differ."""

    exit_code = 2


@contextlib.contextmanager
def _troubles() -> Iterator[None]:
    try:
        yield
    except (OpError, CheckpointError, OSError) as error:
        raise _Trouble(str(error)) from error


def _json_option(command: Callable[..., None]) -> Callable[..., None]:
    return click.option("--json", "as_text", is_flag=True, help="Print JSON.")(command)


@click.group()
def command() -> None:
    """List, show, verify, compare and convert checkpoints.

    PATH is a checkpoint of this library (a directory) or of TensorFlow (the path without .index), a SavedModel of either, or
    a directory of them, here or on a remote file system (s3://...). Nothing of a model is executed. The exit status is 2 if a
    command cannot do what it was asked for.
    """


@command.command(name="ls")
@click.argument("path", metavar="DIRECTORY", type=_PATH)
@_json_option
def list_checkpoints(path: str, as_text: bool) -> None:
    """List the checkpoints and SavedModels in DIRECTORY by number; `*` marks the latest. Compares the sizes of files only.

    NOT FINITE names arrays in which there is a NaN or an infinity.
    """
    reports = _reports(path, thorough=False)
    if as_text:
        click.echo(as_json([dataclasses.asdict(each) for each in reports]))
        return
    head = ("  CHECKPOINT", "STEP", "SAVED", "SIZE", "ARRAYS", "FORMAT", "STATE")
    for line in aligned([head, *map(_row, reports)], right=(1, 3, 4)):
        click.echo(line)


command.add_command(list_checkpoints, "list")


def _row(report: CheckpointReport) -> tuple[str, ...]:
    path, step = f"{'* ' if report.latest else '  '}{report.path}", "-" if report.step is None else str(report.step)
    if report.problem:
        return path, step, "-", "-", "-", report.format, f"BAD: {report.problem}"
    state = f"NOT FINITE: {report.non_finite}" if report.non_finite else "ok"
    return path, step, when(report.saved_at), size(report.nbytes), str(report.arrays), report.format, state


@command.command()
@click.argument("path", type=_PATH)
@_json_option
def verify(path: str, as_text: bool) -> None:
    """Compare every byte of the checkpoint at PATH, or of all in that directory, with its checksum.

    The exit status is 0 if all of them are whole, 1 if not.
    """
    reports = _reports(path, thorough=True)
    if as_text:
        click.echo(as_json([dataclasses.asdict(each) for each in reports]))
    for report in () if as_text else reports:
        if report.problem:
            click.echo(f"BAD  {report.path}: {report.problem}")
        else:
            click.echo(f"ok   {report.path}: {count(report.files, 'file')}, {size(report.nbytes)}")
    bad = sum(bool(report.problem) for report in reports)
    if bad:
        click.echo(f"{bad} of {len(reports)} are bad", err=True)
        raise SystemExit(1)


@command.command()
@click.argument("path", type=_PATH)
@click.option("--values", is_flag=True, help=f"Also show values of at most {_MOST} elements.")
@_json_option
def show(path: str, values: bool, as_text: bool) -> None:
    """Show the names, shapes, dtypes and sizes of the values in the checkpoint at PATH, or in the latest of a directory."""
    with _troubles():
        found, reports = values_in(path, most=_MOST if values else 0)
    if as_text:
        facts = [dataclasses.asdict(each) for each in reports]
        click.echo(as_json({"path": found.values, "format": found.kind.value, "values": facts}))
        return
    click.echo(f"{found.values}  ({found.kind.value})\n")
    rows = [("NAME", "SHAPE", "DTYPE", "SIZE", *(["VALUE"] * values))]
    for each in reports:
        shape = "" if each.dtype == "json" else str([*each.shape])
        value = [] if not values else ["" if each.value is None else shortened(each.value)]
        rows.append((each.name, shape, each.dtype, size(each.nbytes), *value))
    for line in aligned(rows, right=(3,)):
        click.echo(line)
    click.echo(f"\n{count(len(reports), 'value')}, {size(sum(each.nbytes for each in reports))}")


@command.command()
@click.argument("first", type=_PATH)
@click.argument("second", type=_PATH)
@click.option(
    "--tolerance", type=click.FloatRange(min=0.0), default=0.0, help="Largest difference that counts as equal."
)
@_json_option
def diff(first: str, second: str, tolerance: float, as_text: bool) -> None:
    """Compare the values in two checkpoints, of whatever formats: by name, shape, dtype and largest absolute difference.

    The exit status is 0 if they are equal, 1 if they differ, 2 if one cannot be read.
    """
    with _troubles():
        found = compared(first, second, tolerance=tolerance)
    if as_text:
        click.echo(as_json(dataclasses.asdict(found)))
    else:
        _show_differences(found)
    if found.differences:
        raise SystemExit(1)


def _show_differences(found: Comparison) -> None:
    if found.differences:
        rows = [("NAME", "DIFFERENCE"), *((each.name, _in_words(each)) for each in found.differences)]
        for line in aligned(rows):
            click.echo(line)
        click.echo()
    within = f", {found.tolerated} of these within the tolerance" if found.tolerated else ""
    click.echo(f"{len(found.differences)} differ, {found.equal} are equal{within}")


def _in_words(each: Difference) -> str:
    match each.kind:
        case "missing":
            return f"only in the {'first' if each.first else 'second'}: {each.first or each.second}"
        case "value":
            largest = "" if each.largest is None else f", by at most {each.largest:.3g}"
            return f"{count(each.count, 'element')} of {each.first}{largest}"
        case kind:
            return f"{kind}: {each.first} and {each.second}"


@command.command(name="convert")
@click.argument("source", type=_PATH)
@click.argument("target", type=_PATH)
@click.option("--to", "format", type=click.Choice([*_FORMATS]), required=True, help="The format to write.")
@click.option("--overwrite", is_flag=True, help="Replace a checkpoint at TARGET.")
@_json_option
def convert_checkpoint(source: str, target: str, format: str, overwrite: bool, as_text: bool) -> None:
    """Write the values of the checkpoint at SOURCE, or of the latest of that directory, to TARGET in another format.

    TensorFlow restores what is converted to its format, and this library what is converted to its own, into the same objects.
    """
    with _troubles():
        done = convert(source, target, _FORMATS[format], overwrite=overwrite)
    if as_text:
        click.echo(as_json(dataclasses.asdict(done)))
        return
    click.echo(f"{done.target}  ({done.format}): {count(done.arrays, 'array')}, {size(done.nbytes)}")
    if done.left_out:
        click.echo(f"left out, as it has no place there: {', '.join(done.left_out)}", err=True)


def _reports(path: str, *, thorough: bool) -> list[CheckpointReport]:
    with _troubles():
        reports, others = report_on(path, thorough=thorough), [os.path.basename(file) for file in keras_files(path)]
        below = [] if reports else folders_below(path)
    left_out = (
        f"{count(len(others), 'file')} of Keras' format, which load_model or load_weights reads: {', '.join(others)}"
    )
    if below:
        raise _Trouble(f"No checkpoints in {path!r}, but in {', '.join(below)}: name one of these.")
    if not reports:
        raise _Trouble(f"No checkpoints in {path!r}{f', but {left_out}' if others else ''}.")
    if others:
        click.echo(f"left out: {left_out}", err=True)
    return reports
