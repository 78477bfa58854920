"""Writes the stubs (`.pyi`) of the public namespaces, which tell editors and type checkers what each name is.

    python scripts/stubs.py            writes them
    python scripts/stubs.py --check    ends with 1 if one is stale

A public namespace gives its names when they are first used, or takes them from Keras with a star: a reader of its source cannot
know them. So its stub is made of what it has when it runs. A name is imported there from where it is defined, whose annotations
and docstrings are the only ones.
"""

import argparse
import ast
import functools
import importlib
import importlib.util
import inspect
import pkgutil
import subprocess
import sys
import tempfile
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any, final

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
sys.path[:0] = [path for path in (str(ROOT), str(SOURCE)) if path not in sys.path]

import stratagem as tf  # noqa: E402
from scripts.stubs_declared import Home, declaration, homes  # noqa: E402
from stratagem._ops import tensorflow_names  # noqa: E402

PACKAGE = tf.__name__
COMMAND = "python scripts/stubs.py"
NOT_NAMESPACES = ("cli", "testing")  # have no lazy names, and need no stubs
ALSO_PUBLIC = ("__version__", "__internal__")
# Names that the import statements of some namespaces leave there, and the modules that they are.
LEFT_BY_IMPORTS = {PACKAGE: (PACKAGE,), "src": ("keras.src",), "argparse_flags": ("absl.flags.argparse_flags",)}
PLAIN = (bool, int, float, str, bytes, tuple, type(None))  # which many names share: where one is from says nothing


class UnknownOriginError(Exception):
    """A public name of which nothing says where it is from."""


@final
@dataclass(frozen=True)
class Origin:
    """Where a name is imported from: a name of a module, or the module itself (name "")."""

    module: str
    name: str

    def imported_as(self, name: str) -> str:
        """The statement of a stub that imports it."""
        return f"from {self.module} import {self.name} as {name}" if self.name else f"import {self.module} as {name}"


def own_modules() -> list[str]:
    """The public namespaces that have a file here."""
    found = []
    for file in sorted((SOURCE / PACKAGE).rglob("*.py")):
        parts = file.relative_to(SOURCE).with_suffix("").parts
        parts = parts[:-1] if parts[-1] == "__init__" else parts
        if all(is_public(part) for part in parts) and parts[1:2] not in [(name,) for name in NOT_NAMESPACES]:
            found.append(".".join(parts))
    return found


def keras_modules() -> list[str]:
    """The public namespaces that are found on Keras' path."""
    keras = importlib.import_module("keras")
    return sorted(f"{PACKAGE}.{name}" for name in _below(keras) if is_public_path(name))


def _below(package: ModuleType) -> Iterator[str]:
    for module in pkgutil.iter_modules(package.__path__, f"{package.__name__}."):
        if is_public_path(module.name) and module.name != "keras.src":
            yield module.name
            if module.ispkg:
                yield from _below(importlib.import_module(module.name))


def is_public_path(module: str) -> bool:
    """Whether no part of a module's name is private."""
    return all(map(is_public, module.split(".")))


def is_public(name: str) -> bool:
    """Whether users may write a name."""
    return not name.startswith("_") or name in ALSO_PUBLIC


def namespaces() -> dict[str, ModuleType]:
    """All public namespaces, by name."""
    names = sorted({*own_modules(), *keras_modules()})
    return {name: importlib.import_module(name) for name in names}


def public_names(name: str, module: ModuleType) -> dict[str, Any]:
    """What a namespace has for its users: its names, and those of TensorFlow that it gives when they are asked for."""
    asked = {*dir(module), *tensorflow_names().get(name.partition(".")[2], ())}
    found = {}
    for each in sorted(filter(is_public, asked)):
        value = getattr(module, each, found)
        if value is not found and getattr(value, "__name__", None) not in LEFT_BY_IMPORTS.get(each, ()):
            found[each] = value
    return found


def origin(namespace: str, module: ModuleType, name: str, value: Any) -> Origin | None:
    """Where a namespace has a name from; None for a plain value of its own."""
    if isinstance(value, ModuleType):
        parent, _, last = value.__name__.rpartition(".")
        return Origin(parent, last) if parent else Origin(last, "")
    wrapped = list(_wrapped(value))
    for candidate in _candidates(namespace, module, name, value):
        if _is_module(candidate.module):
            found = getattr(importlib.import_module(candidate.module), candidate.name, wrapped)
            if any(found is each for each in wrapped):
                return _followed(candidate)
    if isinstance(value, PLAIN):
        return None
    raise UnknownOriginError(f"{namespace}.{name} is {value!r}: nothing says where it is from.")


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:  # what it would be in is a module, and no package
        return False


def _followed(found: Origin) -> Origin:
    """Past modules that import a name under another one, from which a type checker lets nobody import it."""
    file = importlib.util.find_spec(found.module).origin  # type: ignore[union-attr]
    assert file is not None
    renamed = [its for alias, its in _imports(file)[0] if alias == found.name != its.name]
    return _followed(renamed[-1]) if renamed else found


def _wrapped(value: Any) -> Iterator[Any]:
    """A value, and the functions that it wraps, whose parameters and results are its own."""
    yield value
    while "__wrapped__" in getattr(value, "__dict__", ()):
        value = value.__wrapped__
        yield value


def _candidates(namespace: str, module: ModuleType, name: str, value: Any) -> Iterator[Origin]:
    """Where a name may be from, the likeliest first."""
    if module.__name__ != namespace:  # tf.compat.v2, which is `tf`
        yield Origin(module.__name__, name)
        return
    file = inspect.getsourcefile(module)
    assert file is not None
    if not Path(file).is_relative_to(SOURCE):
        yield Origin(namespace.partition(".")[2], name)  # Keras' own namespace, of which this one has the names
        return
    explicit, stars = _imports(file)
    for alias, found in explicit:
        if alias == name:
            yield found
    for star in reversed(stars):
        if name in vars(importlib.import_module(star)).get("__all__", (name,)):
            yield Origin(star, name)
    lazy: dict[str, str] = vars(module).get("_MODULES", {})
    if name in lazy:
        yield Origin(lazy[name], name)
    # `max = _reduce_max`, `mse = MSE = _losses.mean_squared_error`
    yield from (found for alias, found in explicit if alias != name)
    yield from (Origin(star, getattr(value, "__name__", name)) for star in stars)
    yield from _same_in_tensorflow_two(namespace, name)


def _same_in_tensorflow_two(namespace: str, name: str) -> Iterator[Origin]:
    """Names that tf.compat.v1 shares with `tf`."""
    below = namespace.removeprefix(f"{PACKAGE}.compat.v1")
    if below != namespace:
        names = importlib.import_module(f"{PACKAGE}.compat.v1._names")
        for place in names.places(below.lstrip("."), name):
            parent, _, last = f"{PACKAGE}.{place}".rpartition(".")
            yield Origin(parent, last)


@functools.cache
def _imports(file: str) -> tuple[list[tuple[str, Origin]], list[str]]:
    """The names that a file imports at its top level, and the modules of which it imports all names."""
    explicit, stars = [], []
    for node in ast.parse(Path(file).read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module:
            for alias in node.names:
                if alias.name == "*":
                    stars.append(node.module)
                else:
                    explicit.append((alias.asname or alias.name, Origin(node.module, alias.name)))
    return explicit, stars


def stub(namespace: str, module: ModuleType, names: dict[str, Any], homes: dict[int, Home]) -> str:
    """The text of a namespace's stub, not yet formatted. homes: those of all declared values."""
    imported, plain, declared = [], [], []
    for name, value in names.items():
        home = homes.get(id(value))
        if home is None:
            found = origin(namespace, module, name, value)
            if found is None:
                plain.append(f"{name}: {_type_of(value)}")
            else:
                imported.append(found.imported_as(name))
        elif home == Home(namespace, name):
            declared.append((name, value))
        else:
            imported.append(Origin(home.namespace, home.name).imported_as(name))
    bases: set[str] = set()
    known = functools.partial(_named, namespace, homes, bases)
    own = [declaration(value, name, known) for name, value in _bases_first(declared)]
    lines = [f"# Written by `{COMMAND}`, which a test runs again: do not edit it."]
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


def file_of(namespace: str, all_of_them: dict[str, ModuleType]) -> Path:
    """Where a namespace's stub is."""
    folder = SOURCE.joinpath(*namespace.split("."))
    has_others = any(other.startswith(f"{namespace}.") for other in all_of_them)
    return folder / "__init__.pyi" if has_others or (folder / "__init__.py").exists() else folder.with_suffix(".pyi")


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


def stubs() -> dict[Path, str]:
    """Every stub."""
    found = namespaces()
    names = {name: public_names(name, module) for name, module in found.items()}
    where = homes(names)
    return formatted({file_of(name, found): stub(name, module, names[name], where) for name, module in found.items()})


def stale(made: dict[Path, str]) -> list[str]:
    """The stubs that are not as they were made, missing ones and those of no namespace included."""
    there = {file: file.read_text(encoding="utf-8") for file in (SOURCE / PACKAGE).rglob("*.pyi")}
    return sorted(str(file.relative_to(ROOT)) for file in {*made, *there} if made.get(file) != there.get(file))


def main() -> int:
    """1 if stubs are stale."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    made = stubs()
    if parser.parse_args().check:
        found = stale(made)
        print("\n".join(found) or "every stub is as the namespaces are")
        return 1 if found else 0
    for file in (SOURCE / PACKAGE).rglob("*.pyi"):
        if file not in made:
            file.unlink()
    for file, text in made.items():
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
