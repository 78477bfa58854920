"""Records what TensorFlow 2.15.1 makes of `behaviours.py` in a session: run it where TensorFlow is, the tests need none.

    /tmp/tensorflow/bin/python tests/graph/record_tensorflow.py     (see tests/parity for the environment)

It rewrites tensorflow_answers.npz beside this file: `case|step|name` for tensors, `case|end|name` for variables.
"""

from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf1  # the real one
from behaviours import CASES, STEPS, Model, features, labels

HERE = Path(__file__).parent


def answers(model: Model) -> dict[str, Any]:
    """Tensors of every step, and variables at the end."""
    found = {}
    with tf1.Graph().as_default(), tf1.Session() as session:
        x, y = tf1.placeholder(tf1.float32, (6, 4)), tf1.placeholder(tf1.int64, (6,))
        made = model(tf1, x, y)
        session.run([tf1.global_variables_initializer(), tf1.local_variables_initializer()])
        for step in range(STEPS):
            feed = {x: features(step), y: labels(step)}
            operation = [] if made.operation is None else [made.operation]
            # One after another: in one call a tensor may read a variable before or after it changes.
            tensors, results, after = (session.run(part, feed) for part in (made.tensors, operation, made.after))
            found |= {f"{step}|{name}": value for name, value in (tensors | after).items()}
            found |= {f"{step}|update": value for value in results if value is not None}
        for variable in tf1.global_variables():
            found[f"end|{variable.name.removesuffix(':0')}"] = session.run(variable)
    return found


def main() -> None:
    """Write the file."""
    tf1.disable_v2_behavior()
    tf1.enable_resource_variables()
    every = {f"{case}|{key}": value for case, model in CASES.items() for key, value in answers(model).items()}
    np.savez_compressed(HERE / "tensorflow_answers.npz", **every)


if __name__ == "__main__":
    main()
