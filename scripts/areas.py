"""Prints which tests belong to an area, for `make test AREA=... CHANGED=...`; nothing stands for all tests.

    python scripts/areas.py data training      the tests of these folders of tests/
    python scripts/areas.py _data              the tests of a building: the folders that belong to it
    python scripts/areas.py --changed HEAD     the tests of all that differs from this commit, as git says

The tests that lie in tests/ itself (layers, names, imports) come with what has changed, whatever it is.
"""

import argparse
import subprocess
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parents[1]
TESTS = ROOT / "tests"
# The folders of tests/ that belong to a building, unless it is the one of its name: what a change of it breaks first.
OF_BUILDING = {
    "_autograph": ("autograph", "modes"),
    "_cluster": ("cluster", "multi_worker"),
    "_core": ("core", "differential", "modes", "parity"),
    "_data": ("data", "damage"),
    "_kernels": ("kernels", "core"),
    "_hooks": (),  # those of tests/ itself
    "_launch": ("launch", "cli"),
    "_legacy": ("keras",),
    "_namespaces": ("docs",),
    "_strategies": ("strategies", "device", "multi_worker", "parity"),
    "_tf1": ("tf1", "examples"),
    "_training": ("training", "keras", "device"),
    "testing": ("strategies",),
}
# What is not below src/ or tests/.
ELSEWHERE = {
    "api": ("docs",),
    "native": ("kernels", "core"),
    "docs": ("docs",),
    "examples": ("examples", "docs"),
    "scripts": ("docs",),
}


def folders() -> set[str]:
    """The folders of tests/ that have tests."""
    return {path.relative_to(TESTS).parts[0] for path in TESTS.glob("*/**/test_*.py")}


def buildings() -> set[str]:
    """The folders of src/stratagem/ with code of our own, not only names."""
    own = {path.name for path in (ROOT / "src" / "stratagem").glob("_*/") if not path.name.startswith("__")}
    return own | {"cli", "testing"}


def of_building(name: str) -> tuple[str, ...]:
    """The folders of tests/ that belong to a building."""
    return OF_BUILDING.get(name, (name.removeprefix("_"),))


def of_area(name: str) -> tuple[str, ...]:
    """The folders of tests/ that somebody names, or that belong to the building that somebody names."""
    if name in folders():
        return (name,)
    if name in buildings():
        return of_building(name)
    raise SystemExit(
        f"AREA: there is no {name!r}. Folders of tests/: {', '.join(sorted(folders()))}. "
        f"Buildings, each with the folders that belong to it: {', '.join(sorted(buildings()))}."
    )


def of_file(name: str) -> tuple[str, ...] | None:
    """The folders of tests/ that belong to a file of the repository; None: all of them."""
    match Path(name).parts:
        case ("src", "stratagem", building, _, *_) if building in buildings():
            return of_building(building)
        case ("tests", folder, _, *_):
            return (folder,) if folder in folders() else None
        case ("tests", module):
            return () if module.startswith("test_") else None
        case ("pyproject.toml" | "Makefile",):
            return None
        case (folder, *_):
            return ELSEWHERE.get(folder, ())
    return ()


def changed(commit: str, root: Path = ROOT) -> list[str]:
    """The files that differ from a commit, and those that git does not know yet."""
    asked = (["diff", "--name-only", commit, "--"], ["ls-files", "--others", "--exclude-standard"])
    told = [subprocess.run(["git", *words], cwd=root, check=True, capture_output=True, text=True) for words in asked]
    return sorted({name for answer in told for name in answer.stdout.splitlines()})


def selected(areas: Iterable[str], files: Iterable[str]) -> list[str]:
    """What pytest is to run; nothing: all tests."""
    by_area, by_file = [*map(of_area, areas)], [*map(of_file, files)]
    if None in by_file or not (by_area or by_file):
        return []
    named = {folder for some in (*by_area, *by_file) for folder in some or ()}
    of_the_package = sorted(path.name for path in TESTS.glob("test_*.py")) if by_file or not named else []
    return [f"tests/{name}" for name in (*sorted(named), *of_the_package)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("areas", nargs="*", metavar="AREA", help="a folder of tests/, or a building")
    parser.add_argument("--changed", metavar="COMMIT", help="the areas of all files that differ from it; 1: from HEAD")
    wanted = parser.parse_args()
    files = changed("HEAD" if wanted.changed == "1" else wanted.changed) if wanted.changed else []
    if wanted.changed and not files and not wanted.areas:
        raise SystemExit("CHANGED: git says that nothing has changed.")
    print(*selected(wanted.areas, files))


if __name__ == "__main__":
    main()
