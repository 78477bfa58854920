"""Lines of a notebook's cells that are not Python: magics of IPython, commands of a shell, questions."""

import re
from typing import final

_CELL = re.compile(r"\s*%%(\w*)(.*)")
_PYTHON_CELLS = {"time", "timeit", "capture", "prun", "python", "python3", "debug"}
_FILES = {"writefile", "file"}  # the rest of the cell is the text of a file
_LINE = re.compile(r"[%!?]|[\w.]+\s*\?{1,2}\s*$")
_ASSIGNED = re.compile(r"[\w.,\s]+=\s*[!%]\w*")
_TIMED = re.compile(r"(\s*(?:[\w.,\s]+=\s*)?)%(?:time|timeit|prun)(?=\s+[^\s-])")  # the rest of the line is Python
_TRIPLE = ('"""', "'''")
_PARTS = re.compile(r"#.*|\"\"\"|'''|\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*'|[()\[\]{}]")


def without_magics(text: str) -> str:
    """The text of a cell with `pass` in place of what is not Python, so that lines keep their numbers, blocks their bodies.

    Nothing is left of a cell that is a program of another language.
    """
    cell = _CELL.match(text)
    if cell is None:
        return _blank(text)
    name, rest = cell.groups()
    if name in _PYTHON_CELLS or (name in _FILES and rest.rstrip().endswith(".py")):
        return _blank(text)
    return ""


def _blank(text: str) -> str:
    made: list[str] = []
    state = _Statement()
    going_on = False  # a command goes on in the next line
    for line in text.split("\n"):
        if state.complete and not going_on:
            line = _TIMED.sub(_untimed, line, count=1)
        words = line.strip()
        magic = going_on or (state.complete and bool(_LINE.match(words) or _ASSIGNED.match(words)))
        if not magic:
            state.add(line)
        made.append(
            f"{line[: len(line) - len(line.lstrip())]}pass" if magic and not going_on else "" if magic else line
        )
        going_on = magic and words.endswith("\\")
    return "\n".join(made)


def _untimed(found: re.Match[str]) -> str:
    """Returns as many characters without the magic, before a statement that stays where it is."""
    before = found.group(1)
    rest = " " * (len(found.group()) - len(before))
    return f"{before}{rest}" if before.strip() else f"{before}0;{rest[2:]}"


@final
class _Statement:
    """The state of a statement after some of its lines: open brackets, an open text, a line that goes on."""

    def __init__(self) -> None:
        self._depth = 0
        self._quotes: str | None = None
        self._goes_on = False

    @property
    def complete(self) -> bool:
        """Returns whether the next line begins a statement."""
        return self._depth <= 0 and self._quotes is None and not self._goes_on

    def add(self, line: str) -> None:
        """Reads a line."""
        place = 0
        while place < len(line):
            if self._quotes is not None:
                end = line.find(self._quotes, place)
                if end < 0:
                    break
                place, self._quotes = end + 3, None
                continue
            found = _PARTS.search(line, place)
            if found is None:
                break
            place = found.end()
            self._take(found.group())
        self._goes_on = self._quotes is None and line.endswith("\\")

    def _take(self, part: str) -> None:
        if part in _TRIPLE:
            self._quotes = part
        elif part in "([{":
            self._depth += 1
        elif part in ")]}":
            self._depth -= 1
