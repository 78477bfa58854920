"""Source files of a program: which there are, and their text, read without trusting any of it."""

import ast
import io
import json
import os
import re
import stat
import tokenize
import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import final

from stratagem.cli.migration._findings import Place, Unread
from stratagem.cli.migration._magics import without_magics

ENDINGS = (".py", ".ipynb")
LARGEST = {".py": 4_000_000, ".ipynb": 64_000_000}  # bytes; a notebook holds pictures, too
_INDENTED = re.compile(r"(?:[ \t]*\n)*[ \t]+\S")
_SKIPPED = {"__pycache__", "node_modules", "site-packages", "venv", "env"}


@final
@dataclass(frozen=True)
class Piece:
    """A part of a file that is Python: the whole file (cell 0), or a cell of a notebook, numbered from 1.

    index: the cell's index in the notebook's list of cells, which also has those that are not Python.
    """

    cell: int
    text: str
    index: int = 0


@final
class UnreadableError(Exception):
    """A file that cannot be examined; the text says why."""


def files(paths: Iterable[str], unread: list[Unread]) -> Iterator[tuple[str, str]]:
    """The Python files and notebooks at the paths, and for each the folder that it was found below. Links are not followed.

    unread: gets the folders that cannot be listed.
    """
    seen: set[tuple[int, int]] = set()

    def new(path: str) -> bool:
        found = os.stat(path)
        known = (found.st_dev, found.st_ino) in seen
        seen.add((found.st_dev, found.st_ino))
        return not known

    def told(error: OSError) -> None:
        unread.append(Unread(Place(str(error.filename), 0, 0), error.strerror or str(error)))

    for path in paths:
        if not os.path.isdir(path):
            if new(path):
                yield path, os.path.dirname(path) or "."
            continue
        for folder, below, names in os.walk(path, onerror=told):
            below[:] = sorted(name for name in below if not name.startswith(".") and name not in _SKIPPED)
            for name in sorted(names):
                full = os.path.join(folder, name)
                if name.endswith(ENDINGS) and not os.path.islink(full) and new(full):
                    yield full, path


def content(path: str) -> bytes:
    """The bytes of a file.

    Raises:
        UnreadableError: it is no regular file, too large, or cannot be read.
    """
    limit = LARGEST.get(os.path.splitext(path)[1], LARGEST[".py"])
    try:
        found = os.stat(path)
        if not stat.S_ISREG(found.st_mode):
            raise UnreadableError("is not a regular file")
        if found.st_size > limit:
            raise UnreadableError(f"has {found.st_size:,} bytes; at most {limit:,} are examined")
        with open(path, "rb") as file:
            return file.read(limit + 1)
    except OSError as error:
        raise UnreadableError(error.strerror or str(error)) from error


def decoded(data: bytes) -> tuple[str, str]:
    """The text of a Python file, with its line ends as they are, and the name of its encoding.

    Raises:
        UnreadableError: it is not text of the encoding that it declares, or of UTF-8.
    """
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        return data.decode(encoding), encoding
    except (SyntaxError, UnicodeDecodeError, LookupError, ValueError) as error:
        raise UnreadableError(f"is not Python text: {error}") from error


def pieces(path: str, data: bytes) -> list[Piece]:
    """The Python of a file: all of it, or the cells of a notebook.

    Raises:
        UnreadableError: it is not text, or no notebook.
    """
    return cells(data) if path.endswith(".ipynb") else [Piece(0, decoded(data)[0])]


def cells(data: bytes) -> list[Piece]:
    """The code cells of a notebook.

    Raises:
        UnreadableError: the file is no notebook of format 3 or later, or of another language.
    """
    try:
        found = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"is not a notebook: {type(error).__name__}: {str(error)[:100]}") from error
    if not isinstance(found, dict):
        raise UnreadableError("is not a notebook: it is no JSON object")
    sheets = found.get("worksheets")
    listed = sheets[0].get("cells") if isinstance(sheets, list) and sheets and isinstance(sheets[0], dict) else None
    listed = found.get("cells", listed)
    if not isinstance(listed, list):
        raise UnreadableError("is not a notebook: it has no cells")
    made: list[Piece] = []
    for index, cell in enumerate(listed):
        if isinstance(cell, dict) and cell.get("cell_type") == "code":
            source = cell.get("source", cell.get("input", ""))
            if isinstance(source, list):
                source = "".join(part for part in source if isinstance(part, str))
            made.append(Piece(len(made) + 1, source if isinstance(source, str) else "", index))
    return made


def parsed(piece: Piece, path: str) -> ast.Module:
    """The syntax tree of a piece, with the lines and columns of its text.

    Raises:
        SyntaxError: it is not Python 3, or nested too deeply.
    """
    text = piece.text.removeprefix("\ufeff")
    if not piece.cell:
        return _tree(text)
    try:
        return _tree(text)  # most cells are Python as they are, whatever their lines begin with
    except SyntaxError:
        text = without_magics(text)
    if not _INDENTED.match(text):
        return _tree(text)
    tree = _tree(f"if 1:\n{text}")  # IPython takes away the indentation of a cell's first line; so, columns stay
    first = tree.body[0]
    tree.body[:1] = first.body if isinstance(first, ast.If) else [first]
    return ast.increment_lineno(tree, -1)


def _tree(text: str) -> ast.Module:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return ast.parse(text)
        except (RecursionError, MemoryError) as error:
            raise SyntaxError("nested too deeply to be examined") from error
        except ValueError as error:  # a null byte
            raise SyntaxError(str(error)) from error


def unreadable(path: str, cell: int, error: SyntaxError) -> Unread:
    """The finding for a piece that is not Python 3."""
    old = " (Python 2?)" if "print" in (error.msg or "") or "exec" in (error.msg or "") else ""
    line = error.lineno if isinstance(error.lineno, int) else 0
    return Unread(Place(path, cell, max(line, 0)), f"syntax error: {error.msg}{old}")
