"""Edits of import statements: TensorFlow's modules become this library's, and every other byte of a file stays."""

import ast
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import final

from stratagem._base.files import atomic_write
from stratagem.cli.migration._findings import State
from stratagem.cli.migration._notebook_strings import source_offsets
from stratagem.cli.migration._packages import ADDONS, KERAS
from stratagem.cli.migration._sources import Piece, UnreadableError, cells, content, decoded, parsed, pieces
from stratagem.cli.migration._table import canonical_name, shipped_table

_LINE = re.compile(r"\r\n|\r|\n")
_FROM = re.compile(r"from(?:[ \t\f]|\\(?:\r\n|\r|\n))+")


@final
@dataclass(frozen=True)
class Edit:
    """A replacement in a text: from one character to before another."""

    start: int
    end: int
    text: str


@final
@dataclass(frozen=True)
class Refused:
    """An import statement, or a file (line 0), that stays as it is, and why."""

    file: str
    cell: int
    line: int
    why: str

    def __str__(self) -> str:
        return f"{self.file}:{f'cell {self.cell}:' if self.cell else ''}{self.line or ''}: {self.why}".replace(
            "::", ":"
        )


@final
@dataclass(frozen=True)
class Edited:
    """A file before and after the edits, and the statements that stay."""

    path: str
    before: bytes
    after: bytes
    refused: tuple[Refused, ...]


def edited(path: str) -> Edited:
    """The edits of a file; `before` and `after` are equal if there are none. Nothing is written."""
    try:
        data = content(path)
        listed = pieces(path, data)
    except UnreadableError as error:
        return Edited(path, b"", b"", (Refused(path, 0, 0, str(error)),))
    edits: dict[int, list[Edit]] = {}
    refused: list[Refused] = []
    for piece in listed:
        try:
            tree = parsed(piece, path)
        except SyntaxError as error:
            refused.append(Refused(path, piece.cell, error.lineno or 0, f"syntax error: {error.msg}"))
            continue
        for found in _edits(piece, tree):
            if isinstance(found, Edit):
                edits.setdefault(piece.cell, []).append(found)
            else:
                refused.append(Refused(path, piece.cell, *found))
    after = data
    try:
        if edits:
            after = _notebook(data, edits) if path.endswith(".ipynb") else _script(data, edits[0])
            _check(path, after, listed, edits)
    except UnreadableError as error:
        return Edited(path, data, data, (*refused, Refused(path, 0, 0, str(error))))
    return Edited(path, data, after, tuple(refused))


def _check(path: str, after: bytes, before: list[Piece], edits: dict[int, list[Edit]]) -> None:
    """Raises UnreadableError unless the new file has exactly the edited texts."""
    wanted = [applied(piece.text, edits.get(piece.cell, [])) for piece in before]
    if [piece.text for piece in pieces(path, after)] != wanted:
        raise UnreadableError("the edited file would not be read as it should")


def write(done: Edited) -> None:
    """Writes the edited file in place of the old one: whole, or not at all, with its permissions.

    Raises:
        OSError: it cannot be written, has changed meanwhile, or has other names (hard links), which would keep the old text.
    """
    target = Path(os.path.realpath(done.path))
    found = target.stat()
    if found.st_nlink > 1:
        raise OSError(f"{done.path} has {found.st_nlink} hard links: copy it first")
    if target.read_bytes() != done.before:
        raise OSError(f"{done.path} has changed since it was read: run the command again")
    with atomic_write(target, mode=0o600) as written:
        written.write_bytes(done.after)
        written.chmod(stat.S_IMODE(found.st_mode))


def applied(text: str, edits: list[Edit]) -> str:
    """A text with its edits made."""
    for edit in sorted(edits, key=lambda each: each.start, reverse=True):
        text = f"{text[: edit.start]}{edit.text}{text[edit.end :]}"
    return text


def _script(data: bytes, edits: list[Edit]) -> bytes:
    text, encoding = decoded(data)
    if text.encode(encoding) != data:
        raise UnreadableError(f"its bytes are not what {encoding} writes for its text")
    return applied(text, edits).encode(encoding)


def _notebook(data: bytes, edits: dict[int, list[Edit]]) -> bytes:
    text = data.decode("utf-8")
    indices = {piece.cell: piece.index for piece in cells(data)}
    offsets = source_offsets(text)
    raw: list[Edit] = []
    for cell, found in edits.items():
        places = offsets.get(indices[cell])
        if places is None:
            raise UnreadableError(f"the source of cell {cell} was not found in the JSON text")
        raw += [Edit(places[edit.start], places[edit.end - 1] + 1, edit.text) for edit in found]
    return applied(text, raw).encode("utf-8")


def _edits(piece: Piece, tree: ast.Module) -> Iterator[Edit | tuple[int, str]]:
    """The edits in a piece; for a statement that stays its line and why."""
    mark = piece.text.startswith("\ufeff")
    text = piece.text.removeprefix("\ufeff")
    starts = [0, *(found.end() for found in _LINE.finditer(text))]
    for node in ast.walk(tree):
        found: Iterator[Edit | tuple[int, str]] = iter(())
        if isinstance(node, ast.Import):
            found = _import(node, text, starts)
        elif isinstance(node, ast.ImportFrom) and not node.level and node.module:
            found = _from(node, node.module, text, starts)
        for each in found:
            yield Edit(each.start + mark, each.end + mark, each.text) if isinstance(each, Edit) else each


def _offset(text: str, starts: list[int], line: int, column: int) -> int:
    """The character at a line and a column, which counts bytes of UTF-8."""
    start = starts[line - 1]
    end = starts[line] if line < len(starts) else len(text)
    return start + len(text[start:end].encode("utf-8")[:column].decode("utf-8", "ignore"))


def _import(node: ast.Import, text: str, starts: list[int]) -> Iterator[Edit | tuple[int, str]]:
    for alias in node.names:
        new = _replaced(alias.name)
        if new is None:
            continue
        start = _offset(text, starts, alias.lineno, alias.col_offset)
        end = start + len(alias.name)
        first = alias.name.partition(".")[0]
        if not new[0]:
            yield alias.lineno, new[1]
        elif text[start:end] != alias.name:
            yield alias.lineno, "the statement is written in an unusual way"
        elif alias.asname:
            yield Edit(start, end, new[0])
        elif "." in alias.name and first in (*KERAS, ADDONS):
            yield alias.lineno, f"it binds `{first}`: write `import {new[0]} as ...`"
        else:
            yield Edit(start, end, f"{new[0] if first != 'tensorflow' else 'stratagem'} as {first}")


def _from(node: ast.ImportFrom, module: str, text: str, starts: list[int]) -> Iterator[Edit | tuple[int, str]]:
    new = _replaced(module)
    if new is None:
        return
    start = _offset(text, starts, node.lineno, node.col_offset)
    keyword = _FROM.match(text, start)
    if not new[0]:
        yield node.lineno, new[1]
    elif keyword is None or text[keyword.end() : keyword.end() + len(module)] != module:
        yield node.lineno, "the statement is written in an unusual way"
    else:
        yield Edit(keyword.end(), keyword.end() + len(module), new[0])


def _replaced(module: str) -> tuple[str, str] | None:
    """This library's module in place of one of TensorFlow's, or "" and why there is none; None for other modules."""
    first, _, rest = module.partition(".")
    if first == ADDONS:
        return f"stratagem.addons{f'.{rest}' if rest else ''}", ""
    if first != "tensorflow" and first not in KERAS:
        return None
    canonical = canonical_name(module)
    if canonical is None:
        return "", f"`{module}` is private to TensorFlow"
    if canonical in ("compat.v1", "compat.v2", ""):
        return f"stratagem{f'.{rest}' if rest else ''}", ""
    if canonical not in shipped_table().modules:
        verdict = shipped_table().verdict(module)
        absent = verdict is not None and verdict.state in (State.MISSING, State.UNKNOWN)
        advice = verdict.text if verdict is not None and absent else "use the name through `tf`"
        return "", f"there is no module `stratagem.{canonical}` to import from: {advice}"
    return f"stratagem.{canonical}", ""
