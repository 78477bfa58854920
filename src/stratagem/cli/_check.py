"""`stratagem check`: tells which uses of TensorFlow in a program work here, and rewrites its import statements."""

import difflib
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import final

import click

from stratagem._base.files import write_text
from stratagem.cli._tables import as_json, count
from stratagem.cli.migration import CheckReport, Edited, edited, examine, facts, lines, page, plain, write

_FILE = "file://"


@final
class _SourcePath(click.Path):
    """A path of this machine; `file://` is one, another scheme is refused."""

    def convert(
        self, value: str | os.PathLike[str], param: click.Parameter | None, ctx: click.Context | None
    ) -> str | bytes | os.PathLike[str]:
        text = os.fspath(value)
        text = text.removeprefix(_FILE)
        if "://" in text:
            scheme = text.partition("://")[0]
            self.fail(
                f"{plain(text)!r}: scheme {plain(scheme)!r} is not implemented; copy the program here first", param, ctx
            )
        return super().convert(text, param, ctx)


@click.command()
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=_SourcePath(exists=True))
@click.option("--all", "everything", is_flag=True, help="Also list the uses that work, and every place.")
@click.option("--json", "as_text", is_flag=True, help="Print JSON.")
@click.option("--html", metavar="FILE", type=_SourcePath(dir_okay=False), help="Also write the report as one page.")
@click.option("--fix", is_flag=True, help="Rewrite the import statements: shows the changes and asks.")
@click.option("--yes", is_flag=True, help="With --fix: do not ask.")
def command(paths: Sequence[str], everything: bool, as_text: bool, html: str | None, fix: bool, yes: bool) -> None:
    """Tell which uses of TensorFlow in a program work here.

    PATH is a Python file, a notebook or a folder. Nothing of the program is imported or run. The exit status is 0 if all uses
    work, 1 if one is missing or unknown or a file could not be read, 2 if the command was used wrongly.
    """
    if yes and not fix:
        raise click.UsageError("--yes goes with --fix.")
    if fix and as_text:
        raise click.UsageError("--fix asks and shows a diff: use --json in a call of its own.")
    try:
        report = examine(paths)
        if html is not None:
            write_text(Path(html), page(report))
    except OSError as error:
        raise _trouble(error) from error
    if as_text:
        click.echo(as_json(facts(report)))
    else:
        for line in lines(report, lambda text, colour: click.style(text, fg=colour, bold=True), everything=everything):
            click.echo(line)
    if fix:
        _fix(report, yes)
    if not report.clean:
        raise SystemExit(1)


@final
class _FileTrouble(click.ClickException):
    """A file could not be read or written as asked; status 1 is left to say that something is missing."""

    exit_code = 2


def _trouble(error: OSError) -> click.ClickException:
    return _FileTrouble(plain(str(error)))


def _fix(report: CheckReport, yes: bool) -> None:
    """Shows the edits of all files that use TensorFlow, asks, and writes them."""
    names = sorted({use.place.file for use in report.uses} | {place.file for place in report.importing})
    done = [edited(name) for name in names]
    changed = [each for each in done if each.after != each.before]
    for each in changed:
        for line in _diff(each):
            click.echo(line)
    for each in done:
        for refused in each.refused:
            click.echo(plain(f"left as it is: {refused}"), err=True)
    if not changed:
        click.echo("no import statement to rewrite")
        return
    if not yes and not _agreed(f"Rewrite {count(len(changed), 'file')}?"):
        click.echo("nothing was written")
        return
    for each in changed:
        try:
            write(each)
        except OSError as error:
            raise _trouble(error) from error
    click.echo(f"{count(len(changed), 'file')} rewritten")


def _agreed(question: str) -> bool:
    """Asks. Raises UsageError where nobody can answer: the standard input has ended and is no terminal."""
    try:
        return click.confirm(question)
    except click.Abort:
        if sys.stdin.isatty():
            raise
        click.echo()
        raise click.UsageError("nothing was written, for nobody answers here: --fix --yes does not ask.") from None


def _diff(each: Edited) -> list[str]:
    before, after = (text.decode("utf-8", "backslashreplace").splitlines() for text in (each.before, each.after))
    name = plain(each.path)
    found = difflib.unified_diff(before, after, name, name, n=1, lineterm="")
    colours = {"+": "green", "-": "red"} if sys.stdout.isatty() else {}
    return [click.style(plain(line.replace("\t", "    ")), fg=colours.get(line[:1])) for line in found]
