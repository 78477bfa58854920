"""The table that `stratagem check` reads, made of the states of docs/coverage.md; `scripts/coverage.py` writes it."""

import importlib
import inspect
import json
from pathlib import Path
from types import ModuleType
from typing import Any, Protocol

import stratagem as tf
import stratagem.addons
from stratagem._ops import INSTEAD, tensorflow_names

TABLE = Path(__file__).parents[1] / "src" / "stratagem" / "cli" / "migration" / "table.json"
VERSION = 1
LETTERS = {"as TensorFlow": "t", "present": "p", "differs": "d", "missing": "m"}
OWN = "o"  # a name of ours that TensorFlow does not have
MIRRORED = "compat.v1.keras"  # is tf.keras: only what it lacks has a row
WITH_METHODS = ("data.", "distribute.", "train.", "keras.Model", "GradientTape", "Variable", "Module", "io.TFRecord")


class Named(Protocol):
    """A section of the page: the states of a namespace's names, and their reasons."""

    namespace: str
    states: dict[str, str]
    reasons: dict[str, str]


def parameters(value: Any) -> str | None:
    """The parameters of a function or class as the checker's `Parameters` reads them. None: not known."""
    try:
        found = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return None
    words: list[str] = []
    for each in found:
        if each.kind is each.KEYWORD_ONLY and not {"*", "*+"} & set(words):
            words.append("*")
        required = "!" if each.default is each.empty else ""
        alone = "/" if each.kind is each.POSITIONAL_ONLY else ""
        words.append({each.VAR_POSITIONAL: "*+", each.VAR_KEYWORD: "**"}.get(each.kind, f"{each.name}{required}{alone}"))
    return None if {"*+", "**"} <= set(words) else " ".join(words)


def methods(kind: type) -> dict[str, str]:
    """By public method of a class, its parameters, where they are known and limited."""
    found = {}
    for name in dir(kind):
        if not name.startswith("_"):
            value = inspect.getattr_static(kind, name)
            function = value.__func__ if isinstance(value, staticmethod | classmethod) else value
            text = parameters(function) if inspect.isfunction(function) else None
            if text is not None:
                # Functions that are given to a class as methods call their first parameter otherwise.
                own = "" if isinstance(value, staticmethod) else "cls" if isinstance(value, classmethod) else "self"
                words = text.split(" ")
                kept = words if not own or words[0] == "*+" else [f"{own}!", *words[1:]]
                found[name] = " ".join(kept)
    return found


def importable(name: str) -> bool:
    """Returns whether an import statement finds this module."""
    try:
        importlib.import_module(name)
    except ModuleNotFoundError:
        return False
    return True


def public(module: Any) -> list[str]:
    """The public names of a module."""
    return [name for name in dir(module) if not name.startswith("_")] if isinstance(module, ModuleType) else []


def table(sections: list[Named], members: dict[str, list[str]], reached: Any) -> str:
    """The whole table as JSON, one namespace a line."""
    texts: dict[str, int] = {}
    signatures: dict[str, int] = {}
    theirs = tensorflow_names()
    rows: dict[str, dict[str, Any]] = {}

    def number(known: dict[str, int], text: str | None) -> int:
        return -1 if text is None else known.setdefault(text, len(known))

    def limited(value: Any) -> int:
        text = parameters(value) if callable(value) else None
        return number(signatures, text)

    for section in sections:
        row: dict[str, Any] = {}
        for name, state in sorted(section.states.items()):
            if section.namespace.startswith(MIRRORED) and state != "missing":
                continue
            path = f"{section.namespace}.{name}".lstrip(".")
            row[name] = [LETTERS[state], number(texts, section.reasons.get(name)), limited(reached(path))]
        module = reached(section.namespace)
        if not section.namespace.startswith(MIRRORED):
            for name in public(module):
                below = f"{section.namespace}.{name}".lstrip(".")
                if name not in row and below not in theirs and not isinstance(reached(below), ModuleType):
                    row[name] = [OWN, -1, limited(reached(below))]
        for name, text in INSTEAD.get(section.namespace, {}).items():
            if name and name not in row and reached(f"{section.namespace}.{name}".lstrip(".")) is None:
                row[name] = ["m", number(texts, text), -1]
        rows[section.namespace] = row
    addons: dict[str, dict[str, Any]] = {}
    for name in ["", *sorted(tf_addons())]:
        module = importlib.import_module(f"stratagem.addons.{name}".rstrip("."))
        offered = [each for each in public(module) if not isinstance(getattr(module, each), ModuleType)]
        addons[name] = {each: ["p", -1, limited(getattr(module, each))] for each in offered}
    kinds = {
        path: {"lacks": members.get(path, []), "methods": {n: number(signatures, t) for n, t in found.items()}}
        for path in sorted({*members, *classes(rows, reached)})
        if (found := methods(reached(path)) if path.startswith(WITH_METHODS) else {}) or path in members
    }
    modules = [name for name in sorted({*theirs, "compat.v2"}) if name and importable(f"stratagem.{name}")]
    parts = {
        "version": VERSION,
        "tensorflow": tf.__version__,
        "modules": " ".join(modules),
        "texts": list(texts),
        "signatures": list(signatures),
        "names": rows,
        "addons": addons,
        "classes": kinds,
    }
    return "{\n" + ",\n".join(f"{json.dumps(key)}: {written(value)}" for key, value in parts.items()) + "\n}\n"


def tf_addons() -> list[str]:
    """The modules of `stratagem.addons`."""
    folder = Path(stratagem.addons.__file__).parent
    return [path.stem for path in folder.glob("*.py") if not path.stem.startswith("_")]


def classes(rows: dict[str, dict[str, Any]], reached: Any) -> list[str]:
    """The public classes, by the names that they have in TensorFlow."""
    return [
        path
        for namespace, row in rows.items()
        for name in row
        if (path := f"{namespace}.{name}".lstrip(".")) and inspect.isclass(reached(path)) and "compat.v1" not in path
    ]


def written(value: Any) -> str:
    """A value as JSON; each item of a large one is a line."""
    if isinstance(value, dict):
        items = (f"{json.dumps(key)}: {json.dumps(each, separators=(',', ':'))}" for key, each in value.items())
        return "{\n" + ",\n".join(items) + "\n}"
    if isinstance(value, list):
        return "[\n" + ",\n".join(json.dumps(each) for each in value) + "\n]"
    return json.dumps(value)
