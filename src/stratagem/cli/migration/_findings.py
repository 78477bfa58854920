"""Findings of the checker: each use of TensorFlow with its state, habits, files that could not be read."""

import enum
from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import final


@final
class State(enum.StrEnum):
    """The verdict on one use."""

    WORKS = "works"
    DIFFERS = "differs"
    MISSING = "missing"
    UNKNOWN = "unknown"


@final
@dataclass(frozen=True, order=True)
class Place:
    """A line of a file, from 1; in a notebook also the number of its cell, from 1 (elsewhere 0)."""

    file: str
    cell: int
    line: int

    def __str__(self) -> str:
        return f"{self.file}:{f'cell {self.cell}:' if self.cell else ''}{self.line}"


@final
@dataclass(frozen=True)
class Verdict:
    """The state of a name: its full name, a sentence on what differs or what to do, and the document that says more.

    by_arguments: the name is there, and refuses the arguments.
    """

    name: str
    state: State
    text: str = ""
    document: str = ""
    by_arguments: bool = False


@final
@dataclass(frozen=True)
class Use:
    """One use of a name of TensorFlow at a place."""

    place: Place
    verdict: Verdict


@final
@dataclass(frozen=True)
class Habit:
    """Code that works in TensorFlow in a way to know about here. kind: a word for machines."""

    place: Place
    kind: str
    text: str
    document: str


@final
@dataclass(frozen=True)
class Unread:
    """A file, or a cell of a notebook, that could not be examined, and why."""

    place: Place
    why: str


@final
@dataclass(frozen=True)
class CheckReport:
    """All that was found. files: how many were examined; using: how many of them use TensorFlow; importing: the lines that
    import its modules."""

    files: int
    using: int
    importing: tuple[Place, ...]
    uses: tuple[Use, ...]
    habits: tuple[Habit, ...]
    unread: tuple[Unread, ...]

    @cached_property
    def counts(self) -> Counter[State]:
        """The number of uses in each state."""
        return Counter(use.verdict.state for use in self.uses)

    @property
    def working(self) -> int:
        """The number of uses that work, with a difference or without."""
        return self.counts[State.WORKS] + self.counts[State.DIFFERS]

    @cached_property
    def _wrong(self) -> set[Place]:
        return {use.place for use in self.uses if use.verdict.state in (State.MISSING, State.UNKNOWN)}

    @property
    def lines_to_change(self) -> int:
        """The number of lines that have a use that is missing or unknown."""
        return len(self._wrong)

    @cached_property
    def imports_to_change(self) -> int:
        """The number of other lines that import TensorFlow's modules, which are to import this library's."""
        return len(set(self.importing) - self._wrong)

    @property
    def clean(self) -> bool:
        """True if every file was read and every use works."""
        return not self.lines_to_change and not self.unread
