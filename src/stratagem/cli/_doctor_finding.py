"""Findings of `stratagem doctor`: one line each, with a verdict, and a cure where it is not good."""

import enum
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, final


@final
class Judgement(enum.StrEnum):
    """The judgement on one thing. Only BAD changes the exit status."""

    GOOD = "good"
    DOUBTFUL = "doubtful"
    BAD = "bad"


@final
@dataclass(frozen=True)
class Finding:
    """A fact about this task or its machine. cure: what to do; empty only where the verdict is good."""

    verdict: Judgement
    subject: str
    found: str
    cure: str = ""

    def as_json(self) -> dict[str, Any]:
        """The finding as an object of strings, `verdict`, `subject`, `found` and `cure`."""
        return {**asdict(self), "verdict": str(self.verdict)}

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> "Finding":
        """A finding that another task has sent."""
        return cls(Judgement(value["verdict"]), value["subject"], value["found"], value["cure"])


def good(subject: str, found: str) -> Finding:
    """A finding with nothing to do about."""
    return Finding(Judgement.GOOD, subject, found)


def doubtful(subject: str, found: str, cure: str) -> Finding:
    """A finding that may be meant so, and costs speed or safety if it is not."""
    return Finding(Judgement.DOUBTFUL, subject, found, cure)


def bad(subject: str, found: str, cure: str) -> Finding:
    """A finding with which a job does not run."""
    return Finding(Judgement.BAD, subject, found, cure)


def guarded(
    subject: str, check: Callable[[], Iterator[Finding]], cure: str | Callable[[Exception], str]
) -> Iterator[Finding]:
    """Yields the findings of a check; one that raises is itself a finding, since what it met is what users will meet.

    cure: what to do then, or what returns it, given the error.
    """
    try:
        yield from check()
    except Exception as error:
        yield bad(subject, in_one_line(error), cure if isinstance(cure, str) else cure(error))


def in_one_line(error: Exception) -> str:
    """The class and the text of an error; some have no text."""
    return ": ".join(filter(None, [type(error).__name__, " ".join(str(error).split())]))
