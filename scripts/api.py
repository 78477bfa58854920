"""Makes the public namespaces, and what is told about them, from the declarations beside the code and in `api/`.

    python scripts/api.py                 all of it; `make api` runs this when a declaration has changed
    python scripts/api.py --namespaces    the modules alone, which needs nothing but Python

The modules and stubs of the namespaces, the table of `stratagem check` and docs/coverage.md are not in git. `api/names.txt` is:
the public names with their signatures, one a line, in which a review sees how the public surface changes.
"""

import argparse
import os
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "src")) if path not in sys.path]

from scripts import declarations, tensorflow_api  # noqa: E402
from scripts.declarations import PACKAGE, SOURCE, Namespace  # noqa: E402

COMMAND = "make api"
TENSORFLOW_NAMES = SOURCE / PACKAGE / "_ops" / "tensorflow_names.txt"
TABLE = SOURCE / PACKAGE / "_namespaces" / "_names.py"
NOTE = f"# Made by `{COMMAND}` from the declarations in the source and in api/: change those."
TRACKED = ("__init__.py", "cli", "testing")  # of the package, beside what is private


def modules(found: dict[str, Namespace]) -> dict[Path, str]:
    """The text of each module, and of the table that they read."""
    made = {file.with_suffix(".py"): _module(found[path]) for path, file in declarations.files_of(found).items()}
    return {**made, TABLE: _table(found), TENSORFLOW_NAMES: _tensorflow_names()}


def _module(namespace: Namespace) -> str:
    about = namespace.about + ("\n" if "\n" in namespace.about else "")
    imports = [f"import {module}  # registers its classes with Keras" for module in namespace.imports]
    attach = f"from {PACKAGE}._namespaces import attach as _attach"
    return "\n".join([f'"""{about}"""', "", NOTE, *imports, attach, "", "_attach(__name__)", ""])


def _table(found: dict[str, Namespace]) -> str:
    names = {
        path: {name: _place(name, its) for name, its in sorted(each.places.items())}
        for path, each in sorted(found.items())
    }
    stars = {path: tuple(each.stars) for path, each in sorted(found.items()) if each.stars}
    values = {path: each.values for path, each in sorted(found.items()) if each.values}
    return "\n".join(
        [
            '"""The public names, by namespace."""',
            *("", NOTE, "from typing import Any", ""),
            "# By namespace and name, its module, and the name there if it is different.",
            *_assignment("NAMES: dict[str, dict[str, str]]", names),
            "# Modules of others, all of whose public names a namespace has.",
            *_assignment("STARS: dict[str, tuple[str, ...]]", stars),
            "# Names of plain values.",
            *_assignment("VALUES: dict[str, dict[str, Any]]", values),
        ]
    )


def _assignment(target: str, rows: dict[str, Any]) -> list[str]:
    return [f"{target} = {{", *(f"    {path!r}: {its!r}," for path, its in rows.items()), "}", ""]


def _tensorflow_names() -> str:
    """TensorFlow's names, which errors for missing ones ask: a namespace a line, `-` for `tf` itself."""
    return "".join(f"{namespace or '-'} {' '.join(names)}\n" for namespace, names in tensorflow_api.names().items())


def _place(name: str, place: declarations.Place) -> str:
    return place.module if place.attribute == name else f"{place.module}:{place.attribute}"


def strays(made: dict[Path, str], suffix: str) -> list[Path]:
    """Files among the namespaces that no declaration makes any more."""
    return [
        file
        for file in sorted((SOURCE / PACKAGE).rglob(f"*{suffix}"))
        if file not in made and _is_of_namespaces(file.relative_to(SOURCE / PACKAGE).parts)
    ]


def _is_of_namespaces(parts: tuple[str, ...]) -> bool:
    private = any(part.startswith("_") and not part.startswith("__") for part in parts)
    return not private and parts[0] not in TRACKED


def write(made: dict[Path, str]) -> None:
    """Writes what differs: a file that is the same keeps its time, so that its compiled form stays valid."""
    for file, text in made.items():
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.parent.mkdir(parents=True, exist_ok=True)
            temporary = file.with_name(f".{file.name}.{os.getpid()}")
            temporary.write_text(text, encoding="utf-8")
            temporary.replace(file)


def stale(made: dict[Path, str]) -> list[str]:
    """The files that are not as they were made."""
    return sorted(
        str(file.relative_to(ROOT))
        for file, text in made.items()
        if not file.exists() or file.read_text(encoding="utf-8") != text
    )


def described(found: dict[str, Namespace]) -> dict[Path, str]:
    """Stubs, tables and pages: what is made of the values that the names have. Needs the package's own environment."""
    from scripts import coverage, public_names, stubs

    values: dict[str, dict[str, Any]] = public_names.values(found)
    return {**stubs.stubs(found, values), **public_names.listed(values), **coverage.files()}


def main() -> None:
    """Make the namespaces, and their descriptions unless --namespaces is given."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--namespaces", action="store_true")
    only_namespaces = parser.parse_args().namespaces
    try:
        found = declarations.namespaces()
    except declarations.DeclarationError as error:
        sys.exit(f"api: {error}")
    made = modules(found)
    for file in strays(made, ".py"):
        file.unlink()
    write(made)
    if not only_namespaces:
        made = described(found)
        for file in strays(made, ".pyi"):
            file.unlink()
        write(made)


if __name__ == "__main__":
    main()
