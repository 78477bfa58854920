"""A replica without rows: every operation, layer, loss and metric gives what TensorFlow 2.15 gives (recorded)."""

import functools
import json
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.values import per_replica
from tests.parity import uneven_behaviours as behaviours
from tests.parity.training import RECORDED

RECORD: dict[str, Any] = json.loads((RECORDED / "uneven.json").read_text())
NUMBERS = {"nan": np.nan, "NaN": np.nan, "inf": np.inf, "Infinity": np.inf, "-inf": -np.inf, "-Infinity": -np.inf}


@functools.cache
def strategy() -> Any:
    """Two replicas, for all tests."""
    return tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])


def split(make: Any) -> Any:
    """The first replica has all rows, the second none."""
    return per_replica([make(behaviours.ROWS), make(0)], strategy().mesh)


def numbers(value: Any) -> np.ndarray:
    """A recorded value, its infinities and NaNs from their names."""
    if isinstance(value, list):
        return np.array([numbers(v) for v in value])
    return np.array(NUMBERS.get(value, value)) if isinstance(value, str) else np.array(value)


def value_and_slope(program: Any, x: Any, k: Any) -> dict[str, Any]:
    """What a program answers, and the gradient of its sum with respect to a factor of the features."""
    factor = tf.ones([4], tf.float64)
    with tf.GradientTape() as tape:
        tape.watch(factor)
        value = program(tf, x * factor, k)
        total = tf.reduce_sum(value) if np.issubdtype(value.dtype, np.floating) else None
    slope = None if total is None else tape.gradient(total, factor)
    return {"value": value, "slope": tf.zeros([4], tf.float64) if slope is None else slope}


@pytest.fixture(scope="module")
def operations() -> tuple[Any, Any]:
    """What all operations give on both replicas, by one compiled step."""

    def step(x: Any, k: Any) -> Any:
        return {name: value_and_slope(program, x, k) for name, program in behaviours.OPERATIONS.items()}

    results = strategy().run(step, args=(split(behaviours.features), split(behaviours.labels)))
    some, none = strategy().experimental_local_results(results)
    return some, none


@pytest.mark.parametrize("name", behaviours.OPERATIONS)
def test_operations(operations: tuple[Any, Any], name: str) -> None:
    for ours, theirs in zip(operations, RECORD["operations"][name], strict=True):
        for what in ("value", "slope"):
            value, expected = np.asarray(ours[name][what]), theirs[what]
            assert list(value.shape) == expected["shape"], what
            assert str(value.dtype) == expected["dtype"], what
            wanted = numbers(expected["value"]).reshape(expected["shape"])
            np.testing.assert_allclose(value, wanted, rtol=1e-9, atol=1e-9, err_msg=what)
