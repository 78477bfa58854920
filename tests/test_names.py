"""Names and docstrings: no two classes have one name, the glossary's classes exist, docstrings have a subject or a verb."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "stratagem"
# TensorFlow has two classes of this name, `tf.losses.Reduction` and `tf.compat.v1.losses.Reduction`.
TENSORFLOWS = {"Reduction"}
# First words of fragments, such as "What it holds." or "Of every variable." A docstring is a sentence ("Returns the shards of
# every variable") or a noun phrase with its subject ("The shards of every variable").
FRAGMENTS = {
    *("What", "As", "Of", "Its", "How", "Which", "Who", "That", "Those", "So", "With", "From", "Whether", "Where"),
    "Without",
}


def classes() -> dict[str, list[str]]:
    """The files of every class, by its name."""
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(PACKAGE)))
    return found


def fragments(source: str) -> list[str]:
    """The docstrings of a module that begin as fragments, by the name of what they describe."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
            words = (ast.get_docstring(node) or "").split()
            if words and words[0].strip(",.:;") in FRAGMENTS:
                found.append(f"{getattr(node, 'name', 'the module')}: {' '.join(words[:6])}")
    return found


def test_no_docstring_begins_as_a_fragment() -> None:
    found = {
        str(path.relative_to(PACKAGE)): names
        for path in sorted(PACKAGE.rglob("*.py"))
        if (names := fragments(path.read_text()))
    }
    assert found == {}


def test_a_fragment_is_found() -> None:
    source = '''
"""As the other module."""
class Shards:
    """The shards of a variable."""
    def sizes(self):
        """Of every shard, in rows."""
'''
    assert fragments(source) == ["the module: As the other module.", "sizes: Of every shard, in rows."]


def test_no_two_classes_have_one_name() -> None:
    assert {name: paths for name, paths in classes().items() if len(paths) > 1 and name not in TENSORFLOWS} == {}


def test_the_classes_of_the_glossary_are_there_once() -> None:
    known = classes()
    rows = [line for line in (ROOT / "docs" / "glossary.md").read_text().splitlines() if line.startswith("| ")][1:]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[3])]
    assert len(rows) >= 40
    assert [name for name in named if len(known.get(name, ())) != 1] == []
