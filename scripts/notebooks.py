#!/usr/bin/env python3
"""Run the tutorials as a reader would, from their first cell to their last, and keep what they print and draw.

    notebooks.py [--check] [NOTEBOOK…]        all of docs/tutorials without arguments

A notebook whose cell raises is left as it was, and the exit status is 1. Each runs in an empty folder of its own.
"""

import argparse
import os
import re
import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError

ROOT = Path(__file__).parents[1]
LONGEST = 900  # seconds that one cell may take
# Of the machine and the moment, not of the tutorial: they would change in each run.
PASSING = ("execution", "iopub", "shell")


def run(path: Path, keep: bool) -> None:
    """Runs one notebook; keep: whether to write what it prints and draws into the file."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=LONGEST, kernel_name="python3", resources=resources).execute()
    for cell in notebook.cells:
        cell.metadata = {key: value for key, value in cell.metadata.items() if key not in PASSING}
        for output in cell.get("outputs", ()):
            for place in (output, output.get("data", {})):
                for key in ("text", "text/plain", "text/html"):
                    if key in place:
                        place[key] = elsewhere(place[key], folder)
    notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    if keep:
        nbformat.validate(notebook)
        nbformat.write(notebook, path)


def elsewhere(text: str, folder: str) -> str:
    """What a program has printed, without the names of this machine's folders: the one in which it ran, and the library's."""
    text = text.replace(f"{folder}/", "").replace(str(ROOT / "src"), "site-packages")
    return re.sub(r"/tmp/ipykernel_\d+/\d+\.py", "the cell", text)


def main() -> None:
    """Runs the notebooks that are named, or all."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--check", action="store_true", help="run them, and change no file")
    arguments = parser.parse_args()
    # The kernel is this environment's, and finds the library of this repository, also if another one is installed.
    # Likewise the command `stratagem`, which some cells run.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ.get("PATH", os.defpath)])
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, [str(ROOT / "src"), os.environ.get("PYTHONPATH")]))
    failed = False
    for path in arguments.notebooks or sorted((ROOT / "docs" / "tutorials").glob("*.ipynb")):
        start = time.monotonic()
        try:
            run(path, keep=not arguments.check)
        except CellExecutionError as error:
            failed = True
            print(f"notebooks: {path.name} failed:\n{error}", file=sys.stderr)
        else:
            print(f"notebooks: {path.name} ran in {time.monotonic() - start:.0f} s", flush=True)
    sys.exit(failed)


if __name__ == "__main__":
    main()
