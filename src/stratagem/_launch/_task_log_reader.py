"""The log files of tasks, read while they grow."""

import re
from pathlib import Path
from typing import Final, final

_CHUNK = 1 << 20  # bytes read at a time; a task that prints faster is caught up with later
_LAST = 1 << 16  # bytes read when only the last line is needed
_LONGEST = 1 << 16  # a longer line is returned in parts
_CONTROL = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_TRACEBACK = "Traceback (most recent call last)"
_FEW, _MANY = 8, 30  # lines of an error


@final
class TaskLogReader:
    """The log of a task.

    whole: every line is needed, not only the last one.
    """

    def __init__(self, path: Path, *, whole: bool) -> None:
        self.path: Final = path
        self.last = ""
        self.whole: Final = whole
        self._place = 0
        self._rest = b""

    def read(self) -> list[str]:
        """The lines that were added since the last call, without text that a progress bar has overwritten."""
        try:
            with self.path.open("rb") as file:
                if not self.whole:
                    self._skip(file.seek(0, 2))
                file.seek(self._place)
                data = file.read(_CHUNK)
        except FileNotFoundError:  # its task is not started yet
            return []
        self._place += len(data)
        *lines, self._rest = (self._rest + data).split(b"\n")
        if len(self._rest) > _LONGEST:
            lines, self._rest = [*lines, self._rest], b""
        found = [_shown(line) for line in lines]
        self.last = next((text for text in (_shown(self._rest), *reversed(found)) if text.strip()), self.last)
        return found

    def rest(self) -> list[str]:
        """All remaining lines, including a last one without a newline."""
        found = []
        place = -1
        while place != self._place:
            place = self._place
            found += self.read()
        unended, self._rest = _shown(self._rest), b""
        return [*found, unended] if unended else found

    def _skip(self, size: int) -> None:
        if size - self._place > _LAST:
            self._place, self._rest = size - _LAST, b""


def plain(text: str) -> str:
    """Removes colours and other control characters, which could garble a terminal."""
    return _CONTROL.sub("", text).expandtabs()


def tail(path: Path) -> str:
    """The last 64 kB of a log, without control characters."""
    with path.open("rb") as file:
        file.seek(max(0, file.seek(0, 2) - _LAST))
        return "\n".join(plain(_shown(line)) for line in file.read().split(b"\n"))


def error_lines(text: str) -> list[str]:
    """The last traceback of a log, shortened in the middle, or its last lines."""
    lines = [line for line in text.splitlines() if line.strip()]
    begins = [i for i, line in enumerate(lines) if _TRACEBACK in line]
    if not begins:
        return lines[-_FEW:]
    found = lines[begins[-1] :]
    return found if len(found) <= _MANY else [*found[:3], "  ...", *found[-(_MANY - 4) :]]


def _shown(line: bytes) -> str:
    return line.rstrip(b"\r").rpartition(b"\r")[2].decode(errors="replace")
