"""Records TensorFlow 2.15.1's answers to `expressions.py`: run it where TensorFlow is.

    /tmp/tensorflow/bin/python tests/ops/record_tensorflow.py     (see tests/parity for the environment)

The tests need no TensorFlow.
"""

import json
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


def main() -> None:
    """Write the file."""
    answers = {e: answer(e) for e in EXPRESSIONS}
    lines = ",\n".join(f"{json.dumps(e)}: {json.dumps(a)}" for e, a in answers.items())
    (HERE / "tensorflow_answers.json").write_text(f"{{\n{lines}\n}}\n")


if __name__ == "__main__":
    main()
