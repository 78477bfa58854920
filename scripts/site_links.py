#!/usr/bin/env python3
"""Check the links of a built site: every page, file and place on a page that a page leads to is there.

    site_links.py FOLDER

mkdocs itself checks what Markdown says; this also sees what the theme, the reference and notebooks have made. Addresses of
other sites are not asked for.
"""

import argparse
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import final
from urllib.parse import unquote, urlsplit

ATTRIBUTES = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src", "iframe": "src"}


@final
class Page(HTMLParser):
    """The links and the places of a page."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.links: list[str] = []
        self.places: set[str] = set()
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        """Called by the parser for each tag."""
        for name, value in attributes:
            if value and name == ATTRIBUTES.get(tag):
                self.links.append(value)
            if value and (name == "id" or (tag == "a" and name == "name")):
                self.places.add(value)


def dead(site: Path) -> Iterator[str]:
    """The links that lead nowhere, each with its page."""
    pages = {file: Page(file) for file in sorted(site.rglob("*.html"))}
    for file, page in pages.items():
        for link in page.links:
            address = urlsplit(link)
            if address.scheme or address.netloc:
                continue
            path = unquote(address.path)
            target = file if not path else (site / path.lstrip("/") if path.startswith("/") else file.parent / path)
            target = target.resolve()
            target = target / "index.html" if target.is_dir() else target
            if not target.is_file():
                yield f"{file.relative_to(site)}: {link}"
            elif address.fragment and target in pages and unquote(address.fragment) not in pages[target].places:
                yield f"{file.relative_to(site)}: {link} (no such place)"


def main() -> None:
    """Prints dead links; ends with 1 if there are any."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("folder", type=Path, help="what mkdocs has built")
    site = parser.parse_args().folder.resolve()
    number = len(list(site.rglob("*.html")))
    if not number:
        sys.exit(f"links: {site} has no pages: run `make site`")
    found = list(dead(site))
    print(*found, f"links: {len(found)} dead in {number} pages", sep="\n")
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
