"""Command lines of our own processes, which load this very package, whatever `sys.path` is, and no site packages."""

import json
import os
import sys
from pathlib import Path

_PACKAGE = Path(__file__).parents[2]
_BOOT = """
import importlib.util, json, sys
root, path, module = sys.argv[1:4]
del sys.argv[1:4]
sys.path += json.loads(path)
spec = importlib.util.spec_from_file_location("stratagem", root + "/__init__.py", submodule_search_locations=[root])
package = sys.modules["stratagem"] = importlib.util.module_from_spec(spec)
spec.loader.exec_module(package)
importlib.import_module("stratagem._cluster.control." + module).main()
"""


def command(module: str, *arguments: object, path: list[str] | None = None) -> list[str]:
    """Returns the command line of a process that runs `main` of a module of this folder.

    path: where it finds packages outside of Python's library; the program may run with -I or have changed `sys.path`.
    """
    environment = ["-E"] if sys.flags.ignore_environment else []
    boot = [str(_PACKAGE), json.dumps(path or []), module]
    return [sys.executable, "-S", "-P", *environment, "-c", _BOOT, *boot, *map(str, arguments)]


def search_path() -> list[str]:
    """Returns the folders where this process finds its packages."""
    return [os.path.abspath(entry) for entry in sys.path if isinstance(entry, str)]
