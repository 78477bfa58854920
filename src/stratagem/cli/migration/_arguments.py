"""Calls in a program, and the parameters of what they call: whether these take the arguments."""

import ast
from dataclasses import dataclass
from typing import final

_NAMED_ONLY, _ANY_NUMBER, _ANY_NAME = "*", "*+", "**"


@final
@dataclass(frozen=True)
class WrittenArguments:
    """The arguments of a call. named: their names; unnamed: how many have none; open: `*` or `**` may bring others.

    values: the expressions of those without a name; words: of those with one, by it.
    """

    named: tuple[str, ...] = ()
    unnamed: int = 0
    open: bool = False
    values: tuple[ast.expr, ...] = ()
    words: tuple[tuple[str, ast.expr], ...] = ()

    def argument(self, place: int, name: str) -> ast.expr | None:
        """The expression at a place or of a name, None if there is none."""
        return self.values[place] if place < len(self.values) else dict(self.words).get(name)


def arguments_of(node: ast.Call) -> WrittenArguments:
    """The arguments that a call is written with."""
    starred = sum(isinstance(each, ast.Starred) for each in node.args)
    names = tuple(word.arg for word in node.keywords if word.arg)
    is_open = bool(starred) or len(names) < len(node.keywords)
    words = tuple((word.arg, word.value) for word in node.keywords if word.arg)
    return WrittenArguments(names, len(node.args) - starred, is_open, () if starred else tuple(node.args), words)


@final
class Parameters:
    """The parameters of a function, method or class, of a line of the table: names in their order, `name!` without a default,
    `name/` that cannot be named, `*` before those that must be, `*+` for any number without names, `**` for any names."""

    def __init__(self, line: str, *, of_object: bool) -> None:
        """line: of the table. of_object: the method is called of an object, which is its first argument."""
        words = line.split()
        first = words[0].rstrip("!/") if words else ""
        if first == "cls" or (first == "self" and of_object):
            words = words[1:]
        self._any_number, self._any_name = _ANY_NUMBER in words, _ANY_NAME in words
        named_only = words.index(_NAMED_ONLY) if _NAMED_ONLY in words else len(words)
        kept = [word for word in words if not word.startswith("*")]
        ordered = [word for word in words[:named_only] if not word.startswith("*")]
        self._names = [word.rstrip("!") for word in kept if not word.endswith("/")]
        self._ordered = [word.rstrip("!/") for word in ordered]
        self._required = [word.rstrip("!/") for word in kept if "!" in word]

    def refusal(self, call: WrittenArguments) -> str | None:
        """Why the call is refused and what to do, None if it is not."""
        strange = [name for name in call.named if name not in self._names]
        if strange and not self._any_name:
            takes = ", ".join(name for name in self._names if name != "self") or "no arguments"
            return f"leave out {_quoted(strange)}: there is no such argument here; it takes {takes}"
        if call.unnamed > len(self._ordered) and not self._any_number:
            takes = f"{len(self._ordered)} ({', '.join(self._ordered)})" if self._ordered else "none"
            return f"{call.unnamed} arguments without names are too many: it takes {takes}"
        given = {*call.named, *self._ordered[: call.unnamed]}
        lacking = [name for name in self._required if name not in given]
        if lacking and not call.open:
            return f"give {_quoted(lacking)}, which must be given here"
        return None


def _quoted(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)
