"""Records which error TensorFlow 2.15.1 raises in every program of `failures.py`: run it where TensorFlow is.

    /tmp/tensorflow/bin/python tests/ops/record_failures.py     (see tests/parity for the environment)

It also records what `tf.errors` has. The tests need no TensorFlow.
"""

import inspect
import json
import tempfile
from pathlib import Path

import tensorflow as tf  # the real one
from failures import FAILURES

HERE = Path(__file__).parent


def raised(name: str) -> str:
    """The name of the error's class; "" if there is none."""
    with tempfile.TemporaryDirectory() as folder:
        try:
            FAILURES[name](tf, folder)
        except Exception as error:
            return type(error).__name__
    return ""


def kind(value: object) -> object:
    """A code, or for a class the names of its bases and its code."""
    if not inspect.isclass(value):
        return value
    code = value(None, None, "").error_code if "OpError" in [b.__name__ for b in value.__mro__[1:]] else None
    return [[base.__name__ for base in value.__mro__], code]


errors = {name: kind(getattr(tf.errors, name)) for name in dir(tf.errors) if not name.startswith("_")}
answers = {"errors": errors, "failures": {name: raised(name) for name in FAILURES}}
(HERE / "tensorflow_failures.json").write_text(json.dumps(answers, indent=1) + "\n")
