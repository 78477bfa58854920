"""The optimizers of tf.keras.optimizers.legacy have TensorFlow's formulas, settings, weights and slots."""

import json
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.keras import legacy_optimizers
from tests.thorough import thorough_but

RECORDED = json.loads((Path(__file__).parent / "recorded" / "legacy_optimizers.json").read_text())
TOLERANCE = {"float32": 1e-6, "float64": 1e-12}
legacy = tf.keras.optimizers.legacy
# One of each formula that is not that of Keras 3, and of each setting of all.
QUICK = [
    *product(("SGD decay", "Adam functions", "Adagrad", "RMSprop", "RMSprop both"), ("float64",)),
    *product(("Nadam schedule", "Ftrl regularized"), ("float64",)),
]


@pytest.mark.sampled
@pytest.mark.filterwarnings("ignore:The `lr` argument is deprecated")
@pytest.mark.parametrize(("name", "dtype"), thorough_but(QUICK, product(legacy_optimizers.SETTINGS, TOLERANCE)))
def test_twenty_steps_are_those_of_tensorflow(name: str, dtype: str) -> None:
    found, wanted, tolerance = legacy_optimizers.train(tf, name, dtype), RECORDED[name][dtype], TOLERANCE[dtype]
    for key in ("weights", "state"):
        assert len(found[key]) == len(wanted[key])
        for a, b in zip(found[key], wanted[key], strict=True):
            np.testing.assert_allclose(a, b, rtol=tolerance, atol=tolerance, err_msg=key)
    assert found["slots"] == wanted["slots"]
    assert found["config"].keys() == wanted["config"].keys()
    for key, value in wanted["config"].items():
        assert comparable(found["config"][key]) == comparable(value), key


def comparable(value: Any) -> Any:
    """A setting without what Keras 3 adds to that of a schedule, and with TensorFlow's float32 numbers."""
    if isinstance(value, dict):
        return value["class_name"], {k: v for k, v in value["config"].items() if k not in ("name", "staircase")}
    return pytest.approx(value) if isinstance(value, float) else value


def test_settings_are_read_and_written_by_tensorflows_names() -> None:
    optimizer = legacy.SGD(lambda: 0.25, momentum=0.5)
    v = tf.Variable([1.0, 2.0])
    assert [w.tolist() for w in optimizer.get_weights()] == [0]
    result = optimizer.minimize(lambda: tf.reduce_sum(v), lambda: [v])
    assert int(result) == int(optimizer.iterations) == 1
    assert optimizer.get_slot(v, "momentum").numpy().tolist() == [-0.25, -0.25]
    assert len(optimizer.variables()) == len(optimizer.weights) == 2
    optimizer.lr = 1.0
    assert float(optimizer.learning_rate) == float(optimizer.lr) == 1.0
    optimizer.set_weights([np.array(7), np.array([1.0, 1.0], np.float32)])
    optimizer.momentum = 0.0
    optimizer.minimize(lambda: tf.reduce_sum(v), [v])
    assert (int(optimizer.iterations), v.numpy().tolist()) == (8, [-0.25, 0.75])
    assert optimizer.decay == 0.0
    with pytest.raises(ValueError, match="was expecting 2 weights"):
        optimizer.set_weights([np.array(7)])
    with pytest.raises(KeyError):
        optimizer.get_slot(v, "rms")


def test_an_optimizer_is_made_again_from_its_config(tmp_path: Path) -> None:
    schedule = tf.keras.optimizers.schedules.ExponentialDecay(0.5, 4, 0.5)
    made = legacy.RMSprop(schedule, rho=0.75, momentum=0.5, clipnorm=2.0)
    again = legacy.RMSprop.from_config(made.get_config())
    assert again.get_config() == made.get_config()
    inputs = tf.keras.Input((2,))
    model = tf.keras.Model(inputs, tf.keras.layers.Dense(1)(inputs))
    model.compile(legacy.Nadam(0.25, schedule_decay=0.5), "mse")
    data = (np.ones((4, 2), np.float32), np.ones((4, 1), np.float32))
    model.fit(*data, verbose=0)
    model.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    assert isinstance(loaded.optimizer, legacy.Nadam)
    for one in (model, loaded):
        one.fit(*data, verbose=0)
    for a, b in zip(model.optimizer.get_weights(), loaded.optimizer.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(model.get_weights()[0], loaded.get_weights()[0])


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda: legacy.Adam(foo=1), TypeError, "Unexpected keyword argument passed to optimizer: foo"),
        (lambda: legacy.Adam(clipnorm=-1.0), ValueError, "Expected clipnorm >= 0"),
        (lambda: legacy.Adam(clipnorm=1.0, global_clipnorm=1.0), ValueError, "Cannot accept both"),
        (lambda: legacy.SGD(momentum=2.0), ValueError, "must be between"),
        (lambda: legacy.Adagrad(initial_accumulator_value=-1.0), ValueError, "must be non-negative"),
        (lambda: legacy.SGD().minimize(tf.constant(1.0), []), ValueError, "`tape` is required"),
        (lambda: legacy.Nadam(tf.keras.optimizers.schedules.CosineDecay(0.1, 3)), ValueError, "does not support"),
    ],
)
def test_bad_arguments_are_tensorflows_errors(make: Callable[[], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make()
