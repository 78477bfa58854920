"""Records TensorFlow 2.15.1's answers to the drawn calls: run it with a Python that has TensorFlow, in the project's folder.

python -m tests.ops.drawn.record_tensorflow [TABLE ...]
"""

import importlib
import json
import os
import pkgutil
import sys
from pathlib import Path

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"

import tensorflow as tf

from tests.ops.drawn import tables
from tests.ops.drawn.running import answer

FOLDER = Path(__file__).parent / "recorded"


def main() -> None:
    chosen = sys.argv[1:] or [name for _, name, _ in pkgutil.iter_modules(tables.__path__)]
    for name in chosen:
        functions = importlib.import_module(f"tests.ops.drawn.tables.{name}").FUNCTIONS
        rows = {f.name: [answer(tf, f, number) for number in range(f.count)] for f in functions}
        lines = [f"{json.dumps(key)}:{json.dumps(value, separators=(',', ':'))}" for key, value in rows.items()]
        (FOLDER / f"{name}.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
        errors = sum("error" in a for row in rows.values() for a in row if isinstance(a, dict))
        print(f"{name}: {len(rows)} functions, {sum(map(len, rows.values()))} calls, {errors} errors")


if __name__ == "__main__":
    main()
