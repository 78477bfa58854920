"""Record what TensorFlow 2.15.1 gives for generated control flow.

Run by hand, in TensorFlow's own environment (the tests need neither it nor TensorFlow), from the root of the repository:

    python -m tests.autograph.record_tensorflow

Every program is run as TensorFlow's Python, and compiled where TensorFlow can do that (it refuses a `return` in a loop, or on
one path only). A row says whether it could; both answers are the same.
"""

import json
import logging
import pathlib
import sys
from typing import Any

import tensorflow as tf

from tests.autograph.generate import generate
from tests.autograph.running import answers

RECORDED = pathlib.Path(__file__).parent / "recorded/tensorflow.json"
KEPT = 300


def main() -> None:
    """Write the answers of the first KEPT programs."""
    tf.get_logger().setLevel(logging.ERROR)
    tf.autograph.set_verbosity(0)
    rows: list[str] = []
    for index in range(KEPT):
        program = generate(index)
        found = answers(tf, program, lambda function: function)
        compiled: list[Any] = []
        try:
            compiled = answers(tf, program, tf.function)
        except (ValueError, NotImplementedError, TypeError, UnboundLocalError) as error:
            sys.stderr.write(f"{index}: {type(error).__name__}: {str(error)[-300:]}\n")
        else:
            assert compiled == found, f"program {index} differs between TensorFlow's modes"
        row = {"i": index, "compiled": compiled == found, "answers": found}
        rows.append(json.dumps(row, separators=(",", ":")))
    RECORDED.parent.mkdir(exist_ok=True)
    RECORDED.write_text("[\n" + ",\n".join(rows) + "\n]\n")


if __name__ == "__main__":
    main()
