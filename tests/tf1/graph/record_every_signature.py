"""Records the parameter names of TensorFlow 2.15.1's functions in tf.compat.v1: run it with a Python that has TensorFlow.

python -m tests.tf1.graph.record_every_signature

It rewrites every_signature.json beside this file: parameters, and the names below tf.compat.v1 of all functions with these.
`tf.compat.v1.keras` is left out, and what has no signature.
"""

import functools
import inspect
import json
from collections import defaultdict
from pathlib import Path

import tensorflow as tf

HERE = Path(__file__).parent
NAMES = HERE.parents[2] / "src" / "stratagem" / "_ops" / "tensorflow_names.txt"


def main() -> None:
    found: dict[str, list[str]] = defaultdict(list)
    for line in NAMES.read_text().splitlines():
        namespace, *names = line.split()
        if namespace != "compat.v1" and not namespace.startswith("compat.v1."):
            continue
        for name in names if not namespace.startswith("compat.v1.keras") else ():
            path = f"{namespace}.{name}"
            value = functools.reduce(getattr, path.split("."), tf)
            if callable(value) and not inspect.isclass(value):
                parameters = " ".join(inspect.signature(value).parameters)
                found[parameters].append(path.removeprefix("compat.v1."))
    lines = ",\n".join(f"{json.dumps(key)}: {json.dumps(' '.join(sorted(found[key])))}" for key in sorted(found))
    (HERE / "every_signature.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
