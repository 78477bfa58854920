"""Runs `behaviours.py` here, in steps as an Estimator makes them."""

from typing import Any

import numpy as np

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem._tf1.graph import MetricValue, ModelState
from tests.tf1.graph.made import STEPS, Model, features, labels


def answers(model: Model) -> dict[str, Any]:
    """Tensors of every step, and variables at the end: what `record_tensorflow.py` records."""
    graph, after = ModelState(), {}

    @tf.function
    def step(x: Any, y: Any) -> Any:
        with graph.building("train"):
            made = model(tf1, x, y)
            results = [] if made.operation is None else [made.operation.run()]
        after.update(made.after)
        return made.tensors, [r for r in results if r is not None], {n: v.read() for n, v in made.after.items()}

    found: dict[str, Any] = {}
    for number in range(STEPS):
        tensors, results, values = step(tf.constant(features(number)), tf.constant(labels(number)))
        assert all(isinstance(value, MetricValue) for value in after.values())
        for name, value in after.items():  # outside of the step, too
            np.testing.assert_allclose(value.read(), values[name], rtol=1e-6)
        found |= {f"{number}|{name}": np.asarray(value) for name, value in (tensors | values).items()}
        found |= {f"{number}|update": np.asarray(value) for value in results}
    return found | {f"end|{name}": variable.numpy() for name, variable in graph.variables.items()}
