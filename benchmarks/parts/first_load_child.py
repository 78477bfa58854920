"""The first load of a SavedModel in a process: `python -m parts.first_load_child LIBRARY TASK FOLDER` prints its seconds."""

import importlib
import os
import sys

os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")

from parts.exports_program import first_load

if __name__ == "__main__":
    library, *facts = sys.argv[1:]
    print(first_load(importlib.import_module(library), *facts))
