"""The error for a TensorFlow name that is not provided, which says what to use, as `_instead` has it."""

import difflib
import functools
import importlib.resources
import sys
from types import ModuleType

from stratagem._base.errors import NotProvidedError
from stratagem._ops._instead import INSTEAD

# The page of the project's documentation with all names, which every message of this file cites.
_PAGE = "docs/coverage.md"
_NAMES = "tensorflow_names.txt"  # `make api` writes it


@functools.cache
def tensorflow_names() -> dict[str, tuple[str, ...]]:
    """The public names of TensorFlow 2.15.1 by namespace ("" is `tf` itself)."""
    rows = importlib.resources.files(__package__).joinpath(_NAMES).read_text(encoding="utf-8").splitlines()
    return {row.split()[0].removeprefix("-"): tuple(row.split()[1:]) for row in rows}


def not_provided(namespace: str, name: str) -> AttributeError:
    """The error to raise for `tf.<namespace>.<name>` (namespace "" for `tf` itself).

    It is a NotProvidedError if TensorFlow has that name, and a plain AttributeError with the nearest names otherwise.
    """
    module = f"tf.{namespace}" if namespace else "tf"
    if name.startswith("_"):
        return AttributeError(f"module {module!r} has no attribute {name!r}: TensorFlow has no such name either.")
    use = instead(namespace, name)
    if use is not None:
        return NotProvidedError(f"{module}.{name} is not provided; use {use}. See {_PAGE}#{anchor(namespace)}.")
    if name in tensorflow_names().get(namespace, ()):
        return NotProvidedError(f"{module}.{name} is not provided. See {_PAGE}#{anchor(namespace)} for what is.")
    return AttributeError(f"module {module!r} has no attribute {name!r}: {_nearest(module, namespace, name)}")


def anchor(namespace: str) -> str:
    """The place of a namespace in the page of all names: what a heading such as `tf.io.gfile` becomes as an address."""
    return f"tf.{namespace}".replace(".", "")


def instead(namespace: str, name: str) -> str | None:
    """Returns what to use for `tf.<namespace>.<name>`: the row of its name, or of its namespace. None: unknown."""
    alike = (namespace, namespace.removeprefix("compat.v1").lstrip("."), f"compat.v1.{namespace}".rstrip("."))
    for place in alike:
        if name in INSTEAD.get(place, {}):
            return INSTEAD[place][name]
    for place in alike:
        if name in tensorflow_names().get(place, ()) and "" in INSTEAD.get(place, {}):
            return INSTEAD[place][""]
    return None


def _nearest(module: str, namespace: str, name: str) -> str:
    """Returns what to say about a name that TensorFlow does not have there."""
    first = f"compat.v1.{namespace}".rstrip(".")
    if name in tensorflow_names().get(first, ()):
        return f"TensorFlow 2 has it as tf.{first}.{name} only."
    here = dir(sys.modules.get(f"stratagem.{namespace}".rstrip("."), ModuleType("")))
    theirs = tensorflow_names().get(namespace, ())
    known = sorted({*theirs, *(n for n in here if not n.startswith("_"))})
    near = ", ".join(f"{module}.{n}" for n in difflib.get_close_matches(name, known))
    return "TensorFlow has no such name either." + (f" Did you mean {near}?" if near else "")
