"""Every recorded call gives what TensorFlow 2.15.1 gives: values, dtypes, shapes, structures, kinds of errors."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import InvalidArgumentError, OpError
from tests.core.step.observing import compilations
from tests.ops.expressions import EXPRESSIONS

HERE = Path(__file__).parent
ANSWERS = json.loads((HERE / "tensorflow_answers.json").read_text())

# Where we differ on purpose: docs/tensor_functions.md gives the reasons.
DIFFERENT: dict[str, Any] = {
    "tf.constant(300, tf.uint8)": InvalidArgumentError,  # TF gives 44
    "tf.add(tf.constant(1), np.array([1.5]))": InvalidArgumentError,  # TF cuts to 1
    "tf.nn.compute_average_loss(tf.constant([1, 2]), sample_weight=[0.5, 0.5])": 0.75,  # TF cuts 0.5 to 0
    "tf.nn.compute_average_loss(tf.ones((2,), tf.float16), global_batch_size=70000)": 2 / 70000,  # TF: 0
    "tf.nn.sparse_softmax_cross_entropy_with_logits([2], [[1., 2.]])": [np.nan],  # TF raises on a CPU, NaN on a GPU
    "tf.while_loop(lambda i: i < 3, lambda i: i + 1, [0])": [3],  # TF wants a list from the body
    "tf.switch_case(1, [lambda: 1, lambda: 2])": 2,  # TF wants a tensor
    "tf.einsum('i,i->', [1., 2.], [3., 4.])": 11.0,  # TF wants tensors
}


# A function of its own, made in each call, is a program of its own.
COMPILED_ANEW = {"tf.vectorized_map(lambda x: x * 2, tf.constant([1, 2]))"}


def same(ours: Any, recorded: Any) -> bool:
    """Whether a result equals a recorded one."""
    if isinstance(recorded, dict) and "dtype" in recorded:
        if not isinstance(ours, jax.Array | np.ndarray | np.generic):
            return False
        name = "string" if ours.dtype == object else str(ours.dtype)
        return (name, list(ours.shape)) == (recorded["dtype"], recorded["shape"]) and close(ours, recorded["value"])
    if isinstance(recorded, dict):
        return isinstance(ours, Mapping) and all(same(ours[k], v) for k, v in recorded["dict"].items())
    if isinstance(recorded, list):
        return isinstance(ours, list | tuple) and len(ours) == len(recorded) and all(map(same, ours, recorded))
    return bool(ours == recorded)


def close(ours: Any, recorded: list[Any]) -> bool:
    """Whether the elements agree, in float32's precision."""
    if ours.dtype == object:
        return [s.decode() for s in np.ravel(np.asarray(ours))] == recorded
    flat = np.ravel(np.asarray(ours))
    if np.iscomplexobj(flat):
        flat = np.stack([flat.real, flat.imag], -1)
    return np.allclose(np.asarray(flat, np.float64), np.asarray(recorded, np.float64), 2e-6, 1e-7, equal_nan=True)


def ours(expression: str) -> Any:
    return eval(expression, {"tf": tf, "np": np})


@pytest.mark.sampled
@pytest.mark.parametrize("expression", [e for e in EXPRESSIONS if e not in DIFFERENT])
def test_answer(expression: str) -> None:
    recorded = ANSWERS[expression]
    if "error" in recorded:
        with pytest.raises((ValueError, TypeError, OpError)):
            ours(expression)
    else:
        found = ours(expression)
        assert same(found, recorded["result"]), f"{found!r}, recorded {recorded['result']}"
        with compilations() as compiled:
            ours(expression)
        assert compiled == [] or expression in COMPILED_ANEW


@pytest.mark.parametrize("expression", DIFFERENT)
def test_deliberate_difference(expression: str) -> None:
    expected = DIFFERENT[expression]
    if isinstance(expected, type):
        with pytest.raises(expected):
            ours(expression)
    else:
        np.testing.assert_allclose(
            np.asarray(ours(expression)), expected, rtol=1e-3 if "float16" in expression else 1e-6
        )
