"""The chart of `stratagem profile`: a page of its own, with a bar of each task's parts and what it did as time went on."""

from collections.abc import Iterator
from html import escape
from itertools import groupby

from stratagem.cli._profile_report import MEANINGS, ProfiledTask, ProfileReport
from stratagem.cli._profile_trace import PARTS, DividedTime
from stratagem.cli._tables import count

COLOURS = {
    "compute": "#2563eb",
    "collective": "#f59e0b",
    "input": "#16a34a",
    "compile": "#dc2626",
    "checkpoint": "#7c3aed",
    "host": "#64748b",
    "unaccounted": "#d6d3d1",
}
_WIDTH, _LEFT, _BAR, _STRIP = 900, 176, 34, 18
_TASK = 112  # the height of a task's picture
_LEGEND = 44
_LEAST_LABEL = 0.07  # of the bar: less has no room for a number
_FONT = "font-family='system-ui, Helvetica, Arial, sans-serif'"
_STYLE = (
    "body{font-family:system-ui,Helvetica,Arial,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#1f2937}"
    "table{border-collapse:collapse;margin:1rem 0}td,th{padding:.2rem .9rem;text-align:right}"
    "td:first-child,th:first-child{text-align:left}tr:nth-child(even){background:#f3f4f6}code{background:#f3f4f6}"
)


def page(report: ProfileReport) -> str:
    """The page, which needs no other file."""
    program = escape(" ".join(report.program))
    return "\n".join(
        [
            "<!doctype html>",
            f"<html lang='en'><head><meta charset='utf-8'><title>Profile of {program}</title><style>{_STYLE}</style></head>",
            f"<body><h1>Where the time of a step went</h1><p><code>{program}</code></p>",
            picture(report),
            *_tables(report),
            "</body></html>",
            "",
        ]
    )


def picture(report: ProfileReport) -> str:
    """The bars and strips of all tasks that took steps, as SVG."""
    measured = [(task, task.time) for task in report.tasks if task.time is not None]
    height = _LEGEND + _TASK * len(measured)
    shapes = [shape for i, (task, time) in enumerate(measured) for shape in _task(task, time, _LEGEND + i * _TASK)]
    return "\n".join(
        [
            f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {_WIDTH} {height}' width='{_WIDTH}' height='{height}' "
            "role='img' aria-label='The parts of a step, by task'>",
            f"<rect width='{_WIDTH}' height='{height}' fill='white'/>",
            *_legend(),
            *shapes,
            "</svg>",
        ]
    )


def _legend() -> Iterator[str]:
    step = _WIDTH / len(PARTS)
    for i, part in enumerate(PARTS):
        x = round(i * step) + 8
        yield f"<rect x='{x}' y='10' width='14' height='14' rx='3' fill='{COLOURS[part]}'/>"
        yield _text(x + 20, 22, part)


def _task(task: ProfiledTask, time: DividedTime, top: int) -> Iterator[str]:
    facts, width = task.facts, _WIDTH - _LEFT - 10
    step = f"{count(facts.steps, 'step')} of {1e3 * time.seconds / facts.steps:,.2f} ms"
    yield _text(8, top + 16, facts.task, bold=True)
    yield _text(8, top + 34, facts.host)
    yield _text(8, top + 52, step)
    x = float(_LEFT)
    for part in PARTS:
        share = time.parts[part] / time.seconds
        label = f"{part}: {1e3 * time.parts[part] / facts.steps:,.2f} ms a step, {100 * share:.1f} %"
        yield (
            f"<rect x='{x:.1f}' y='{top}' width='{width * share:.1f}' height='{_BAR}' fill='{COLOURS[part]}'>"
            f"<title>{label}</title></rect>"
        )
        if share >= _LEAST_LABEL:
            ink = "#1f2937" if part == "unaccounted" else "white"
            yield _text(x + width * share / 2, top + 22, f"{100 * share:.0f} %", anchor="middle", ink=ink)
        x += width * share
    yield from _strip(time, top + _BAR + 8, width)
    yield _text(_LEFT, top + _BAR + 8 + _STRIP + 16, "0 s")
    yield _text(_LEFT + width, top + _BAR + 8 + _STRIP + 16, f"{time.seconds:.3g} s", anchor="end")


def _strip(time: DividedTime, top: int, width: int) -> Iterator[str]:
    """The largest part of each piece of the time, as colours."""
    piece, at = width / len(time.timeline), 0
    for part, alike in groupby(time.timeline):
        number = len(list(alike))
        x = _LEFT + at * piece
        yield (
            f"<rect x='{x:.1f}' y='{top}' width='{number * piece:.1f}' height='{_STRIP}' fill='{COLOURS[part]}'>"
            f"<title>{part}</title></rect>"
        )
        at += number


def _tables(report: ProfileReport) -> Iterator[str]:
    for task in report.tasks:
        yield f"<h2>{escape(task.name)}</h2>"
        if task.time is not None:
            yield "<table><tr><th>part</th><th>ms a step</th><th>share</th></tr>"
            for part in PARTS:
                spent = task.time.parts[part]
                yield f"<tr><td>{part}</td><td>{1e3 * spent / task.facts.steps:,.2f}</td>"
                yield f"<td>{100 * spent / task.time.seconds:.1f} %</td></tr>"
            what, cure = MEANINGS[task.largest]
            yield f"</table><p>{task.largest} is the largest part: {escape(what)}. {escape(cure)}</p>"
        for name, spent in task.facts.coordinated.items():
            yield f"<table><tr><th>{escape(name)}</th><th>s of {count(spent['steps'], 'step')}</th></tr>"
            yield from (f"<tr><td>{escape(p)}</td><td>{s:.3f}</td></tr>" for p, s in spent["seconds"].items())
            yield "</table>"


def _text(x: float, y: float, text: str, *, anchor: str = "start", bold: bool = False, ink: str = "#1f2937") -> str:
    weight = " font-weight='600'" if bold else ""
    style = f"{_FONT} font-size='13' fill='{ink}' text-anchor='{anchor}'{weight}"
    return f"<text x='{x:.1f}' y='{y:.1f}' {style}>{escape(text)}</text>"
