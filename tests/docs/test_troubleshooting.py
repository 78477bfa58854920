"""The page of troubles has a section for every class of errors, under the built-in exceptions that it also is.

Errors without a class of their own have one for their message.
"""

import ast
import builtins
import functools
import re
from collections.abc import Iterator
from pathlib import Path

import stratagem as tf
from scripts.explanations import FILE, explanations

PAGE = (Path(__file__).parents[2] / "docs" / "troubleshooting.md").read_text()
SECTIONS = dict(re.findall(r"^### (\w+)\n\n\[(.*?)\] ", PAGE, re.M | re.S))
QUOTED = {
    " ".join(text.split())
    for named in re.findall(r"^### [a-z-]+: [^\n]*\n\n\[(.*?)\] ", PAGE, re.M | re.S)
    for text in re.findall(r'"([^"]+)"', named)
}
# They are caught, not raised.
BASES = {"StratagemError", "OpError"}
# Errors of this library that never leave it: their text goes on as another one.
INSIDE = {"RefusedError", "MissingVariableError"}
# The classes of errors that other namespaces than `tf.errors` have.
ELSEWHERE = {"NanLossDuringTrainingError": tf.compat.v1.train.NanLossDuringTrainingError}


@functools.cache
def modules() -> dict[Path, ast.Module]:
    return {path: ast.parse(path.read_text()) for path in (Path(__file__).parents[2] / "src").rglob("*.py")}


def classes() -> dict[str, type]:
    found = {name: getattr(tf.errors, name) for name in dir(tf.errors)}
    return ELSEWHERE | {
        n: c for n, c in found.items() if isinstance(c, type) and issubclass(c, BaseException) and n not in BASES
    }


def test_every_class_of_errors_has_a_section() -> None:
    assert set(SECTIONS) == set(classes())


def test_every_error_that_a_module_makes_is_one_of_these_or_stays_inside() -> None:
    known, found = set(classes()) | BASES, set()
    for tree in modules().values():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and {ast.unparse(base).rpartition(".")[2] for base in node.bases} & known:
                found.add(node.name)
    assert found - known == INSIDE


def raised() -> Iterator[tuple[str, str]]:
    """Where a plain RuntimeError is raised, and its text without what is put in."""
    for path, tree in modules().items():
        for node in ast.walk(tree):
            match node:
                case ast.Raise(exc=ast.Call(func=ast.Name(id="RuntimeError"), args=[ast.JoinedStr(values=parts)])):
                    text = "".join(str(p.value) if isinstance(p, ast.Constant) else "\0" for p in parts)
                case ast.Raise(exc=ast.Call(func=ast.Name(id="RuntimeError"), args=[ast.Constant(value=text)])):
                    pass
                case _:
                    continue
            yield f"{path.name}:{node.lineno}", str(text)


def test_every_message_of_a_plain_error_is_explained_and_no_other() -> None:
    found = dict(raised())
    assert len(found) > 30
    assert {place: text for place, text in found.items() if not any(quoted in text for quoted in QUOTED)} == {}
    assert {quoted for quoted in QUOTED if not any(quoted in text for text in found.values())} == set()


def test_sections_name_the_built_in_exceptions_that_the_class_is() -> None:
    for name, named in SECTIONS.items():
        for exception in re.findall(r"`(\w+)`", named):
            assert issubclass(classes()[name], _built_in(exception)), f"{name} is no {exception}"


def test_what_is_explained_on_the_command_line_is_the_page() -> None:
    assert FILE.read_text(encoding="utf-8") == explanations(), "run scripts/explanations.py"


def test_links_within_the_page_lead_to_headings() -> None:
    headings = {
        re.sub(r"[^\w\- ]", "", h).strip().lower().replace(" ", "-") for h in re.findall(r"^#+ (.*)$", PAGE, re.M)
    }
    assert set(re.findall(r"\]\(#([^)]*)\)", PAGE)) <= headings


def _built_in(name: str) -> type:
    found = getattr(builtins, name)
    assert isinstance(found, type)
    return found
