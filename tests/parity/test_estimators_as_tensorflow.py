"""Estimators trained from the same weights as by TensorFlow 2.15.1: the same losses, evaluations, predictions and variables."""

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1
from tests.parity.estimators import CASES, digits, trained
from tests.thorough import thorough_but

RECORDED = Path(__file__).parent / "recorded"


def pictures() -> tuple[np.ndarray, np.ndarray]:
    """Some digits of MNIST."""
    found = np.load(RECORDED / "digits.npz")
    return found["images"], found["labels"]


@pytest.mark.sampled
@pytest.mark.parametrize("case", thorough_but(["document", "digits/2"], CASES))
def test_training_evaluation_and_predictions_are_tensorflows(case: str) -> None:
    recorded = np.load(RECORDED / "estimators.npz")
    found = trained(case, tf, tf1, "stratagem.estimator", *pictures(), ("CPU:0", "CPU:1"))
    np.testing.assert_allclose(found["losses"], recorded[f"{case}/losses"], rtol=1e-6, strict=True)
    evaluation: dict[str, Any] = json.loads(str(recorded[f"{case}/evaluation"]))
    assert found["evaluation"] == pytest.approx(evaluation, rel=1e-6)
    assert found["checkpoints"] == recorded[f"{case}/checkpoints"].tolist()
    names = {n.removeprefix(f"{case}/variables/") for n in recorded.files if n.startswith(f"{case}/variables/")}
    assert found["variables"].keys() == names
    for name, value in found["variables"].items():
        expected = recorded[f"{case}/variables/{name}"]
        np.testing.assert_allclose(value, expected, rtol=1e-6, atol=1e-6, err_msg=name, strict=True)
    if "predictions" in found:
        np.testing.assert_allclose(found["predictions"], recorded[f"{case}/predictions"], atol=1e-6, strict=True)


def test_a_network_with_dropout_learns_digits_on_two_replicas(tmp_path: Path) -> None:
    model_fn, input_fn, _ = digits(tf, tf1, *pictures(), dropout=0.2)
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    estimator = tf1.estimator.Estimator(model_fn, config=tf1.estimator.RunConfig(tmp_path, train_distribute=strategy))
    estimator.train(lambda: input_fn().repeat(12))
    found = estimator.evaluate(input_fn)
    assert found["global_step"] == 12 * 8
    assert found["accuracy"] > 0.8
