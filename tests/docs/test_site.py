"""The documentation site has every page, and its reference every public name; `make site` builds it."""

import ast
import json
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import stratagem as tf
from scripts import pictures
from tests import prepared

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), *DOCS.rglob("*.ipynb")])
NOTEBOOKS = sorted(DOCS.rglob("*.ipynb"))
# Pages that scripts/site_pages.py takes from elsewhere.
# The files of other folders that links may lead to, as scripts/site_pages.py says; it needs mkdocs.
ELSEWHERE = ast.literal_eval(
    re.search(r"^ELSEWHERE = ({.*?^})", (ROOT / "scripts" / "site_pages.py").read_text(encoding="utf-8"), re.M | re.S)[
        1
    ]  # type: ignore[index]
)
WRITTEN = {"contributing.md", "changelog.md", "benchmarks.md"}
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]+))?\)")


class Loader(yaml.SafeLoader):
    """Reads mkdocs.yml, in which a tag names a function."""


Loader.add_multi_constructor("tag:yaml.org,2002:python/", lambda loader, suffix, node: suffix)


def in_navigation(entry: Any) -> Iterator[str]:
    """The files that a part of the navigation names."""
    if isinstance(entry, str):
        yield entry
    else:
        for below in entry.values() if isinstance(entry, dict) else entry:
            yield from in_navigation(below)


def test_every_page_is_in_the_navigation_once() -> None:
    named = list(in_navigation(yaml.load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"), Loader)["nav"]))
    assert sorted(named) == sorted({str(page.relative_to(DOCS)) for page in PAGES} | WRITTEN)


def text_of(page: Path) -> str:
    """What a page says, without its programs."""
    text = page.read_text(encoding="utf-8")
    if page.suffix == ".ipynb":
        text = "\n".join("".join(c["source"]) for c in json.loads(text)["cells"] if c["cell_type"] == "markdown")
    return re.sub(r"^ *```.*?^ *```", "", text, flags=re.M | re.S)


def places(page: Path) -> set[str]:
    """The addresses of a page's headings, as a forge and the site make them."""
    headings = re.findall(r"^#+ (.+)$", text_of(page), re.M)
    return {re.sub(r"[^\w\- ]", "", heading).strip().lower().replace(" ", "-") for heading in headings}


def test_links_between_pages_lead_to_headings() -> None:
    dead = []
    for page in PAGES:
        for target, place in LINK.findall(re.sub(r"`[^`\n]*`", "", text_of(page))):
            file = (page.parent / target).resolve() if target else page
            on_site = file.is_relative_to(DOCS) or str(file.relative_to(ROOT)) in ELSEWHERE
            if not file.exists() or not on_site or (place and place not in places(file)):
                dead.append(f"{page.relative_to(ROOT)}: {target}#{place}")
    assert dead == []


# In a process of its own: to list Keras' names imports all of Keras, and what that imports.
REFERENCE = """
import inspect, json
from scripts import reference
documented = reference.documented()
print(json.dumps({
    "pages": {namespace: reference.page(namespace) for namespace in reference.pages()},
    "names": list(reference.names()),
    "bare": [path for path, same in documented.items() if not inspect.getdoc(same[0].value)],
    "documented": list(documented),
}))
"""


def test_the_reference_has_every_public_name_with_a_docstring(tmp_path: Path) -> None:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "src")])}
    done = prepared.run(REFERENCE, directory=tmp_path, environment=environment)
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    text = "\n".join(found["pages"].values())
    assert found["bare"] == []
    assert [path for path in found["documented"] if f"::: stratagem.{path}\n" not in text] == []
    parts = re.split(r"^#+ (tf[.\w]*)$", text, flags=re.M)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    known = {path.removeprefix("tf.") for path in tf_names()}
    assert known - set(found["names"]) == set()
    for path in found["names"]:
        namespace, _, own = path.rpartition(".")
        section = sections["tf." + namespace if namespace else "tf"]
        assert f"::: stratagem.{path}\n" in section or f"`{own}`" in section, f"tf.{path} is not in the reference"


def tf_names() -> set[str]:
    """Names of this library that no list of the script's can have lost."""
    return {f"tf.{name}" for name in dir(tf) if not isinstance(getattr(tf, name), ModuleType) and name[0] != "_"} | {
        "tf.distribute.MirroredStrategy",
        "tf.keras.layers.Dense",
        "tf.compat.v1.train.AdamOptimizer",
        "tf.addons.optimizers.LAMB",
    }


@pytest.mark.parametrize("name", pictures.PICTURES)
def test_pictures_are_what_the_script_draws(name: str) -> None:
    assert (pictures.FOLDER / f"{name}.svg").read_text(encoding="utf-8") == pictures.PICTURES[name]()


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: path.name)
def test_notebooks_were_run_from_their_first_cell_to_their_last(notebook: Path) -> None:
    cells = [c for c in json.loads(notebook.read_text(encoding="utf-8"))["cells"] if c["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1))
    outputs = [output for cell in cells for output in cell["outputs"]]
    assert not any(output["output_type"] == "error" for output in outputs)
    assert any("image/png" in output.get("data", {}) for output in outputs)
    assert not re.search(r"(/root/|/tmp/|/home/|/work/)", json.dumps(cells))
