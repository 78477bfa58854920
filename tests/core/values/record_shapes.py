"""Writes what TensorFlow 2.15.1's TensorShape and DType answer: `python -m tests.core.values.record_shapes`."""

import json
import pathlib
import sys

import tensorflow as tf

from tests.core.values import shapes


def main() -> None:
    """Write `recorded/shapes.json`: every answer by its question."""
    found = shapes.answers(tf)
    lines = (f" {json.dumps(question)}: {json.dumps(given)}" for question, given in found.items())
    pathlib.Path(__file__).with_name("recorded").joinpath("shapes.json").write_text("{\n" + ",\n".join(lines) + "\n}\n")
    sys.stdout.write(f"{len(found)} answers\n")


if __name__ == "__main__":
    main()
