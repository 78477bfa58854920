"""Records what TensorFlow 2.15.1 answers to `constructors.py`: run it where TensorFlow is, the tests need none.

/tmp/tensorflow/bin/python -m tests.tf1.estimator.record_constructors     (see tests/parity for the environment)
"""

import json
import os
import pathlib
from typing import Any

import numpy as np
import tensorflow as tf  # the real one

from tests.tf1.estimator.constructors import CASES, key, spec, state

HERE = pathlib.Path(__file__).parent
V1 = tf.compat.v1.estimator


class _Exporter(V1.Exporter):
    def __init__(self, name: Any) -> None:
        self._name = name

    @property
    def name(self) -> Any:
        return self._name

    def export(self, *arguments: Any) -> None:
        raise AssertionError

    def __repr__(self) -> str:
        return f"Exporter({self._name!r})"


class _Hook(tf.compat.v1.train.SessionRunHook):
    def __repr__(self) -> str:
        return "HOOK"


class _Listener(tf.compat.v1.train.CheckpointSaverListener):
    def __repr__(self) -> str:
        return "LISTENER"


def names() -> dict[str, Any]:
    """What the expressions are about; tensors belong to the graph that is current."""
    return {
        "RunConfig": V1.RunConfig, "TrainSpec": V1.TrainSpec, "EvalSpec": V1.EvalSpec, "EstimatorSpec": V1.EstimatorSpec,
        "ModeKeys": V1.ModeKeys, "PATH": pathlib.Path("/tmp/a"), "F": lambda: None, "HOOK": _Hook(), "LISTENER": _Listener(),
        "EXPORTER": _Exporter, "LOSS": tf.constant(1.0), "ONE": tf.constant([1.0]), "TENSOR": tf.constant([1.0, 2.0]),
        "ARRAY": np.array([1.0, 2.0]), "OP": tf.no_op(), "state": state, "spec": spec,
    }  # fmt: skip


def answer(environment: str, expression: str) -> Any:
    """The result, or the built-in class of the error and its text."""
    os.environ["TF_CONFIG"] = environment
    with tf.Graph().as_default():
        try:
            return {"result": json.loads(json.dumps(eval(expression, names()), default=repr))}
        except Exception as error:
            builtin = next(kind for kind in type(error).__mro__ if kind.__module__ == "builtins")
            return {"error": builtin.__name__, "text": str(error)}


def main() -> None:
    """Write the answers, one a line."""
    answers = {key(*case): answer(*case) for case in CASES}
    lines = ",\n".join(f"{json.dumps(name)}: {json.dumps(value)}" for name, value in answers.items())
    (HERE / "recorded" / "constructors.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
