"""A folder's `__init__` says what is public, one `X as X` line a name, and every name exists."""

import ast
import importlib
from pathlib import Path

import pytest

from tests.test_layers import LEVEL, PACKAGE, ROOT

FOLDERS = [ROOT / name for name in LEVEL if (ROOT / name / "__init__.py").exists()]
in_every_folder = pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)


def exported(folder: Path) -> list[ast.alias]:
    """The names that the `__init__` of a folder imports."""
    tree = ast.parse((folder / "__init__.py").read_text())
    return [alias for node in tree.body if isinstance(node, ast.ImportFrom) for alias in node.names]


@in_every_folder
def test_init_holds_a_docstring_and_imports_only(folder: Path) -> None:
    tree = ast.parse((folder / "__init__.py").read_text())
    assert ast.get_docstring(tree), "a folder opens with one sentence on its job"
    assert [ast.unparse(node) for node in tree.body[1:] if not isinstance(node, ast.ImportFrom)] == []


@in_every_folder
def test_every_name_is_exported_as_itself(folder: Path) -> None:
    assert [alias.name for alias in exported(folder) if alias.asname != alias.name] == []


@in_every_folder
def test_every_exported_name_exists_once(folder: Path) -> None:
    names = [alias.name for alias in exported(folder)]
    module = importlib.import_module(f"{PACKAGE}.{folder.name}")
    assert len(names) == len(set(names))
    assert [name for name in names if not hasattr(module, name)] == []
