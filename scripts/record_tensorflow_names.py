"""Records the public names of TensorFlow 2.15.1, which errors for missing names and docs/coverage.md ask.

    /tmp/tensorflow/bin/python scripts/record_tensorflow_names.py            (where TensorFlow is, in the project's folder)

It writes two files. In `src/stratagem/_ops/tensorflow_names.txt` a line has a namespace below `tf` (`-` is `tf` itself) and its
names. In `scripts/tensorflow_members.txt` a line has a public class, `<` and the nearest public class that it inherits from, if
there is one, and the methods and properties that it has besides; of a class with several names, the first.
"""

import contextlib
import inspect
import os
import types
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf  # the real one

ROOT = Path(__file__).parents[1]
NAMES = ROOT / "src" / "stratagem" / "_ops" / "tensorflow_names.txt"
MEMBERS = ROOT / "scripts" / "tensorflow_members.txt"

# At the root: folders of the installed package, which are not public, and `v2`, which is `tf` again.
NOT_PUBLIC = {"core", "compiler", "dtensor", "python", "security", "tools", "tsl", "v2"}
# Modules whose names are listed elsewhere (`tf.losses` is `tf.keras.losses`), or are those of kernels.
NOT_EXPANDED = {"initializers", "losses", "metrics", "optimizers", "raw_ops"}
OWNERS = ("tensorflow", "keras.api", "tensorboard")


def names(namespace: str, module: types.ModuleType) -> dict[str, object]:
    """The public names of a module. Some are loaded when they are asked for."""
    found: dict[str, object] = {}
    for name in dir(module):
        hidden = name.startswith("_") or name == "tf_decorator" or (name == "v2" and namespace == "compat")
        if not hidden and (namespace or name not in NOT_PUBLIC):
            with contextlib.suppress(ImportError, AttributeError):
                found[name] = getattr(module, name)
    return found


def namespaces(namespace: str, module: types.ModuleType) -> dict[str, dict[str, object]]:
    """The namespaces from this one down, with their names."""
    found = {namespace: names(namespace, module)}
    for name, member in found[namespace].items():
        if not isinstance(member, types.ModuleType) or (not namespace and name in NOT_EXPANDED):
            continue
        again = namespace.startswith("compat.v1") and name in ("compat", "raw_ops")
        if not again and (any(owner in member.__name__ for owner in OWNERS) or name == "layers"):
            found |= namespaces(f"{namespace}.{name}".lstrip("."), member)
    return found


def members(kind: type) -> list[str]:
    """The public methods and properties of a class that TensorFlow, Keras or their parts define."""
    return sorted(
        {
            name
            for base in kind.__mro__
            if base.__module__.partition(".")[0] in ("tensorflow", "keras", "tensorflow_estimator")
            for name in vars(base)
            if not name.startswith("_") and _is_member(inspect.getattr_static(kind, name))
        }
    )


def _is_member(value: object) -> bool:
    return callable(value) or inspect.isdatadescriptor(value) or isinstance(value, classmethod | staticmethod)


def line(kind: type, told: dict[type, str]) -> list[str]:
    """What is written about a class after its name."""
    base = next((base for base in kind.__mro__[1:] if base in told), None)
    if base is None:
        return members(kind)
    inherited = set(members(base))
    return [f"<{told[base]}", *(name for name in members(kind) if name not in inherited)]


def main() -> None:
    """Write both files."""
    found = namespaces("", tf)
    lines = [f"{namespace or '-'} {' '.join(rows)}" for namespace, rows in sorted(found.items())]
    NAMES.write_text("\n".join(lines) + "\n", encoding="utf-8")
    told: dict[type, str] = {}
    for namespace, rows in sorted(found.items(), key=lambda row: (row[0].startswith("compat."), row[0])):
        for name, value in rows.items():
            if inspect.isclass(value) and members(value):
                told.setdefault(value, f"{namespace}.{name}".lstrip("."))
    lines = [" ".join([name, *line(kind, told)]) for kind, name in told.items()]
    MEMBERS.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")
    print(f"{len(found)} namespaces, {sum(map(len, found.values()))} names, {len(told)} classes")


if __name__ == "__main__":
    main()
