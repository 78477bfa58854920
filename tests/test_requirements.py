"""Whatever the package imports is a requirement that it declares: of everybody, or of an extra that is asked for first."""

import ast
import importlib
import inspect
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import files, packages_distributions
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]
DISTRIBUTIONS = packages_distributions()  # by their modules
# Who may use what an extra brings. `remote`, `image_files` and `text` ask for it before they import it; examples are programs.
USES = {
    "src/stratagem/_base/storage": ("remote",),
    "src/stratagem/_servers/remote": ("cluster",),
    "src/stratagem/_ops/image_files": ("images",),
    "src/stratagem/_ops/text": ("text",),
    "src": (),
    "examples": ("examples",),
}
# What a module of a library that we require imports without requiring it.
NEEDED_BY = {"flatbuffers": "jax._src.export.serialization"}


def names(requirements: list[str]) -> set[str]:
    """Distributions."""
    return {canonicalize_name(Requirement(text).name) for text in requirements}


def imported(tree: ast.AST) -> Iterator[str]:
    """Every module that is imported, anywhere."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def foreign(tree: ast.AST) -> set[str]:
    """Distributions of the modules that are neither Python's nor ours."""
    modules = {name for name in imported(tree) if name.partition(".")[0] not in sys.stdlib_module_names}
    return {distribution_of(name) for name in modules if name.partition(".")[0] != "stratagem"}


def distribution_of(module: str) -> str:
    """What has to be installed for it."""
    candidates = {canonicalize_name(name) for name in DISTRIBUTIONS[module.partition(".")[0]]}
    if len(candidates) > 1:  # `google` is a folder of several
        folder = "/".join(module.split(".")[:2]) + "/"
        candidates = {name for name in candidates if any(str(file).startswith(folder) for file in files(name) or ())}
    (found,) = candidates
    return found


def told_to_install(tree: ast.Module) -> set[str]:
    """What the docstring of a program says to install for it: a program about another library needs no extra of ours."""
    lines = (ast.get_docstring(tree) or "").splitlines()
    found = [re.match(r"pip install ([\w-]+); python examples/", line) for line in lines]
    return {canonicalize_name(match[1]) for match in found if match}


def sources(folder: str) -> list[Path]:
    """Its modules, but those of a folder with a row of its own."""
    apart = [ROOT / other for other in USES if other != folder and other.startswith(folder)]
    return [path for path in sorted((ROOT / folder).rglob("*.py")) if not any(path.is_relative_to(x) for x in apart)]


@pytest.mark.parametrize("folder", USES)
def test_what_is_imported_is_required(folder: str) -> None:
    declared = names(PROJECT["dependencies"]).union(*(names(EXTRAS[extra]) for extra in USES[folder]))
    trees = {str(path.relative_to(ROOT)): ast.parse(path.read_text()) for path in sources(folder)}
    found = {path: foreign(tree) - declared - told_to_install(tree) for path, tree in trees.items()}
    assert {path: missing for path, missing in found.items() if missing} == {}


@pytest.mark.parametrize("folder", [folder for folder in USES if folder.startswith("src")])
def test_what_an_extra_brings_is_not_imported_with_a_module(folder: str) -> None:
    """The module can then be imported without it, and can say what to install."""
    declared = names(PROJECT["dependencies"])
    for path in sources(folder):
        statements = [
            node for node in ast.parse(path.read_text()).body if isinstance(node, ast.Import | ast.ImportFrom)
        ]
        assert foreign(ast.Module(statements, [])) <= declared, path


def test_what_is_required_is_imported() -> None:
    used = set().union(*(foreign(ast.parse(path.read_text())) for folder in USES for path in sources(folder)))
    assert names(PROJECT["dependencies"]) - used == NEEDED_BY.keys()
    for name, module in NEEDED_BY.items():
        assert name in foreign(ast.parse(inspect.getsource(importlib.import_module(module))))
