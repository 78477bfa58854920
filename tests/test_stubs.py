"""Stubs tell editors what the public namespaces have when they run: no name more, none less."""

import ast
from pathlib import Path

import pytest

from scripts import stubs


@pytest.fixture(scope="module")
def made() -> dict[Path, str]:
    return stubs.stubs()


def bound(text: str) -> set[str]:
    """The names that a stub gives to those who import its module: a private one stands for a base class only."""
    found: set[str] = set()
    for node in ast.parse(text).body:
        match node:
            case ast.ImportFrom() | ast.Import():
                found |= {alias.asname for alias in node.names if alias.asname}
            case ast.AnnAssign(target=ast.Name(id=name)) | ast.ClassDef(name=name) | ast.FunctionDef(name=name):
                found.add(name)
    return {name for name in found if stubs.is_public(name)}


def test_stubs_are_as_the_script_writes_them(made: dict[Path, str]) -> None:
    assert stubs.stale(made) == [], f"run `{stubs.COMMAND}`"


def test_a_stub_has_the_names_of_its_namespace_and_no_others() -> None:
    spaces = stubs.namespaces()
    for name, module in spaces.items():
        has = bound(stubs.file_of(name, spaces).read_text(encoding="utf-8"))
        assert [each for each in sorted(has) if not hasattr(module, each)] == [], f"only in the stub of {name}"
        assert sorted(set(stubs.public_names(name, module)) - has) == [], f"missing in the stub of {name}"


def test_a_stub_that_was_changed_is_stale(made: dict[Path, str]) -> None:
    file = next(iter(made))
    name = str(file.relative_to(stubs.ROOT))
    assert stubs.stale({**made, file: f"{made[file]}gone: int\n"}) == [name]
    assert stubs.stale({each: text for each, text in made.items() if each != file}) == [name]
