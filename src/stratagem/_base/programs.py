"""Command lines of our own processes, which load this very package, whatever `sys.path` is, and no site packages."""

import json
import os
import sys
from pathlib import Path

from stratagem._base.types import Value

_PACKAGE = Path(__file__).parents[1]
_BOOT = """
import importlib.util, json, sys

def load(name, file, folders=None):
    spec = importlib.util.spec_from_file_location(name, file, submodule_search_locations=folders)
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module

root, path, program = sys.argv[1:4]
del sys.argv[1:4]
sys.path += json.loads(path)
load("stratagem", root + "/__init__.py", [root])
sys.exit(load("program", root + "/" + program).main())
"""


def command(program: str, *arguments: Value, path: list[str] | None = None) -> list[str]:
    """The command line of a process that runs `main()` of a file of this package; what that returns is its exit status.

    program: such as "_cluster/control/_service.py". Of this package it loads what that file imports, and no more.
    path: where it finds what is not in Python itself; a program may have been started with -I or have changed `sys.path`.
    """
    environment = ["-E"] if sys.flags.ignore_environment else []
    boot = [str(_PACKAGE), json.dumps(path or []), program]
    return [sys.executable, "-S", "-P", *environment, "-c", _BOOT, *boot, *map(str, arguments)]


def search_path() -> list[str]:
    """Returns the folders where this process finds its packages."""
    return [os.path.abspath(entry) for entry in sys.path if isinstance(entry, str)]
