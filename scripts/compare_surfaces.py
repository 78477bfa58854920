#!/usr/bin/env python3
"""Compares the public surface of two wheels: the names of each namespace, their parameters, the members of classes and theirs.

    compare_surfaces.py OLD.whl NEW.whl

A name counts if `dir()` has it, or if TensorFlow has it and asking for it gives a value. Prints each difference as a line, and
ends with 1 if there is one. The wheels' requirements come from the environment that runs this.
"""

import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

DATA = Path(__file__).with_name("tensorflow_api.json.gz")
PACKAGE = "stratagem"
# Runs with a wheel's content on the path. argv: a file with TensorFlow's names, a file for the result.
PROGRAM = r"""
import importlib, inspect, json, pkgutil, re, sys, types, warnings, logging
warnings.simplefilter("ignore"); logging.disable(logging.CRITICAL)
import stratagem

def signature(value):
    try:
        found = inspect.signature(value)
    except (TypeError, ValueError):
        return "(...)"
    bare = [each.replace(annotation=each.empty) for each in found.parameters.values()]
    return re.sub(r" at 0x[0-9a-f]+|environ\(\{.*?\}\)", "", str(inspect.Signature(bare)))

def described(value):
    if isinstance(value, types.ModuleType):
        return {"": "module"}
    if inspect.isclass(value):
        members = {}
        for name in dir(value):
            if not name.startswith("_"):
                member = inspect.getattr_static(value, name)
                member = getattr(member, "__func__", member)
                members[name] = signature(member) if inspect.isfunction(member) else type(member).__name__
        return {"": "class" + signature(value), **members}
    shown = re.sub(" at 0x[0-9a-f]+", "", repr(value))[:200]
    return {"": signature(value) if callable(value) else f"{type(value).__name__} {shown}"}

def modules(package):
    yield package.__name__
    for each in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
        last = each.name.rpartition(".")[2]
        if (last[0] != "_" or last == "__internal__") and last not in ("src", "cli", "testing"):
            yield each.name
            if each.ispkg:
                yield from modules(importlib.import_module(each.name))

theirs = json.load(open(sys.argv[1]))
kept = {}
found = sorted({*modules(stratagem), "stratagem.compat.v2"})
for name in found:
    module = importlib.import_module(name)
    listed = {each for each in dir(module) if not each.startswith("_")}
    names = {}
    for each in sorted(listed | set(theirs.get(name.partition(".")[2], ()))):
        try:
            value = getattr(module, each)
        except AttributeError:
            continue
        if isinstance(value, types.ModuleType) and not value.__name__.startswith("stratagem."):
            continue  # what import statements of others left
        names[each] = described(value)
    kept[name] = names
json.dump(kept, open(sys.argv[2], "w"))
"""


def surface(wheel: Path, names: dict[str, list[str]]) -> dict[str, dict[str, dict[str, str]]]:
    """What a wheel offers: by namespace and name, parameters, and by member those of the member."""
    with tempfile.TemporaryDirectory() as folder:
        zipfile.ZipFile(wheel).extractall(folder)
        asked, told = Path(folder, "asked.json"), Path(folder, "told.json")
        asked.write_text(json.dumps(names))
        environment = {**os.environ, "PYTHONPATH": folder, "JAX_PLATFORMS": "cpu"}
        subprocess.run([sys.executable, "-c", PROGRAM, str(asked), str(told)], check=True, env=environment, timeout=600)
        return json.loads(told.read_text())


def tensorflow_names() -> dict[str, list[str]]:
    """TensorFlow's names by namespace."""
    found: dict[str, list[str]] = {}
    with gzip.open(DATA) as file:
        for path in json.load(file):
            namespace, _, name = path.rpartition(".")
            found.setdefault(namespace, []).append(name)
    return found


def differences(old: dict[str, dict[str, dict[str, str]]], new: dict[str, dict[str, dict[str, str]]]) -> Iterator[str]:
    """Yields a line for each thing that is not the same."""
    for namespace in sorted({*old, *new}):
        if namespace not in new or namespace not in old:
            yield f"{'gone' if namespace in old else 'new'}: the namespace {namespace}"
            continue
        before, after = old[namespace], new[namespace]
        for name in sorted({*before, *after}):
            path = f"{namespace}.{name}"
            if name not in after or name not in before:
                yield f"{'gone' if name in before else 'new'}: {path}"
                continue
            for member in sorted({*before[name], *after[name]}):
                was, now = before[name].get(member), after[name].get(member)
                if was != now:
                    yield f"different: {path}{'.' if member else ''}{member}: {was} is {now}"


def main() -> int:
    """1 if the wheels differ."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    options = parser.parse_args()
    names = tensorflow_names()
    old, new = surface(options.old, names), surface(options.new, names)
    lines = list(differences(old, new))
    print("\n".join(lines))
    count = sum(map(len, old.values()))
    print(
        f"{len(old)} namespaces, {count} names before; {len(new)}, {sum(map(len, new.values()))} now; {len(lines)} differences"
    )
    return int(bool(lines))


if __name__ == "__main__":
    sys.exit(main())
