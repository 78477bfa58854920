"""Tests import public names, or what a building or a room offers; where one reaches below, a comment above says why."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.test_layers import PACKAGE, imports_of, private

TESTS = Path(__file__).parent


def reaching(tree: ast.Module) -> Iterator[int]:
    """The lines of imports, and of patches by name, that reach below a door."""
    for node in ast.walk(tree):
        names = imports_of(node, ())
        match node:
            case ast.Call(func=ast.Attribute(attr="setattr"), args=[ast.Constant(value=str(name)), *_]):
                names = [name.split(".")[1:]] if name.startswith(f"{PACKAGE}.") else []
        if any(private(parts[1:]) for parts in names):
            yield node.lineno


def without_a_reason(source: str) -> list[int]:
    """The lines that reach below a door and have no comment above; several in a row share one."""
    lines = source.splitlines()
    found = set(reaching(ast.parse(source)))

    def above(line: int) -> str:
        return above(line - 1) if line - 1 in found else lines[line - 2]

    return sorted(line for line in found if not above(line).lstrip().startswith("# "))


@pytest.mark.parametrize("folder", sorted({path.parent.relative_to(TESTS) for path in TESTS.rglob("*.py")}), ids=str)
def test_what_reaches_below_a_door_says_why(folder: Path) -> None:
    lines = {path.name: without_a_reason(path.read_text()) for path in (TESTS / folder).glob("*.py")}
    assert {name: found for name, found in lines.items() if found} == {}


@pytest.mark.parametrize(
    "source",
    [
        "import pytest\nfrom stratagem._data.stages._order import Order",
        "import pytest\nfrom stratagem._data.stages import _order",
        "import pytest\nimport stratagem._data.stages._order",
        "import pytest\nfrom stratagem.cli import _launch",
        "def test(monkeypatch):\n    monkeypatch.setattr('stratagem._data._iterator.DEPTH', 1)",
        "import pytest\n# Private: a reason.\nfrom stratagem._data import Dataset, _plan\n\nfrom stratagem._data import _plan",
    ],
)
def test_the_check_sees(source: str) -> None:
    assert without_a_reason(source) == [len(source.splitlines())]


@pytest.mark.parametrize(
    "source",
    [
        "import stratagem as tf\nfrom stratagem import data, _data\nfrom stratagem._data import Dataset",
        "import stratagem._private as _private\nfrom stratagem._servers.remote import Push",
        "import pytest\n# Private: a reason.\nfrom stratagem._data.stages import _order\nfrom stratagem._data import _plan",
        "def test(monkeypatch):\n    monkeypatch.setattr('stratagem._servers.strategy.connect', 1)",
    ],
)
def test_the_check_allows(source: str) -> None:
    assert without_a_reason(source) == []
