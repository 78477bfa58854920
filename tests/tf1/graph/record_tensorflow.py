"""Records what TensorFlow 2.15.1 makes of `behaviours.py` in a session: run it where TensorFlow is, the tests need none.

    /tmp/tensorflow/bin/python -m tests.tf1.graph.record_tensorflow     (see tests/parity for the environment)

It rewrites tensorflow_answers.npz beside this file: for each case all its numbers one after another, and in `index` their
names (`step|name` for tensors, `end|name` for variables).
"""

import json
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow.compat.v1 as tf1  # the real one

from tests.tf1.graph.behaviours import CASES
from tests.tf1.graph.made import STEPS, Model, features, labels

HERE = Path(__file__).parent
LARGE = 64  # numbers: of larger tensors only the first step's are kept


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
            of_step = (tensors | after).items()
            found |= {f"{step}|{name}": value for name, value in of_step if not step or np.size(value) <= LARGE}
            found |= {f"{step}|update": value for value in results if value is not None}
        for variable in tf1.global_variables():
            found[f"end|{variable.name.removesuffix(':0')}"] = session.run(variable)
    return found


def main() -> None:
    """Write the file."""
    tf1.disable_v2_behavior()
    tf1.enable_resource_variables()
    every = {case: answers(model) for case, model in CASES.items()}
    index = {case: [[n, np.asarray(v).dtype.name, np.shape(v)] for n, v in own.items()] for case, own in every.items()}
    flat = {case: np.concatenate([np.ravel(v).astype("float64") for v in own.values()]) for case, own in every.items()}
    np.savez_compressed(HERE / "tensorflow_answers.npz", index=np.array(json.dumps(index)), **flat)


if __name__ == "__main__":
    main()
