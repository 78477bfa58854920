"""The report as one page of HTML that needs nothing else: no script, no font, no picture from elsewhere."""

from collections.abc import Iterator
from html import escape

from stratagem.cli.migration._findings import CheckReport, State, Use
from stratagem.cli.migration._texts import plain, summary

_STYLE = """
:root{color-scheme:light dark;--ink:#1c2430;--soft:#5b6675;--paper:#fff;--line:#e3e7ed;--missing:#c62f39;--unknown:#8a3fa0;
--differs:#b77700;--works:#2b8a4b}
@media(prefers-color-scheme:dark){:root{--ink:#e6eaf0;--soft:#9aa5b4;--paper:#14181e;--line:#2a313b;--missing:#ff7079;
--unknown:#cf8be3;--differs:#e8b04a;--works:#62c886}}
*{box-sizing:border-box}body{margin:0 auto;max-width:64rem;padding:2.5rem 1.25rem;background:var(--paper);color:var(--ink);
font:16px/1.5 system-ui,sans-serif}h1{font-size:1.5rem;margin:0 0 .25rem}h2{font-size:1.1rem;margin:2rem 0 .5rem}
p{margin:.25rem 0;color:var(--soft)}.bar{display:flex;height:.75rem;border-radius:.4rem;overflow:hidden;margin:1.25rem 0 .5rem;
background:var(--line)}.bar span{display:block}.key{display:flex;flex-wrap:wrap;gap:1.25rem;color:var(--soft)}
.key b{color:var(--ink)}details{border-top:1px solid var(--line);padding:.6rem 0}summary{cursor:pointer}
code{font:.9em ui-monospace,monospace;overflow-wrap:anywhere}
summary span{color:var(--soft)}ul{margin:.4rem 0;padding-left:1.4rem;
columns:20rem;color:var(--soft)}.missing{color:var(--missing)}.unknown{color:var(--unknown)}
.differs{color:var(--differs)}
.works{color:var(--works)}
"""
_TITLES = {
    State.MISSING: "Missing",
    State.UNKNOWN: "Unknown",
    State.DIFFERS: "Works with a difference",
    State.WORKS: "Works",
}


def page(report: CheckReport) -> str:
    """The whole page."""
    body = "\n".join(_body(report))
    head = '<meta charset="utf-8"><meta name="viewport" content="width=device-width">'
    head += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
    head += f"<title>stratagem check</title><style>{_STYLE}</style>"
    return f'<!doctype html>\n<html lang="en"><head>{head}</head><body>\n{body}\n</body></html>\n'


def _text(value: str) -> str:
    return escape(plain(value))


def _body(report: CheckReport) -> Iterator[str]:
    yield f"<h1>stratagem check</h1><p>{_text(summary(report))}</p>"
    total = max(len(report.uses), 1)
    widths = [(state, 100 * report.counts[state] / total) for state in reversed(_TITLES)]
    spans = (f'<span style="width:{width:.3f}%;background:var(--{state})"></span>' for state, width in widths)
    yield f'<div class="bar">{"".join(spans)}</div>'
    keys = (f'<span><b class="{s}">{report.counts[s]:,}</b> {_TITLES[s].lower()}</span>' for s, _ in widths)
    yield f'<div class="key">{"".join(keys)}</div>'
    yield f"<p>{report.files:,} files, {report.using:,} of them use TensorFlow</p>"
    for state, title in _TITLES.items():
        uses = [use for use in report.uses if use.verdict.state is state]
        if uses:
            yield f'<h2 class="{state}">{title}</h2>'
            yield from _names(uses, opened=state is State.MISSING)
    if report.habits:
        yield "<h2>Habits</h2>"
        for each in report.habits:
            yield _details(
                f"<code>{_text(str(each.place))}</code> <span>{_text(each.text)}</span>", [each.document], False
            )
    if report.unread:
        yield '<h2 class="missing">Not read</h2>'
        for one in report.unread:
            yield _details(f"<code>{_text(str(one.place))}</code> <span>{_text(one.why)}</span>", [], False)


def _names(uses: list[Use], *, opened: bool) -> Iterator[str]:
    by_name: dict[tuple[str, str, str], list[str]] = {}
    for use in uses:
        verdict = use.verdict
        by_name.setdefault((verdict.name, verdict.text, verdict.document), []).append(str(use.place))
    for (name, text, document), places in sorted(by_name.items()):
        said = ". ".join(filter(None, [text, document]))
        yield _details(f"<code>{_text(name)}</code> ({len(places)}) <span>{_text(said)}</span>", places, opened)


def _details(head: str, items: list[str], opened: bool) -> str:
    listed = "".join(f"<li><code>{_text(item)}</code></li>" for item in items)
    return f"<details{' open' if opened else ''}><summary>{head}</summary><ul>{listed}</ul></details>"
