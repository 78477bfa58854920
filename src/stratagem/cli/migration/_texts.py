"""The report as text for people and as facts for JSON."""

from collections.abc import Callable, Iterator
from typing import Any

from stratagem.cli._tables import count
from stratagem.cli.migration._findings import CheckReport, State, Use

SCHEMA = 1
_COLOURS = {State.MISSING: "red", State.UNKNOWN: "magenta", State.DIFFERS: "yellow", State.WORKS: "green"}
_SHOWN = (State.MISSING, State.UNKNOWN, State.DIFFERS)
_PLACES = 5  # of one difference that are listed
Paint = Callable[[str, str], str]


def plain(text: str) -> str:
    """A text of the program's without characters that a terminal obeys."""
    return "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def summary(report: CheckReport) -> str:
    """The line at the end: '94 % of 312 uses work; to change: the import, and 3 more lines'."""
    if not report.uses:
        unread = f"; {count(len(report.unread), 'file or cell')} could not be read" if report.unread else ""
        return f"no use of TensorFlow in {count(report.files, 'file')}{unread}"
    share = int(100 * report.working / len(report.uses))  # rounded down: 100 % only if all of them work
    text = f"{share} % of {count(len(report.uses), 'use')} work; {_to_change(report)}"
    differ = report.counts[State.DIFFERS]
    text += f"; {differ:,} work with a difference" if differ else ""
    return f"{text}; {len(report.unread):,} could not be read" if report.unread else text


def _to_change(report: CheckReport) -> str:
    imports, more = report.imports_to_change, report.lines_to_change
    if not imports:
        return f"{count(more, 'line')} to change"
    named = "the import" if imports == 1 else count(imports, "import")
    return f"to change: {named}, and {count(more, 'more line') if more else 'no other line'}"


def lines(report: CheckReport, paint: Paint, *, everything: bool) -> Iterator[str]:
    """The lines of the report. paint: gives a text a colour by name. everything: also each use that works, and every place."""
    for state in (*_SHOWN, State.WORKS) if everything else _SHOWN:
        uses = [use for use in report.uses if use.verdict.state is state]
        if uses:
            yield paint(f"{state.upper()}  {len(uses):,}", _COLOURS[state])
            yield from _of_state(uses, state, len(uses) if everything or state is not State.DIFFERS else _PLACES)
            yield ""
    if report.habits:
        yield paint(f"HABITS  {len(report.habits):,}", "cyan")
        for habit in report.habits:
            yield plain(f"  {habit.place}: {habit.text} ({habit.document})")
        yield ""
    if report.unread:
        yield paint(f"NOT READ  {len(report.unread):,}", "red")
        for each in report.unread:
            yield plain(f"  {each.place}: {each.why}")
        yield ""
    yield summary(report)


def _of_state(uses: list[Use], state: State, most: int) -> Iterator[str]:
    """The names with their sentences, and the places of each."""
    by_name: dict[tuple[str, str, str], list[Use]] = {}
    for use in uses:
        verdict = use.verdict
        by_name.setdefault((verdict.name, verdict.text, verdict.document), []).append(use)
    for (name, text, document), found in sorted(by_name.items()):
        said = f": {text}" if text else ""
        yield plain(f"  {name}{said}{f' ({document})' if document else ''}")
        places = [str(use.place) for use in found]
        for place in places[:most]:
            yield plain(f"      {place}")
        if len(places) > most:
            yield f"      and {len(places) - most:,} more (--all)"


def facts(report: CheckReport) -> Any:
    """The report for machines; docs/check.md describes it."""
    return {
        "schema": SCHEMA,
        "files": report.files,
        "files_using_tensorflow": report.using,
        "counts": {str(state): report.counts[state] for state in State},
        "imports_to_change": report.imports_to_change,
        "lines_to_change": report.lines_to_change,
        "uses": [
            {
                "file": use.place.file,
                "cell": use.place.cell or None,
                "line": use.place.line,
                "name": use.verdict.name,
                "state": str(use.verdict.state),
                "text": use.verdict.text,
                "document": use.verdict.document,
            }
            for use in report.uses
        ],
        "habits": [
            {
                "file": each.place.file,
                "cell": each.place.cell or None,
                "line": each.place.line,
                "kind": each.kind,
                "text": each.text,
                "document": each.document,
            }
            for each in report.habits
        ],
        "unread": [
            {"file": e.place.file, "cell": e.place.cell or None, "line": e.place.line or None, "why": e.why}
            for e in report.unread
        ],
    }
