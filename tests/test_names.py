"""One name, one thing: no two classes are called alike, and the glossary's classes are there."""

import ast
import re
from collections import defaultdict
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "stratagem"
# TensorFlow has two classes of this name, `tf.losses.Reduction` and `tf.compat.v1.losses.Reduction`.
TENSORFLOWS = {"Reduction"}


def classes() -> dict[str, list[str]]:
    """The files of every class, by its name."""
    found = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(str(path.relative_to(PACKAGE)))
    return found


def test_no_two_classes_have_one_name() -> None:
    assert {name: paths for name, paths in classes().items() if len(paths) > 1 and name not in TENSORFLOWS} == {}


def test_the_classes_of_the_glossary_are_there_once() -> None:
    known = classes()
    rows = [line for line in (ROOT / "docs" / "glossary.md").read_text().splitlines() if line.startswith("| ")][1:]
    named = [name for row in rows for name in re.findall(r"`(\w+)`", row.split("|")[3])]
    assert len(rows) >= 40
    assert [name for name in named if len(known.get(name, ())) != 1] == []
