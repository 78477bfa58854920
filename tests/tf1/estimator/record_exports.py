"""Records what TensorFlow 2.15.1 exports of `export_programs.py`: run it where TensorFlow is, the tests need none.

/tmp/tensorflow/bin/python -m tests.tf1.estimator.record_exports     (see tests/parity for the environment)
"""

import json
import pathlib
import tempfile
from typing import Any

import numpy as np
import tensorflow as tf  # the real one

from tests.tf1.estimator import export_programs as programs

HERE = pathlib.Path(__file__).parent


def main() -> None:
    """Write the file."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        made = programs.estimator(tf, f"{folder}/model")
        with tf.Graph().as_default():
            paths = programs.exported(tf, made, f"{folder}/exports")
        for name, tags in programs.EXPORTS.items():
            loaded = tf.saved_model.load(paths[name.partition(":")[0]], tags=tags)
            found[name] = programs.facts(loaded) | {
                "results": dict(programs.results(tf, loaded)),
                "sums": programs.sums(loaded),
            }
        found["w"] = np.asarray(made.get_variable_value("m/w")).tolist()
    (HERE / "recorded" / "exports.json").write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    main()
