"""Command lines of our own processes, which load this very package, whatever `sys.path` is, and no site packages."""

import json
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

_PACKAGE = Path(__file__).parents[1]
_BOOT = """
import importlib.util, json, sys

def load(spec, runs=True):
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    if runs:
        spec.loader.exec_module(module)
    return module

root, facts, program = sys.argv[1:4]
del sys.argv[1:4]
path, bare, absent = json.loads(facts)
sys.path += path
sys.modules.update(dict.fromkeys(absent))
spec = importlib.util.spec_from_file_location
load(spec("stratagem", root + "/__init__.py", submodule_search_locations=[root]), "stratagem" not in bare)
for name in bare:
    if name not in sys.modules:
        load(importlib.util.find_spec(name), False)
sys.exit(load(spec("program", root + "/" + program)).main())
"""


def command(
    program: str,
    *arguments: Any,
    path: Sequence[str] = (),
    bare: Sequence[str] = (),
    absent: Sequence[str] = (),
) -> list[str]:
    """The command line of a process that runs `main()` of a file of this package; what that returns is its exit status.

    program: such as "_cluster/control/_service.py". Of this package it loads what that file imports, and no more.
    path: where it finds what is not in Python itself; a program may have been started with -I or have changed `sys.path`.
    bare: packages whose `__init__.py` does not run: their modules are imported without what it imports for others.
    absent: packages that cannot be imported there, for modules that use them where they are.
    """
    environment = ["-E"] if sys.flags.ignore_environment else []
    boot = [str(_PACKAGE), json.dumps([list(path), list(bare), list(absent)]), program]
    return [sys.executable, "-S", "-P", *environment, "-c", _BOOT, *boot, *map(str, arguments)]


def search_path() -> list[str]:
    """Returns the folders where this process finds its packages."""
    return [os.path.abspath(entry) for entry in sys.path if isinstance(entry, str)]
