"""Writes the gradients of the functions of `kinks` with TensorFlow 2.15.1: `python -m tests.core.step.record_kinks`."""

import json
import pathlib
import sys
from typing import Any

import numpy as np
import tensorflow as tf

from tests.core.step.kinks import KINKS, ORDERS

HERE = pathlib.Path(__file__).parent


def derivatives(name: str, order: str, dtype: str) -> list[Any]:
    """TensorFlow's answers: that of eager mode, and that of tf.function if it differs; none without a derivative."""
    function, points = KINKS[name]
    tensors = [tf.constant(p, dtype) for p in points]
    try:
        eager = ORDERS[order](tf, function, *tensors)
    except (LookupError, tf.errors.OpError):
        return []
    compiled = tf.function(lambda *xs: ORDERS[order](tf, function, *xs))(*tensors)
    same = all(np.allclose(*pair, rtol=1e-5, atol=1e-6, equal_nan=True) for pair in zip(eager, compiled, strict=True))
    return [[plain(g) for g in answer] for answer in ([eager] if same else [eager, compiled])]


def plain(gradient: Any) -> Any:
    """A gradient in JSON's notation."""
    return json.loads(json.dumps(gradient.numpy().tolist()), parse_constant=str)


def main() -> None:
    """Write `recorded/kinks.json`: for every function, order and dtype the derivatives by each tensor."""
    answers = {
        name: {o: {dtype: derivatives(name, o, dtype) for dtype in ("float32", "float64")} for o in ORDERS}
        for name in KINKS
    }
    rows = ",\n".join(f" {json.dumps(name)}: {json.dumps(answer)}" for name, answer in answers.items())
    (HERE / "recorded/kinks.json").write_text(f"{{\n{rows}\n}}\n")
    sys.stdout.write(f"{len(answers)} functions\n")


if __name__ == "__main__":
    main()
