"""Names are explained: one class a name, the glossary's classes exist, modules and docstrings say what they are."""

import ast
import re
from collections import defaultdict
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "stratagem"
Trees = dict[Path, ast.Module]
# First words of fragments, such as "What it holds." or "Of every variable." A docstring is a sentence ("Returns the shards of
# every variable") or a noun phrase with its subject ("The shards of every variable").
FRAGMENTS = {
    *("What", "As", "Of", "Its", "How", "Which", "Who", "That", "Those", "So", "With", "From", "Whether", "Where"),
    "Without",
}
# Words of module names that plain English or Python's own vocabulary explains, so that a docstring need not repeat them.
PLAIN_ENGLISH = """
    abort ahead analysis announcement arrays attach callbacks cardinality children columns consistency containers
    creation csv elementwise feed finalizers graph ignore index inspect interrupts isolation items
    keys launch launcher list lookup lookups main missing nodelist parameter pending protocol ray reader
    rebatch report runner sample scalars serialization session shard shot show signature sources sparse
    stalls state stateful status stopping token tunnel 
"""
# Words that once named modules and classes here, and said to nobody else what these do.
PRIVATE_WORDS = """
    ambience anew apart aside course cut facts family far fresh gone held hopeless kept knowledge link often pace
    patience piece pieces reach recipe recut room served sever shares sure surroundings travel turns waiting way wire
"""
PLAIN, PRIVATE = set(PLAIN_ENGLISH.split()), set(PRIVATE_WORDS.split())


@pytest.fixture(scope="module")
def trees() -> Trees:
    """Every module of the package."""
    return {path: ast.parse(path.read_text()) for path in sorted(PACKAGE.rglob("*.py"))}


@pytest.fixture(scope="module")
def classes(trees: Trees) -> dict[str, list[str]]:
    """The files of every class, by its name."""
    found = defaultdict(list)
    for path, tree in trees.items():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(PACKAGE)))
    return found


def fragments(tree: ast.Module) -> list[str]:
    """The docstrings of a module that begin as fragments, by the name of what they describe."""
    found = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = (ast.get_docstring(node) or "").split()
            if words and words[0].strip(",.:;") in FRAGMENTS:
                found.append(f"{getattr(node, 'name', 'the module')}: {' '.join(words[:6])}")
    return found


def test_no_docstring_begins_as_a_fragment(trees: Trees) -> None:
    found = {str(path.relative_to(PACKAGE)): names for path, tree in trees.items() if (names := fragments(tree))}
    assert found == {}


def test_a_fragment_is_found() -> None:
    source = '''
"""As the other module."""
class Shards:
    """The shards of a variable."""
    def sizes(self):
        """Of every shard, in rows."""
'''
    assert fragments(ast.parse(source)) == ["the module: As the other module.", "sizes: Of every shard, in rows."]


def test_no_two_classes_have_one_name(classes: dict[str, list[str]]) -> None:
    assert {name: paths for name, paths in classes.items() if len(paths) > 1} == {}


def test_the_classes_of_the_glossary_are_there_once(classes: dict[str, list[str]]) -> None:
    rows = [line for line in (ROOT / "docs" / "glossary.md").read_text().splitlines() if line.startswith("| ")][1:]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[3])]
    assert len(rows) >= 40
    assert [name for name in named if len(classes.get(name, ())) != 1] == []


def stem(word: str) -> str:
    """A word without its ending: `batches` and `batching` have one stem."""
    endings = (end for end in ("ing", "ies", "es", "ed", "s", "e", "y") if word.endswith(end))
    return word.removesuffix(next(endings, "")) if len(word) > 4 else word


def unexplained(name: str, docstring: str, glossary: str) -> list[str]:
    """The words of a module's name that nothing explains: not its docstring, not the glossary, and they are not plain."""
    words = name.removesuffix(".py").strip("_").split("_")
    explained = f"{docstring} {glossary}".lower()
    return [w for w in words if w in PRIVATE or (w not in PLAIN and stem(w) not in explained)]


def test_the_glossary_the_docstring_or_plain_english_explains_every_module_name(trees: Trees) -> None:
    glossary = (ROOT / "docs" / "glossary.md").read_text()
    modules = {path: tree for path, tree in trees.items() if path.name != "__init__.py"}
    found = {
        str(path.relative_to(PACKAGE)): words
        for path, tree in modules.items()
        if (words := unexplained(path.name, ast.get_docstring(tree) or "", glossary))
    }
    assert found == {}
    used = {word for path in modules for word in path.stem.strip("_").split("_")}
    assert used >= PLAIN, f"no module has {PLAIN - used} in its name any more: remove them from PLAIN"


def test_a_private_word_is_found() -> None:
    assert unexplained("_far_program.py", "Far programs.", "") == ["far"]
    assert unexplained("_quux_batches.py", "Batching of rows.", "") == ["quux"]
