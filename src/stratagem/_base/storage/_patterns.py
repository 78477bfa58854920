"""Remote files whose paths match a pattern."""

import fnmatch
import re

from stratagem._base.paths import scheme_of
from stratagem._base.storage._choice import remote

_SIGNS = re.compile(r"[*?[]")


def glob_remote(pattern: str) -> list[str]:
    """The remote files and folders that match, sorted. `*`, `?` and `[abc]` match within one part of a path."""
    scheme = scheme_of(pattern)
    files = remote(scheme)
    if not _SIGNS.search(pattern):
        return [pattern] if files.exists(pattern) else []
    first = f"{scheme}://"
    parts = [part for part in pattern.removeprefix(first).split("/") if part]
    found = [first]
    for i, part in enumerate(parts):
        if not _SIGNS.search(part):
            found = [_joined(base, part) for base in found]
            continue
        inner = i < len(parts) - 1
        found = [_joined(base, name) for base in found for name in _names(base, part, folders_only=inner)]
    if not _SIGNS.search(parts[-1]):
        found = [path for path in found if files.exists(path)]
    return sorted(found)


def _names(folder: str, part: str, *, folders_only: bool) -> list[str]:
    try:
        entries = remote(scheme_of(folder)).entries(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [
        name
        for name, is_folder in entries.items()
        if fnmatch.fnmatchcase(name, part) and (is_folder or not folders_only)
    ]


def _joined(base: str, name: str) -> str:
    return base + name if base.endswith("://") else f"{base}/{name}"
