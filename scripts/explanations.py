"""Writes what `stratagem explain` prints, from docs/troubleshooting.md; a test says when it is stale.

python scripts/explanations.py
"""

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = ROOT / "docs" / "troubleshooting.md"
FILE = ROOT / "src" / "stratagem" / "cli" / "explanations.json"
SECTION = re.compile(r"^### (\w+Error|[a-z-]+)(?:: [^\n]*)?\n\n(.*?)(?=^#|\Z)", re.M | re.S)


def explanations() -> str:
    """The text of the file: each class of errors, or word for several messages, and its section."""
    sections = {name: text.strip() for name, text in SECTION.findall(PAGE.read_text(encoding="utf-8"))}
    return json.dumps(dict(sorted(sections.items())), indent=1, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    FILE.write_text(explanations(), encoding="utf-8")
