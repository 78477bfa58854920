"""Attempts: `try` statements in which a program looks for a name of TensorFlow itself, and goes on without it."""

import ast
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import final

from stratagem.cli.migration._findings import State, Verdict
from stratagem.cli.migration._packages import belongs

_IMPORT = frozenset({"ImportError", "ModuleNotFoundError"})
_OF_NAMES = _IMPORT | {"AttributeError", "TypeError"}  # what a missing name or argument raises
_ANY = frozenset({"Exception", "BaseException"})
_ABSENT = (State.MISSING, State.UNKNOWN)


@final
@dataclass(frozen=True)
class Tried:
    """A place in a `try` statement.

    number: of the statement in its file. catches: the exceptions with which the program goes on in a handler. handling: the
    place is in the handler for these exceptions, not in what is tried. certain: nothing but names of TensorFlow is imported.
    """

    number: int
    catches: frozenset[str]
    handling: bool = False
    certain: bool = True


def places_of(node: ast.Try, number: int) -> tuple[Tried, list[Tried]]:
    """Returns the place of what a statement tries, and those of its handlers."""
    imports = [each for each in node.body if isinstance(each, ast.Import | ast.ImportFrom)]
    certain = all(_of_tensorflow(each) for each in imports)
    catches = [_caught(each, short=len(node.body) == 1) for each in node.handlers]
    handlers = [Tried(number, names, handling=True, certain=certain) for names in catches]
    return Tried(number, frozenset().union(*catches)), handlers


def _of_tensorflow(node: ast.Import | ast.ImportFrom) -> bool:
    if isinstance(node, ast.Import):
        return all(belongs(alias.name) for alias in node.names)
    return not node.level and belongs(node.module or "")


def _caught(handler: ast.ExceptHandler, *, short: bool) -> frozenset[str]:
    """The names of the exceptions with which a handler goes on. That all exceptions are caught counts for one statement only,
    and if something is done in its place: else it is no search for a name."""
    if isinstance(handler.body[-1], ast.Raise):
        return frozenset()
    short = short and not all(isinstance(each, ast.Pass) for each in handler.body)
    if handler.type is None:
        return _ANY if short else frozenset()
    kinds = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    names = {ast.unparse(each).rpartition(".")[2] for each in kinds}
    return frozenset(names if short else names - _ANY)


def settled(found: Iterable[tuple[tuple[Tried, ...], bool, Verdict | None]]) -> list[Verdict | None]:
    """The verdicts on uses of a file, in which what the program's own handlers do without is no change that it needs.

    found: by use its places in `try` statements, from the outermost, whether it is imported, and the verdict on it alone.
    """
    rows = list(found)
    failing: set[int] = set()
    attempted = {place.number for tried, _, _ in rows for place in tried if not place.handling}
    made: list[Verdict | None] = []
    for tried, is_imported, verdict in rows:
        place = _handled(tried, is_imported, verdict)
        if place is not None and verdict is not None:
            failing.add(place.number)
            error = _error(is_imported, verdict)
            said = f"{error} here, which the program handles itself: it is not needed"
            verdict = replace(verdict, state=State.DIFFERS, text=said)
        made.append(verdict)
    return [
        _unreached(verdict, tried, attempted - failing) if verdict else None
        for verdict, (tried, _, _) in zip(made, rows, strict=True)
    ]


def _error(is_imported: bool, verdict: Verdict) -> str:
    if verdict.by_arguments:
        return "TypeError"
    return "ImportError" if is_imported else "AttributeError"


def _handled(tried: tuple[Tried, ...], is_imported: bool, verdict: Verdict | None) -> Tried | None:
    """The statement that handles the error which a use raises here."""
    if verdict is None or verdict.state not in _ABSENT:
        return None
    error = _error(is_imported, verdict)
    wanted = _ANY | (_IMPORT if error == "ImportError" else {error})
    return next((place for place in reversed(tried) if not place.handling and place.catches & wanted), None)


def _unreached(verdict: Verdict, tried: tuple[Tried, ...], working: set[int]) -> Verdict:
    """The verdict on a use in a handler which is for names that are there."""
    for place in tried:
        specific = place.catches and place.catches <= _OF_NAMES and (place.certain or not place.catches & _IMPORT)
        if place.handling and specific and place.number in working and verdict.state in _ABSENT:
            return replace(verdict, state=State.WORKS, text="is not reached: what is tried before is here", document="")
    return verdict
