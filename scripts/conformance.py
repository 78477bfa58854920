#!/usr/bin/env python3
"""Compares the public names of TensorFlow 2.15.1, their members and their parameters with what is here.

    python scripts/conformance.py                    the counts
    python scripts/conformance.py --list tf          what is missing below tf, compat.v1 or keras, a line each
    python scripts/conformance.py --json FILE        all of it

`tensorflow_api.json.gz` has the names: their kind, the members of classes, and the parameters of functions, constructors and
methods, as `inspect` gives them in TensorFlow. A name or member that only raises counts as missing. Parameters `*args` and
`**kwargs` that TensorFlow does not have count as lacking the arguments behind them: nothing tells that they are taken.
"""

import argparse
import ast
import functools
import gzip
import inspect
import json
import logging
import os
import sys
import textwrap
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import stratagem as tf  # noqa: E402
from scripts.check_table import attributes  # noqa: E402

DATA = ROOT / "scripts" / "tensorflow_api.json.gz"
AREAS = ("tf", "compat.v1", "keras")
_OF_KERAS = ("keras", "initializers", "losses", "metrics", "optimizers")
_MISSING = object()


@dataclass
class Lacking:
    """What an area lacks, and how many things of each kind TensorFlow has there.

    names: public names. members: of classes, `Class.member`. arguments: by callable, those that it does not take. order: the
    callables that take a positional argument at a different place.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("names", "members", "callables"), 0))
    names: list[str] = field(default_factory=list)
    members: list[str] = field(default_factory=list)
    arguments: dict[str, list[str]] = field(default_factory=dict)
    order: dict[str, str] = field(default_factory=dict)

    def add_callable(self, path: str, theirs: list[list[Any]], value: Any) -> None:
        """Compares the parameters of one function, constructor or method."""
        self.counts["callables"] += 1
        ours = parameters(value)
        if ours is None:
            return
        wanted = [name for name, kind, _ in theirs if not kind.startswith("VAR_") and name not in ("self", "cls")]
        open_there = {kind for _, kind, _ in theirs if kind.startswith("VAR_")}
        taken = {each.name for each in ours}
        lacks = [name for name in wanted if name not in taken]
        if lacks and not ({each.kind.name for each in ours} & open_there):
            self.arguments[path] = lacks
        places = [n for n, kind, _ in theirs if kind == "POSITIONAL_OR_KEYWORD" and n not in ("self", "cls")]
        here = [each.name for each in ours if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]
        moved = [name for place, name in enumerate(places) if name in taken and here[place : place + 1] != [name]]
        if moved:
            self.order[path] = f"({', '.join(places)}) is ({', '.join(here)})"


def parameters(value: Any) -> list[inspect.Parameter] | None:
    """The parameters of a callable without `self`; None where Python does not know them."""
    try:
        found = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return None
    return [each for each in found if each.name not in ("self", "cls")]


@functools.cache
def _only_raises(code_of: Callable[..., Any]) -> bool:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code_of)))
    except (OSError, TypeError, SyntaxError):
        return False
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        return False
    body = [step for step in function.body if not (isinstance(step, ast.Expr) and isinstance(step.value, ast.Constant))]
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def only_raises(value: Any) -> bool:
    """Returns whether a function or property has no statement but a `raise`."""
    if isinstance(value, property):
        value = value.fget
    value = inspect.unwrap(value) if inspect.isroutine(value) else value
    return inspect.isfunction(value) and _only_raises(value)


def reached(path: str) -> Any:
    """What is here at a path below `tf`, `_MISSING` if nothing is."""
    value: Any = tf
    for part in path.split("."):
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError):
            return _MISSING
    return value


def _member(kind: Any, name: str) -> Any:
    found = inspect.getattr_static(kind, name, _MISSING)
    if found is _MISSING:
        return None if inspect.isclass(kind) and name in attributes(kind) else _MISSING
    return found.__func__ if isinstance(found, staticmethod | classmethod) else found


def area_of(path: str) -> str:
    """The area to which a name belongs. `tf.metrics` and its kin are Keras'."""
    if path.partition(".")[0] in _OF_KERAS:
        return "keras"
    return "compat.v1" if path.startswith("compat.v1.") else "tf"


def compared() -> dict[str, Lacking]:
    """What is lacking, by area."""
    with gzip.open(DATA) as file:
        theirs: dict[str, dict[str, Any]] = json.load(file)
    found = {area: Lacking() for area in AREAS}
    for path, facts in theirs.items():
        lacking = found[area_of(path)]
        lacking.counts["names"] += 1
        value = reached(path)
        if value is _MISSING or only_raises(value):
            lacking.names.append(path)
            continue
        if facts.get("args") is not None and callable(value):
            lacking.add_callable(path, facts["args"], value)
        for name in facts.get("members", {}):
            lacking.counts["members"] += 1
            member = _member(value, name)
            if member is _MISSING or only_raises(member):
                lacking.members.append(f"{path}.{name}")
            elif (arguments := facts.get("methods", {}).get(name)) is not None and callable(member):
                lacking.add_callable(f"{path}.{name}", arguments, member)
    return found


def lines(area: str, lacking: Lacking) -> Iterator[str]:
    """Yields everything that an area lacks, a line each."""
    yield from (f"missing name      {path}" for path in lacking.names)
    yield from (f"missing member    {path}" for path in lacking.members)
    yield from (f"missing argument  {path}: {', '.join(names)}" for path, names in lacking.arguments.items())
    yield from (f"different order   {path}: {text}" for path, text in lacking.order.items())


def main() -> None:
    """Prints the counts, or a list."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--list", choices=AREAS, help="print all that this area lacks")
    parser.add_argument("--json", type=Path, help="write all that is lacking to this file")
    options = parser.parse_args()
    logging.disable(logging.WARNING)
    found = compared()
    if options.json is not None:
        options.json.write_text(json.dumps({area: vars(lacking) for area, lacking in found.items()}, indent=1) + "\n")
    if options.list is not None:
        print("\n".join(lines(options.list, found[options.list])))
        return
    for area, lacking in found.items():
        names, members, callables = lacking.counts.values()
        print(
            f"{area:9} lacks {len(lacking.names)} of {names} names, {len(lacking.members)} of {members} members, an "
            f"argument at {len(lacking.arguments)} of {callables} callables; {len(lacking.order)} take one at a different place"
        )


if __name__ == "__main__":
    main()
