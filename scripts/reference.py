"""The public names of the library, by the namespaces of the reference on the documentation site.

What a namespace has is asked of the library itself, so nothing is listed by hand. A function or class of ours is documented
once, under one of its names; the others lead there. Names that are Keras' or JAX's own lead to their documents.
"""

import importlib
import inspect
import json
import sys
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, final

from scripts import declarations

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "stratagem"
TABLE = SOURCE / "cli" / "migration" / "table.json"
KERAS = "https://keras.io/api/"
JAX = "https://docs.jax.dev/en/latest/"
# Keras' namespaces with a chapter in its documents; those below one share it.
CHAPTERS = (
    "layers models callbacks ops optimizers metrics losses datasets applications mixed_precision random utils "
    "distribution quantizers"
)
LEFT_OUT = {"keras.__internal__", "keras.__internal__.losses"}  # of libraries of TensorFlow's authors


@final
@dataclass(frozen=True)
class Name:
    """A public name, and what it is. path: without `tf.`; home: the module and name of its definition, if that is known."""

    path: str
    value: Any
    home: tuple[str, str] | None

    @property
    def namespace(self) -> str:
        """What is before the last dot."""
        return self.path.rpartition(".")[0]

    @property
    def package(self) -> str:
        """The library that defines it: `stratagem`, `keras`, `jax`, …; empty for constants."""
        return self.home[0].partition(".")[0] if self.home else ""


@cache
def names() -> dict[str, Name]:
    """Every public name of the library, by path."""
    return {name.path: name for namespace, module in namespaces().items() for name in _names_in(namespace, module)}


@cache
def namespaces() -> dict[str, ModuleType]:
    """The modules that programs import, by path below `tf`."""
    found = {path: declared.module for path, declared in declarations.namespaces().items()}
    return {path: importlib.import_module(name) for path, name in found.items() if path not in LEFT_OUT}


def _names_in(namespace: str, module: ModuleType) -> Iterator[Name]:
    for name in sorted(dir(module)):
        if name.startswith("_"):
            continue
        value = getattr(module, name)
        if not isinstance(value, ModuleType):
            yield Name(f"{namespace}.{name}".lstrip("."), value, _home(value))


def _home(value: Any) -> tuple[str, str] | None:
    if not (inspect.isclass(value) or inspect.isroutine(value)):
        return None
    plain = _plain(value)
    module, name = getattr(plain, "__module__", None), getattr(plain, "__qualname__", None)
    return (module, name) if isinstance(module, str) and isinstance(name, str) else None


def _plain(value: Any) -> Any:
    """What all names of one function or class share."""
    return value if inspect.isclass(value) else inspect.unwrap(value)


@cache
def documented() -> dict[str, tuple[Name, ...]]:
    """Our functions and classes, by the path under which each is documented: all of its names, that one first."""
    alike: dict[int, list[Name]] = defaultdict(list)
    for name in names().values():
        if name.package == "stratagem":
            alike[id(_plain(name.value))].append(name)
    found = {}
    for same in alike.values():
        first, *others = sorted(same, key=_preference)
        found[first.path] = (first, *others)
    return found


def _preference(name: Name) -> tuple[Any, ...]:
    """A namespace of its own before `tf` itself, TensorFlow 2 before 1, without `experimental` before with it."""
    parts = name.path.split(".")
    renamed = not name.home or parts[-1] != _last(name.home[1])
    return (parts[0] == "compat", "experimental" in parts, renamed, len(parts) == 1, len(parts), name.path)


def _last(path: str) -> str:
    return path.rpartition(".")[2]


@cache
def places() -> dict[str, str]:
    """By path of each of our functions and classes, the path under which it is documented."""
    return {name.path: path for path, same in documented().items() for name in same}


@cache
def differences() -> dict[str, str]:
    """By path, how a name differs from TensorFlow's, as `stratagem check` tells it."""
    table = json.loads(TABLE.read_text(encoding="utf-8"))
    found = {
        f"{namespace}.{name}".lstrip("."): row["text"]
        for namespace, rows in table["names"].items()
        for name, row in rows.items()
        if row["state"] == "d"
    }
    for path, row in table["classes"].items():
        if row["lacks"]:
            lacks = "it lacks " + ", ".join(f"`{name}`" for name in row["lacks"]) + "."
            found[path] = f"{found[path]}; {lacks}" if path in found else lacks
    return found


@cache
def pages() -> dict[str, tuple[str, ...]]:
    """By namespace that has a page, the namespaces on it: those where nothing is documented are on the page around them."""
    own = {path.rpartition(".")[0] for path in documented()} | {"", "keras"}
    found: dict[str, list[str]] = {namespace: [namespace] for namespace in namespaces() if namespace in own}
    for namespace in namespaces():
        around = namespace
        while around not in found:
            around = around.rpartition(".")[0]
        if around != namespace:
            found[around].append(namespace)
    return {namespace: tuple(on_it) for namespace, on_it in found.items()}


def page(namespace: str) -> str:
    """The page of a namespace as Markdown, with a directive of mkdocstrings for each name that is documented there."""
    first, *others = pages()[namespace]
    lines = [f"# {full(first)}", "", *_introduction(first), "", *_listed(first), *_directives(first)]
    for other in others:
        lines += [f"## {full(other)}", "", *_introduction(other), "", *_listed(other)]
    return "\n".join(lines)


def full(namespace: str) -> str:
    """A namespace as programs write it."""
    return f"tf.{namespace}" if namespace else "tf"


def _listed(namespace: str) -> Iterator[str]:
    """The names of a namespace that are documented elsewhere, and constants."""
    here = [name for name in names().values() if name.namespace == namespace]
    elsewhere = [name for name in here if places().get(name.path, name.path) != name.path]
    keras = [name for name in here if name.package == "keras"]
    if elsewhere:
        yield from ("Documented under another name: " + ", ".join(map(_link, elsewhere)) + ".", "")
    if keras:
        told = ", ".join(f"`{_last(name.path)}`" for name in keras)
        yield from (f"Keras 3's own, with [Keras' documents]({_chapter(namespace)}): {told}.", "")
    for name in here:
        if name.package not in ("keras", "stratagem", ""):
            yield from (f"`{_last(name.path)}` is {_of_others(name)}.", "")
    if constants := [name for name in here if not name.package]:
        yield from ("| constant | value |", "|---|---|")
        yield from (f"| `{_last(name.path)}` | {_shown(name.value)} |" for name in constants)
        yield ""


def _directives(namespace: str) -> Iterator[str]:
    for path, (name, *_) in sorted(documented().items(), key=lambda entry: (entry[0].lower(), entry[0])):
        if name.namespace == namespace:
            yield from (f"::: stratagem.{path}", *_options(name), "")


def _introduction(namespace: str) -> Iterable[str]:
    module = namespaces()[namespace]
    text = inspect.getdoc(module) or ""
    bare = text.strip("`.") == full(namespace)
    return [] if bare or module.__name__.startswith("keras") else [text.partition("\n\n")[0]]


def _link(name: Name) -> str:
    return f"[`{_last(name.path)}`][stratagem.{places()[name.path]}]"


def _chapter(namespace: str) -> str:
    part = [*namespace.split("."), ""][1]
    return f"{KERAS}{part}/" if part in CHAPTERS.split() else KERAS


def _of_others(name: Name) -> str:
    assert name.home
    module, own = name.home
    if name.package == "jax":
        return f"[JAX]({JAX})'s `{own.rpartition('.')[2]}`"
    return f"`{module}.{own}`"


def _shown(value: Any) -> str:
    shown = " ".join(repr(value).split())
    if len(shown) > 60 or " at 0x" in shown:
        shown = f"a {type(value).__name__}"
    return f"`{shown}`".replace("|", "\\|")


def _options(name: Name) -> list[str]:
    options = [f"heading: tf.{name.path}", f"toc_label: {_last(name.path)}"]
    if inspect.isclass(name.value):
        inherited = sorted(_inherited(name.value))
        options += [f"inherited_members: [{', '.join(inherited)}]"] if inherited else []
    return ["    options:", *(f"      {option}" for option in options)]


def _inherited(cls: type) -> set[str]:
    """The public members that a class takes from bases of ours that have no entry of their own."""
    found: set[str] = set()
    for base in cls.__mro__[1:]:
        if base.__module__.startswith("stratagem"):
            found |= {name for name in vars(base) if not name.startswith("_")}
    elsewhere = [names()[path].value for path in kinds(cls)]
    return found - {name for base in elsewhere for name in dir(base)}


def kinds(cls: type) -> list[str]:
    """The nearest bases of a class that are documented, by their paths."""
    homes = {id(same[0].value): path for path, same in documented().items()}
    found: list[str] = []
    for base in cls.__mro__[1:]:
        if id(base) in homes and not any(issubclass(names()[path].value, base) for path in found):
            found.append(homes[id(base)])
    return found


def main() -> None:
    """Prints how many names there are."""
    print(
        f"{len(names())} names in {len(namespaces())} namespaces; {len(documented())} documented here", file=sys.stderr
    )


if __name__ == "__main__":
    main()
