"""A repository as the checker sees it: its files, the names that they import from each other, and the report on all of it."""

import ast
import os
import re
from collections.abc import Iterable
from typing import Final, final

from stratagem.cli.migration._arguments import WrittenArguments
from stratagem.cli.migration._attempts import settled
from stratagem.cli.migration._differences import met
from stratagem.cli.migration._findings import CheckReport, Habit, Place, State, Unread, Use, Verdict
from stratagem.cli.migration._habits import habits_in
from stratagem.cli.migration._packages import MARKERS, belongs
from stratagem.cli.migration._scopes import INSTANCE, LOCAL, MEMBER, SourceScope
from stratagem.cli.migration._sources import UnreadableError, content, files, parsed, pieces, unreadable
from stratagem.cli.migration._table import Table, shipped_table
from stratagem.cli.migration._uses import Examined, RawUse, examine_trees

_MOST_FOLLOWED = 200  # names that one name is followed through: a long chain of files ends, too
_WORD = re.compile(rb"\w+")
_DEFINED = re.compile(rb"\bdef\s+([a-zA-Z_0-9]+)|\bself\.([a-zA-Z_0-9]+)\s*=[^=]")
_BEST = (State.WORKS, State.DIFFERS, State.UNKNOWN, State.MISSING)


def examine(paths: Iterable[str]) -> CheckReport:
    """Examines files, notebooks and folders.

    Raises:
        OSError: there is nothing at one of the paths.
    """
    return _Repository(shipped_table()).report(paths)


def _place(found: Use | Habit | Unread) -> Place:
    return found.place


@final
class _Repository:
    """The files that were read so far."""

    def __init__(self, table: Table) -> None:
        self._table: Final = table
        self._scopes: Final[dict[str, SourceScope]] = {}  # by the file without its ending
        self._uses: Final[dict[str, list[RawUse]]] = {}
        self._habits: Final[list[Habit]] = []
        self._unread: Final[list[Unread]] = []
        self._defined: Final[set[str]] = set()  # functions and attributes of the program's own
        self._distributes = False  # it has a strategy
        self._files: Final[
            dict[tuple[str, str, bool], tuple[str | None, list[str]]]
        ] = {}  # what modules' names lead to

    def report(self, paths: Iterable[str]) -> CheckReport:
        """The report on these files."""
        waiting: list[str] = []
        number = 0
        for path, _ in files(paths, self._unread):
            number += 1
            if not self._read(path):
                waiting.append(path)
        self._read_importers(waiting)
        raws = [each for raw in self._uses.values() for each in raw]
        self._distributes = any(".distribute." in path for each in raws for path in each.paths)
        uses, using = [], 0
        for path, raw in self._uses.items():
            judged = settled((each.tried, each.imported, self._best(path, each)) for each in raw)
            places = (Place(path, each.cell, each.line) for each in raw)
            found = [Use(place, verdict) for place, verdict in zip(places, judged, strict=True) if verdict is not None]
            using += bool(found)
            uses += found
        return CheckReport(
            number,
            using,
            tuple(
                Place(path, each.cell, each.line)
                for path, raw in self._uses.items()
                for each in raw
                if each.tensorflows
            ),
            tuple(sorted(uses, key=_place)),
            tuple(sorted(self._habits, key=_place)),
            tuple(sorted(self._unread, key=_place)),
        )

    def _read(self, path: str, *, stems: set[bytes] | None = None) -> bool:
        """Reads a file, if it names TensorFlow or, with `stems`, one of these modules. False: it does not, and waits."""
        try:
            data = content(path)
            self._defined.update(name.decode() for found in _DEFINED.findall(data) for name in found if name)
            if stems is None and not any(word.encode() in data for word in MARKERS) and b"\0" not in data[:2]:
                return False
            if stems is not None and stems.isdisjoint(_WORD.findall(data)):
                return False
            listed = pieces(path, data)
        except UnreadableError as error:
            self._unread.append(Unread(Place(path, 0, 0), str(error)))
            return True
        trees: list[tuple[int, ast.Module]] = []
        for piece in listed:
            try:
                trees.append((piece.cell, parsed(piece, path)))
            except SyntaxError as error:
                self._unread.append(unreadable(path, piece.cell, error))
        try:
            found = examine_trees(trees)
            self._habits.extend(habits_in(path, found))
        except RecursionError:
            self._unread.append(Unread(Place(path, 0, 0), "nested too deeply to be examined"))
            return True
        self._keep(path, found)
        return True

    def _keep(self, path: str, found: Examined) -> None:
        self._uses[path] = found.uses
        if path.endswith(".py"):
            self._scopes[os.path.splitext(os.path.normpath(path))[0]] = found.scope

    def _read_importers(self, waiting: list[str]) -> None:
        """Reads the files that do not name TensorFlow, but modules of the repository which have names of it."""
        done: set[str] = set()
        while waiting:
            names = {
                part
                for path, scope in self._scopes.items()
                if any(belongs(where) for wheres in scope.bound.values() for where in wheres) or scope.stars
                for part in [os.path.basename(path.removesuffix(f"{os.sep}__init__"))]
            }
            if not names - done:
                return
            done |= names
            waiting = [path for path in waiting if not self._read(path, stems={os.fsencode(name) for name in names})]

    def _best(self, path: str, raw: RawUse) -> Verdict | None:
        """The best verdict on where a use may lead; None if that is nothing of TensorFlow's, or a namespace that is here."""
        found: list[Verdict] = []
        for full in dict.fromkeys(name for each in raw.paths for name in self._led(path, each, set())):
            verdict = self._verdict(full, raw.call)
            if verdict is not None:
                found.append(verdict)
            elif belongs(full) and ".*" not in full and INSTANCE not in full:
                return None
        best = min(found, key=lambda verdict: _BEST.index(verdict.state), default=None)
        if best is None:
            return None
        return met(best, raw.call, in_function=raw.in_function, in_replicas=self._distributes)

    def _verdict(self, full: str, call: WrittenArguments | None) -> Verdict | None:
        module, star, name = full.partition(".*")
        if star and not name:
            return self._of_star(module)
        if star:
            known = name and name in self._table.names_in(module)
            return self._table.verdict(f"{module}.{name}", call) if known else None
        if full.startswith(MEMBER):
            return self._stranded(full.removeprefix(MEMBER))
        kind, mark, rest = full.partition(INSTANCE)
        if not mark:
            return self._table.verdict(full, call)
        first, *below = rest.strip(".").split(".")
        if not first:
            return None
        return self._table.member(kind, first, None if below else call) or self._stranded(first)

    def _stranded(self, member: str) -> Verdict | None:
        """The verdict on a member of an object of unknown class, which may be the program's own."""
        return None if member in self._defined else self._table.stranded(member)

    def _of_star(self, module: str) -> Verdict | None:
        """The verdict on a star import: None if the module is here."""
        verdict = self._table.verdict(module)
        absent = verdict is not None and verdict.state in (State.MISSING, State.UNKNOWN)
        return verdict if absent else None

    def _led(self, path: str, full: str, seen: set[tuple[str, str]]) -> list[str]:
        """The names of TensorFlow that a path leads to, through the repository's own files. seen: what was followed already."""
        if not full.startswith(LOCAL):
            return [full]
        if (path, full) in seen or len(seen) > _MOST_FOLLOWED:
            return []
        seen.add((path, full))
        module, star, name = full.removeprefix(LOCAL).partition(".*")
        file, parts = self._file(os.path.dirname(os.path.normpath(path)), module, whole=bool(star))
        return self._below(file, [*parts, *filter(None, name.split("."))], seen) if file else []

    def _file(self, folder: str, module: str, *, whole: bool) -> tuple[str | None, list[str]]:
        """The file that a module's name leads to from a folder, and the parts of the name that it does not have as folders.
        None: none that was read. whole: only a file of the whole name, since nothing else has the names of a star import."""
        key = (folder, module, whole)
        if key not in self._files:
            self._files[key] = self._searched(folder, module, whole=whole)
        return self._files[key]

    def _searched(self, folder: str, module: str, *, whole: bool) -> tuple[str | None, list[str]]:
        level = len(module) - len(module.lstrip("."))
        parts = [part for part in module.split(".") if part]
        for place in self._folders(folder, level):
            for length in range(len(parts), len(parts) - 1 if whole else 0 if level == 0 else -1, -1):
                base = os.path.normpath(os.path.join(place, *parts[:length]))
                file = next((b for b in (base, os.path.join(base, "__init__")) if b in self._scopes), None)
                if file is not None:
                    return file, parts[length:]
        return None, parts

    def _below(self, file: str, rest: list[str], seen: set[tuple[str, str]]) -> list[str]:
        """The names that a file's name, and attributes of it, lead to."""
        if not rest:
            return []
        found = self._scopes[file].lookup(rest[0])
        return [
            each
            for where in found
            if INSTANCE not in where
            for each in self._led(f"{file}.py", ".".join([where, *rest[1:]]), seen)
        ]

    def _folders(self, folder: str, level: int) -> list[str]:
        """The folders where a module may be that is imported in a folder: there, for a relative import; else also above it."""
        if level:
            for _ in range(level - 1):
                folder = os.path.dirname(folder)
            return [folder]
        found = [folder]
        while folder and os.path.dirname(folder) != folder and len(found) < 20:
            folder = os.path.dirname(folder)
            found.append(folder)
        return found
