"""Tables in HTML, by which notebooks show strategies, data sets, checkpoints and histories."""

import html
from collections.abc import Sequence

_LEFT = ' style="text-align: left"'


def html_table(title: str, rows: Sequence[Sequence[str]], header: Sequence[str] = ()) -> str:
    """Returns a table with a title above it, whose texts are escaped. Without a header, a row's first text is its name."""
    lines = [f"<strong>{html.escape(title)}</strong>", "<table>"]
    if header:
        lines.append(f"<thead><tr>{''.join(f'<th>{html.escape(name)}</th>' for name in header)}</tr></thead>")
    lines.append("<tbody>")
    for row in rows:
        kinds = ["td"] * len(row) if header else ["th", *["td"] * (len(row) - 1)]
        cells = [f"<{kind}{_LEFT}>{html.escape(text)}</{kind}>" for kind, text in zip(kinds, row, strict=True)]
        lines.append(f"<tr>{''.join(cells)}</tr>")
    return "\n".join([*lines, "</tbody>", "</table>"])
