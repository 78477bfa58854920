"""The values that the public names have when a program runs, and the list of all names with their signatures."""

import enum
import importlib
import inspect
from pathlib import Path
from types import ModuleType
from typing import Any

from scripts.declarations import ITSELF, ROOT, Namespace

FILE = ROOT / "api" / "names.txt"
ALSO_PUBLIC = ("__version__", "__internal__")
PLAIN = (bool, int, float, str, bytes, tuple, type(None))
NOTE = "# Written by `make api`: every public name, with its parameters or its value."
# A value that a machine or an installation decides is not in the list.
DIFFERS_BY_INSTALLATION = ("version.GIT_VERSION", "version.COMPILER_VERSION", "keras.__version__")


def values(found: dict[str, Namespace]) -> dict[str, dict[str, Any]]:
    """By namespace and name, what a program gets. Modules of others, which their star imports leave there, are not public."""
    return {path: _values(importlib.import_module(its.module), its) for path, its in sorted(found.items())}


def _values(module: ModuleType, namespace: Namespace) -> dict[str, Any]:
    also = [name for name in ALSO_PUBLIC if hasattr(module, name)]
    public = {name: getattr(module, name) for name in sorted({*dir(module), *also}) if is_public(name)}
    return {name: value for name, value in public.items() if not _is_left_by_import(value, name, namespace)}


def _is_left_by_import(value: Any, name: str, namespace: Namespace) -> bool:
    return (
        isinstance(value, ModuleType)
        and name not in namespace.places
        and not value.__name__.startswith(namespace.module)
    )


def is_public(name: str) -> bool:
    """Whether users may write a name."""
    return not name.startswith("_") or name in ALSO_PUBLIC


def listed(values_of: dict[str, dict[str, Any]]) -> dict[Path, str]:
    """The text of the list, by its file."""
    rows = {
        f"{ITSELF}.{path}.{name}".replace("..", "."): line(f"{path}.{name}".lstrip("."), value)
        for path, names in values_of.items()
        for name, value in names.items()
    }
    return {FILE: "\n".join([NOTE, *(f"{name}{text}" for name, text in sorted(rows.items()))]) + "\n"}


def line(path: str, value: Any) -> str:
    """What follows a name: `(x, name=None)`, ` = 5`, or ` is tf.keras.losses`."""
    if isinstance(value, ModuleType):
        below = value.__name__.partition(".")[2]
        return "" if below == path else f" is {ITSELF}.{below}"
    if path in DIFFERS_BY_INSTALLATION:
        return ""
    if isinstance(value, PLAIN):
        return f" = {value!r}"
    if inspect.isclass(value) and issubclass(value, enum.Enum):
        return f": {', '.join(value.__members__)}"
    if not callable(value):
        return f": {type(value).__name__}"
    return _signature(value)


def _signature(value: Any) -> str:
    try:
        signature = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    bare = [
        each.replace(
            annotation=each.empty, default=each.default if each.default is each.empty else _Default(each.default)
        )
        for each in signature.parameters.values()
    ]
    return str(inspect.Signature(bare))


class _Default:
    """A default as it is written: of a function its name, without an address that differs from run to run."""

    def __init__(self, value: Any) -> None:
        self._value = value

    def __repr__(self) -> str:
        if isinstance(self._value, PLAIN):
            return repr(self._value)
        name = getattr(self._value, "__name__", None) or getattr(self._value, "name", None)
        return str(name) if isinstance(name, str) else f"<{type(self._value).__name__}>"
