"""TensorFlow 2.15.1's public API as data: what `tensorflow_api.json.gz` has, recorded from TensorFlow by `inspect`.

By path below `tf`, a name has its `kind`: function, class, other; `module` for a namespace, and `again` for a name that a
namespace has from somewhere else, as `compat.v1.keras` those of Keras. `args` are the parameters of a function or constructor:
name, kind, whether there is a default. `members` are those of a class by kind, `methods` the parameters of these.
"""

import functools
import gzip
import json
from pathlib import Path
from typing import Any, Final

DATA: Final = Path(__file__).with_name("tensorflow_api.json.gz")
COUNTED: Final = ("function", "class", "other")
# Modules of the package that are no namespaces of the API, and namespaces of Keras' under a different name.
_NO_NAMESPACES: Final = ("security", "dtensor", "compat.v1.app.flags.tf_decorator")
OF_KERAS: Final = ("initializers", "losses", "metrics", "optimizers")


@functools.cache
def facts() -> dict[str, dict[str, Any]]:
    """What is known of each name, by path."""
    with gzip.open(DATA) as file:
        found: dict[str, dict[str, Any]] = json.load(file)
    return found


def counted() -> dict[str, dict[str, Any]]:
    """The facts of the names that are compared: each once, where it is from, without namespaces."""
    return {path: each for path, each in facts().items() if each["kind"] in COUNTED}


@functools.cache
def names() -> dict[str, tuple[str, ...]]:
    """The names of each namespace, those of the namespaces in it included."""
    found: dict[str, list[str]] = {
        path: [] for path, each in facts().items() if each["kind"] == "module" and path not in (*OF_KERAS, "raw_ops")
    }
    found[""] = []
    for path in facts():
        namespace, _, name = path.rpartition(".")
        if namespace in found and not path.startswith(tuple(f"{each}." for each in _NO_NAMESPACES)):
            found[namespace].append(name)
    return {namespace: tuple(sorted(its)) for namespace, its in sorted(found.items()) if its}
