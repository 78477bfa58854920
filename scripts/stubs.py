"""Writes the stubs (`.pyi`) of the public namespaces, which tell editors and type checkers what each name is.

A public namespace gives its names when they are first used: a reader of its source cannot know them. In its stub a name is
imported from where it is defined, whose annotations and docstrings are the only ones. What Keras defines is declared
(`stubs_declared`). `scripts/api.py` writes stubs.
"""

import functools
import inspect
import subprocess
import sys
import tempfile
import textwrap
from pathlib import Path
from types import ModuleType
from typing import Any

from scripts import declarations
from scripts.declarations import ROOT, SOURCE, Namespace, Place
from scripts.public_names import PLAIN
from scripts.stubs_declared import Home, declaration, homes

HEADER = "# Made by `make api`: change the declarations in the source and in api/."
ITSELF = SOURCE / declarations.PACKAGE / "__init__.pyi"
# `tf.compat.v2` is `tf`, whose names are the same under that path.
SECOND = "compat.v2"


class UnknownOriginError(Exception):
    """A public name of which nothing says where it is from."""


def imported_as(name: str, place: Place) -> str:
    """The statement of a stub that imports a name."""
    if place.attribute:
        return f"from {place.module} import {place.attribute} as {name}"
    parent, _, last = place.module.rpartition(".")
    return f"from {parent} import {last} as {name}" if parent else f"import {place.module} as {name}"


def origin(namespace: Namespace, name: str, value: Any) -> Place | None:
    """Where a stub imports a name from; None for a plain value of the namespace's own."""
    if isinstance(value, ModuleType):
        return Place(value.__name__, "")
    if name in namespace.places:
        return namespace.places[name]
    if isinstance(value, PLAIN):
        return None
    for star in namespace.stars:
        if hasattr(sys.modules[star], name):
            return Place(star, name)
    raise UnknownOriginError(f"{namespace.path}.{name} is {value!r}: no declaration has it.")


def stub(namespace: Namespace, names: dict[str, Any], homes: dict[int, Home]) -> str:
    """The text of a namespace's stub, not yet formatted. homes: those of all declared values."""
    imported, plain, declared = [], [], []
    for name, value in names.items():
        home = homes.get(id(value))
        if home is None:
            found = origin(namespace, name, value)
            if found is None:
                plain.append(f"{name}: {_type_of(value)}")
            else:
                imported.append(imported_as(name, found))
        elif home == Home(namespace.module, name):
            declared.append((name, value))
        else:
            imported.append(imported_as(name, Place(home.namespace, home.name)))
    bases: set[str] = set()
    known = functools.partial(_named, namespace.module, homes, bases)
    own = [declaration(value, name, known) for name, value in _bases_first(declared)]
    lines = [HEADER]
    if own:
        lines += ['# mypy: disable-error-code="misc, override"', "", "from typing import Any"]
    rows = textwrap.wrap(
        ", ".join(f'"{name}"' for name in names),
        120,
        initial_indent="    ",
        subsequent_indent="    ",
        break_on_hyphens=False,
    )
    listed = ["__all__ = [", *rows, "]  # fmt: skip"]
    return "\n".join([*lines, "", *sorted(imported), *sorted(bases), "", *plain, "", *listed, "", *own, ""])


def _named(namespace: str, homes: dict[int, Home], bases: set[str], kind: type) -> str | None:
    """How a stub names a base class; adds what imports it to `bases`."""
    home = homes.get(id(kind))
    if home is None or home.namespace == namespace:
        return home and home.name
    private = f"_{home.namespace.rpartition('.')[2]}_{home.name}"
    bases.add(f"from {home.namespace} import {home.name} as {private}")
    return private


def _bases_first(values: list[tuple[str, Any]]) -> list[tuple[str, Any]]:
    return sorted(values, key=lambda row: (len(row[1].__mro__) if inspect.isclass(row[1]) else 1000, row[0]))


def _type_of(value: Any) -> str:
    return "None" if value is None else type(value).__name__


def formatted(texts: dict[Path, str]) -> dict[Path, str]:
    """Stubs as ruff leaves them."""
    with tempfile.TemporaryDirectory() as path:
        copies = {Path(path) / file.relative_to(SOURCE): file for file in texts}
        for copy, file in copies.items():
            copy.parent.mkdir(parents=True, exist_ok=True)
            copy.write_text(texts[file], encoding="utf-8")
        for command in (["check", "--select", "I,F401", "--fix-only"], ["format"]):
            ruff = [
                sys.executable,
                "-m",
                "ruff",
                *command,
                "--quiet",
                "--no-cache",
                "--config",
                str(ROOT / "pyproject.toml"),
            ]
            subprocess.run([*ruff, path], check=True, timeout=120)
        return {file: copy.read_text(encoding="utf-8") for copy, file in copies.items()}


def stubs(found: dict[str, Namespace], values: dict[str, dict[str, Any]]) -> dict[Path, str]:
    """Every stub. values: those of the names, by namespace."""
    places = {found[path].module: names for path, names in values.items()}
    where = homes(places)
    files = declarations.files_of(found)
    texts = {
        files[path].with_suffix(".pyi") if path else ITSELF: stub(found[path], names, where)
        for path, names in values.items()
    }
    second = Namespace(SECOND, found[""].about, {name: Place(declarations.PACKAGE, name) for name in values[""]})
    texts[SOURCE.joinpath(declarations.PACKAGE, *SECOND.split(".")).with_suffix(".pyi")] = stub(second, values[""], {})
    return formatted(texts)
