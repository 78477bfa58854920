"""The page of troubles has a section for every class of errors, under the built-in exceptions that it also is."""

import builtins
import re
from pathlib import Path

import stratagem as tf
from scripts.explanations import FILE, explanations

PAGE = (Path(__file__).parents[2] / "docs" / "troubleshooting.md").read_text()
SECTIONS = dict(re.findall(r"^### (\w+)\n\n\[(.*?)\] ", PAGE, re.M | re.S))
# They are caught, not raised.
BASES = {"StratagemError", "OpError"}


def classes() -> dict[str, type]:
    found = {name: getattr(tf.errors, name) for name in dir(tf.errors)}
    return {n: c for n, c in found.items() if isinstance(c, type) and issubclass(c, BaseException) and n not in BASES}


def test_every_class_of_errors_has_a_section() -> None:
    assert set(SECTIONS) == set(classes())


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
