"""Tables on the terminal: aligned columns, sizes, times, and JSON for machines."""

import json
import math
import time
from collections.abc import Collection, Iterator, Sequence
from typing import Any

_UNITS = ("B", "kB", "MB", "GB", "TB")
_WIDEST = 60  # characters of a value


def aligned(rows: Sequence[Sequence[str]], right: Collection[int] = ()) -> Iterator[str]:
    """The lines of a table. rows: of equally many columns. right: the numbers of columns that are aligned on their right."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        cells = (
            cell.rjust(width) if i in right else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip()


def size(nbytes: int) -> str:
    """A number of bytes in the largest unit of which there is at least one."""
    unit = min(len(_UNITS) - 1, int(math.log10(nbytes)) // 3) if nbytes > 0 else 0
    return f"{nbytes / 1000**unit:.{2 * (unit > 0)}f} {_UNITS[unit]}"


def when(seconds: float) -> str:
    """A time in seconds since 1970 as the local date and time."""
    try:
        return time.strftime("%Y-%m-%d %H:%M:%S", time.localtime(seconds))
    except (ValueError, OverflowError, OSError):  # a stranger's file may say anything
        return "-"


def count(number: int, noun: str) -> str:
    """A number of things, in words."""
    return f"{number:,} {noun}{'s' * (number != 1)}"


def shortened(value: Any) -> str:
    """A value as JSON in one line, cut where it is long."""
    text = json.dumps(_finite(value), ensure_ascii=False)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def as_json(value: Any) -> str:
    """A value as JSON; numbers that JSON does not have are texts, `nan`, `inf`, `-inf`."""
    return json.dumps(_finite(value), indent=1, allow_nan=False)


def _finite(value: Any) -> Any:
    match value:
        case float() if not math.isfinite(value):
            return str(value)
        case dict():
            return {key: _finite(each) for key, each in value.items()}
        case list() | tuple():
            return [_finite(each) for each in value]
        case _:
            return value
