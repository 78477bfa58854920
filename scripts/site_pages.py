"""Adds to the site what is not a file of docs/: the reference, and the pages of other folders. mkdocs calls its functions."""

import logging
import re
import sys
from pathlib import Path, PurePosixPath
from typing import Any

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

ROOT = Path(__file__).parents[1]
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "src")) if path not in sys.path]

from scripts import reference  # noqa: E402

LOG = logging.getLogger("mkdocs.plugins.site_pages")  # below mkdocs' own: a warning fails the build
# Pages of other folders: the file in the repository, and its page on the site.
ELSEWHERE = {
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "README.md": "index.md",
    "benchmarks/README.md": "benchmarks.md",
}
WRITTEN = {file: page for file, page in ELSEWHERE.items() if page != "index.md"}  # the site has a first page of its own
# Pages that have nearly every word.
LISTS = {"architecture.md", "changelog.md", "coverage.md", "decisions.md", "reliability.md", "tensor_functions.md"}
LINK = re.compile(r"\]\((?!https?:|#)([^)#\s]+)")
NOTEBOOK_LINK = re.compile(r'href="((?!https?:|/|#)[^"#]+\.(?:md|ipynb))(#[^"]*)?"')
NAMED_BY_FILE = re.compile(r"\[((?:\w+/)*\w+\.md)\]\(([^)#\s]+)")


def on_config(config: MkDocsConfig) -> MkDocsConfig:
    """Names the pages of the reference in the navigation."""
    assert config.nav is not None
    for entry in config.nav:
        if isinstance(entry, dict) and "Reference" in entry:
            entry["Reference"] = ["reference/index.md", *_tree()]
    return config


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Adds the pages."""
    for source, place in WRITTEN.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, place, content=moved(text, PurePosixPath(source), PurePosixPath(place))))
    files.append(File.generated(config, "reference/index.md", content=_contents()))
    for namespace in reference.pages():
        files.append(File.generated(config, _place(namespace), content=reference.page(namespace)))
    return files


def on_page_markdown(markdown: str, page: Page, files: Files, **_: Any) -> str:
    """Leads links of docs/ to files of other folders to their pages here, and names pages by titles in place of files."""
    place = PurePosixPath(page.file.src_uri)
    if place.parts[0] == "reference" or str(place) in LISTS:
        page.meta["search"] = {"boost": 0.5}  # who looks for a word wants the page that explains it first
    if place.parts[0] != "reference" and str(place) not in WRITTEN.values():
        markdown = moved(markdown, "docs" / place, place)

    def title(match: re.Match[str]) -> str:
        target = files.get_file_from_path(_normal(place.parent / match[2]))
        return f"[{target.page.title}]({match[2]}" if target and target.page else match[0]

    return NAMED_BY_FILE.sub(title, markdown)


def on_page_content(html: str, page: Page, files: Files, **_: Any) -> str:
    """Leads notebooks' links to Markdown files to their pages, as mkdocs does in Markdown."""
    if not page.file.src_uri.endswith(".ipynb"):
        return html

    def link(match: re.Match[str]) -> str:
        path = _normal(PurePosixPath(page.file.src_uri).parent / match[1])
        target = files.get_file_from_path(path)
        if target is None:
            LOG.warning(f"{page.file.src_uri} links to {match[1]}, which is no page.")
            return match[0]
        return f'href="{target.url_relative_to(page.file)}{match[2] or ""}"'

    return NOTEBOOK_LINK.sub(link, html)


def moved(text: str, source: PurePosixPath, place: PurePosixPath) -> str:
    """A page's text with its relative links as they are on the site. source: the file in the repository; place: the page."""

    def link(match: re.Match[str]) -> str:
        target = _normal(source.parent / match[1])
        if target in ELSEWHERE:
            new = ELSEWHERE[target]
        elif target.startswith("docs/"):
            new = target.removeprefix("docs/")
        else:
            return match[0]
        return f"]({'../' * (len(place.parts) - 1)}{new}"

    return LINK.sub(link, text)


def _normal(path: PurePosixPath) -> str:
    parts: list[str] = []
    for part in path.parts:
        if part == ".." and parts:
            parts.pop()
        else:
            parts.append(part)
    return "/".join(parts)


def _place(namespace: str) -> str:
    return f"reference/{reference.full(namespace)}.md"


def _contents() -> str:
    lines = ["# Reference", "", INTRODUCTION, "", "| namespace | what it has |", "|---|---|"]
    for namespace, on_it in reference.pages().items():
        number = sum(name.namespace in on_it for name in reference.names().values())
        lines += [f"| [`{reference.full(namespace)}`]({reference.full(namespace)}.md) | {number} names |"]
    return "\n".join(lines) + "\n"


INTRODUCTION = """Every public name of the library, with its signature and what its docstring says; `tf` is the package, as in
`import stratagem as tf`. A function that has several names is documented under one of them. Signatures have TensorFlow's
parameters; where a name behaves otherwise than TensorFlow's, its entry says so. What TensorFlow has and this library lacks
is in [the list of all names](../coverage.md)."""


def _tree() -> list[Any]:
    """The pages as they are shown in the navigation: those of tf.keras, tf.compat.v1 and Addons each below a heading."""
    groups: dict[str, list[Any]] = {}
    for namespace in reference.pages():
        parts = namespace.split(".")
        group = (
            "tf.compat.v1" if parts[:2] == ["compat", "v1"] else full if (full := f"tf.{parts[0]}") in GROUPS else ""
        )
        groups.setdefault(group, []).append({reference.full(namespace): _place(namespace)})
    return [*groups.pop(""), *({name: pages} for name, pages in groups.items())]


GROUPS = {"tf.addons", "tf.keras"}
