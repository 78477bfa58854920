"""Records what TensorFlow 2.15.1 answers to `expressions.py`, and its parameter names: run it where TensorFlow is.

    /tmp/tensorflow/bin/python tests/ops/record_tensorflow.py names.txt     (see tests/parity for the environment)

The argument is a file with one of our public names a line, e.g. `tf.math.add`. The tests need no TensorFlow.
"""

import inspect
import json
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import tensorflow as tf  # the real one
from expressions import EXPRESSIONS

HERE = Path(__file__).parent


def plain(value: Any) -> Any:
    """A result as JSON: tensors with their dtypes, structures as they are."""
    if isinstance(value, tf.Tensor):
        array = value.numpy()
        if value.dtype == tf.string:
            text = [s.decode() for s in np.ravel(np.asarray(array, object)).tolist()]
            return {"dtype": "string", "shape": value.shape.as_list(), "value": text}
        array = array.astype(np.complex128) if value.dtype.is_complex else array
        flat = [[n.real, n.imag] if value.dtype.is_complex else n.item() for n in np.ravel(array)]
        return {"dtype": value.dtype.name, "shape": value.shape.as_list(), "value": flat}
    if isinstance(value, Mapping):
        return {"dict": {key: plain(v) for key, v in value.items()}}
    if isinstance(value, list | tuple):
        return [plain(v) for v in value]
    return value.item() if isinstance(value, np.generic) else value


def answer(expression: str) -> Any:
    """The result, or the name of the error."""
    try:
        return {"result": plain(eval(expression, {"tf": tf, "np": np}))}
    except Exception as error:
        return {"error": type(error).__name__}


def parameters(name: str) -> str | None:
    """The parameter names of one public function, or of one class of linear operators."""
    value: Any = tf
    for part in name.split(".")[1:]:
        value = getattr(value, part)
    is_other_class = inspect.isclass(value) and not name.startswith("tf.linalg.")
    return None if is_other_class or not callable(value) else " ".join(inspect.signature(value).parameters)


def main() -> None:
    """Write both files."""
    answers = {e: answer(e) for e in EXPRESSIONS}
    lines = ",\n".join(f"{json.dumps(e)}: {json.dumps(a)}" for e, a in answers.items())
    (HERE / "tensorflow_answers.json").write_text(f"{{\n{lines}\n}}\n")
    names = Path(sys.argv[1]).read_text().split()
    found = {n: parameters(n) for n in names}
    lines = ",\n".join(f"{json.dumps(n)}: {json.dumps(p)}" for n, p in sorted(found.items()) if p is not None)
    (HERE / "tensorflow_signatures.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
