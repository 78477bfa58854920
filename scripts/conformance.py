#!/usr/bin/env python3
"""Compares the public names of TensorFlow 2.15.1, their members and their parameters with what is here.

    python scripts/conformance.py                    the counts
    python scripts/conformance.py --list tf          what is missing below tf, compat.v1 or keras, a line each
    python scripts/conformance.py --json FILE        all of it

A name or member that only raises counts as missing. Parameters `*args` and `**kwargs` that TensorFlow does not have count as
lacking the arguments behind them: nothing tells that they are taken. What is missing on purpose is declared beside the code
(`exported(…, lacks={…})`), and listed apart. docs/coverage.md and `stratagem check` say what this finds.
"""

import argparse
import ast
import dis
import functools
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
sys.path[:0] = [path for path in (str(ROOT), str(ROOT / "src")) if path not in sys.path]
os.environ.setdefault("JAX_PLATFORMS", "cpu")

import stratagem as tf  # noqa: E402
from scripts import declarations, tensorflow_api  # noqa: E402

AREAS = ("tf", "compat.v1", "keras")
MISSING = object()
# Classes whose objects are of a class below it, or have members that the class does not have.
STANDS_FOR: dict[Any, Callable[[], Any]] = {
    tf.Tensor: lambda: tf.constant(1.0),
    tf.Variable: lambda: tf.Variable(1.0),
    tf.data.Options: tf.data.Options,
}


@dataclass
class Lacking:
    """What an area lacks, and how many things of each kind TensorFlow has there.

    names: public names. members: by class. arguments: by callable, those that it does not take. order: by callable that takes
    a positional argument at a different place, the order there and here. deliberate: the reasons of what is declared, which is
    in none of the other lists.
    """

    counts: dict[str, int] = field(default_factory=lambda: dict.fromkeys(("names", "members", "callables"), 0))
    names: list[str] = field(default_factory=list)
    members: dict[str, list[str]] = field(default_factory=dict)
    arguments: dict[str, list[str]] = field(default_factory=dict)
    order: dict[str, str] = field(default_factory=dict)
    deliberate: dict[str, str] = field(default_factory=dict)

    def add_callable(
        self,
        path: str,
        theirs: list[list[Any]],
        ours: list[inspect.Parameter] | None,
        on_purpose: dict[str, str],
    ) -> None:
        """Compares the parameters of one function, constructor or method. ours: None where Python does not know them."""
        self.counts["callables"] += 1
        if ours is None:
            return
        wanted = [name for name, kind, _ in theirs if not kind.startswith("VAR_") and name not in ("self", "cls")]
        open_there = {kind for _, kind, _ in theirs if kind.startswith("VAR_")}
        taken = {each.name for each in ours}
        lacks = [name for name in wanted if name not in taken]
        if not ({each.kind.name for each in ours} & open_there):
            left = [name for name in lacks if not self._is_deliberate(f"{path}({name})", on_purpose)]
            if left:
                self.arguments[path] = left
        if first_moved(theirs, ours) is not None and not self._is_deliberate(f"{path}(...)", on_purpose):
            self.order[path] = f"({', '.join(places(theirs))}) is ({', '.join(own_places(ours))})"

    def add_members(self, path: str, facts: dict[str, Any], kind: Any, on_purpose: dict[str, str]) -> None:
        """Compares the members of a class, and the parameters of its methods."""
        for name in facts.get("members", {}):
            self.counts["members"] += 1
            value = member(kind, name)
            if value is MISSING or only_raises(value):
                if not self._is_deliberate(f"{path}.{name}", on_purpose):
                    self.members.setdefault(path, []).append(name)
            elif (arguments := facts.get("methods", {}).get(name)) is not None and callable(value):
                self.add_callable(f"{path}.{name}", arguments, method_parameters(kind, name), on_purpose)

    def _is_deliberate(self, what: str, on_purpose: dict[str, str]) -> bool:
        if what in on_purpose:
            self.deliberate[what] = on_purpose[what]
        return what in on_purpose


def places(theirs: list[list[Any]]) -> list[str]:
    """The names of the positional arguments that TensorFlow's callable takes, in their order."""
    return [name for name, kind, _ in theirs if kind == "POSITIONAL_OR_KEYWORD" and name not in ("self", "cls")]


def own_places(ours: list[inspect.Parameter]) -> list[str]:
    """The names of the positional arguments that ours takes, in their order."""
    return [each.name for each in ours if each.kind in (each.POSITIONAL_ONLY, each.POSITIONAL_OR_KEYWORD)]


def first_moved(theirs: list[list[Any]], ours: list[inspect.Parameter]) -> int | None:
    """The first place, counted from 0, at which our callable takes a positional argument that TensorFlow's takes elsewhere."""
    taken, here = {each.name for each in ours}, own_places(ours)
    return next((n for n, name in enumerate(places(theirs)) if name in taken and here[n : n + 1] != [name]), None)


def parameters(value: Any) -> list[inspect.Parameter] | None:
    """The parameters of a callable without `self`; None where Python does not know them."""
    try:
        found = list(inspect.signature(value).parameters.values())
    except (TypeError, ValueError):
        return None
    return [each for each in found if each.name not in ("self", "cls")]


def method_parameters(kind: Any, name: str) -> list[inspect.Parameter] | None:
    """The parameters of a method, called of an object. Functions that are given to a class call the object as they like."""
    value = member(kind, name)
    found = parameters(value)
    takes_object = inspect.isfunction(inspect.getattr_static(kind, name, None))
    if not found or not takes_object or "self" in inspect.signature(value).parameters:
        return found
    return found if found[0].kind is found[0].VAR_POSITIONAL else found[1:]


@functools.cache
def _only_raises(code_of: Callable[..., Any]) -> bool:
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(code_of)))
    except (OSError, TypeError, SyntaxError):
        return False
    function = tree.body[0]
    if not isinstance(function, ast.FunctionDef):
        return False
    body = [step for step in function.body if not isinstance(step, ast.Expr | ast.Delete)]
    return len(body) == 1 and isinstance(body[0], ast.Raise)


def only_raises(value: Any) -> bool:
    """Returns whether a function or property does nothing but raise."""
    if isinstance(value, property):
        value = value.fget
    value = inspect.unwrap(value) if inspect.isroutine(value) else value
    return inspect.isfunction(value) and _only_raises(value)


def reached(path: str) -> Any:
    """What is here at a path below `tf` ("" for itself), MISSING if nothing is."""
    value: Any = tf
    for part in path.split(".") if path else []:
        try:
            value = getattr(value, part)
        except (AttributeError, ImportError):
            return MISSING
    return value


def member(kind: Any, name: str) -> Any:
    """A member of a class, MISSING if neither it nor its objects have it."""
    if inspect.isclass(kind) and kind in STANDS_FOR:
        value = STANDS_FOR[kind]()
        return getattr(type(value), name, None) if hasattr(value, name) else MISSING
    found = inspect.getattr_static(kind, name, MISSING)
    if found is MISSING:
        return None if inspect.isclass(kind) and name in attributes(kind) else MISSING
    if inspect.ismethoddescriptor(found) and not isinstance(found, staticmethod | classmethod):
        return getattr(kind, name)  # of a built-in class
    return found.__func__ if isinstance(found, staticmethod | classmethod) else found


def attributes(kind: type) -> set[str]:
    """The attributes that objects of a class get: those it declares, and those that its methods assign."""
    return set().union(*map(_declared, kind.__mro__[:-1]))


@functools.cache
def _declared(kind: type) -> frozenset[str]:
    own = vars(kind)
    codes = [value.__code__ for value in map(inspect.unwrap, own.values()) if inspect.isfunction(value)]
    assigned = {step.argval for code in codes for step in dis.get_instructions(code) if step.opname == "STORE_ATTR"}
    return frozenset({*inspect.get_annotations(kind), *own.get("__slots__", ()), *assigned})


def area_of(path: str) -> str:
    """The area to which a name belongs. `tf.metrics` and its kin are Keras'."""
    if path.partition(".")[0] in ("keras", *tensorflow_api.OF_KERAS):
        return "keras"
    return "compat.v1" if path.startswith("compat.v1.") else "tf"


@functools.cache
def compared() -> dict[str, Lacking]:
    """What is lacking, by area."""
    found = {area: Lacking() for area in AREAS}
    on_purpose = declarations.deliberate()
    for path, facts in tensorflow_api.counted().items():
        lacking = found[area_of(path)]
        lacking.counts["names"] += 1
        value = reached(path)
        if value is MISSING or only_raises(value):
            lacking.names.append(path)
            continue
        if facts.get("args") is not None and callable(value):
            lacking.add_callable(path, facts["args"], parameters(value), on_purpose)
        lacking.add_members(path, facts, value, on_purpose)
    return found


def idle_reasons() -> list[str]:
    """What is declared as missing on purpose, and is there, or TensorFlow does not have it either."""
    used = {what for lacking in compared().values() for what in lacking.deliberate}
    return [
        f"{export.place.attribute}: {what}"
        for export in declarations.exports()
        for what in export.lacks
        if used.isdisjoint(declarations.lacked(export, what))
    ]


def lines(lacking: Lacking) -> Iterator[str]:
    """Yields everything that an area lacks, a line each."""
    yield from (f"missing name      {path}" for path in lacking.names)
    yield from (f"missing member    {path}.{name}" for path, names in lacking.members.items() for name in names)
    yield from (f"missing argument  {path}: {', '.join(names)}" for path, names in lacking.arguments.items())
    yield from (f"different order   {path}: {text}" for path, text in lacking.order.items())
    yield from (f"on purpose        {what}: {why}" for what, why in lacking.deliberate.items())


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
        print("\n".join(lines(found[options.list])))
        return
    for area, lacking in found.items():
        names, members, callables = lacking.counts.values()
        missing = sum(map(len, lacking.members.values()))
        print(
            f"{area:9} lacks {len(lacking.names)} of {names} names, {missing} of {members} members, an argument at "
            f"{len(lacking.arguments)} of {callables} callables; {len(lacking.order)} take one at a different place; "
            f"{len(lacking.deliberate)} more on purpose"
        )


if __name__ == "__main__":
    main()
