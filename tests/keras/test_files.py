"""Files of Keras: what other programs wrote loads, and training goes on."""

import json
import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from keras.src.losses import ALL_OBJECTS_DICT

import stratagem as tf
from stratagem.testing import STRATEGIES

keras = tf.keras
layers = keras.layers
X, Y = np.ones((4, 2), "float32"), np.ones((4, 1), "float32")
NAMES = sorted(name for name, found in ALL_OBJECTS_DICT.items() if not isinstance(found, type))


def model(strategy: Any, **compiled: Any) -> Any:
    with strategy.scope():
        made = keras.Sequential([layers.Input((2,)), layers.Dense(1)])
        made.compile(**{"optimizer": keras.optimizers.Adam(0.125), "loss": "mse", "metrics": ["mae"], **compiled})
    return made


@pytest.fixture(params=["default", "mirrored 2"])
def strategy(request: pytest.FixtureRequest) -> Any:
    return STRATEGIES[request.param]()


def test_training_goes_on_from_hdf5(strategy: Any, tmp_path: Path) -> None:
    first = model(strategy)
    first.fit(X, Y, verbose=0)
    first.save(tmp_path / "model.h5")
    with strategy.scope():
        second = keras.models.load_model(tmp_path / "model.h5")
    assert [int(m.optimizer.iterations.numpy()) for m in (first, second)] == [1, 1]
    for each in (first, second):
        each.fit(X, Y, verbose=0)
    for a, b in zip(first.get_weights(), second.get_weights(), strict=True):
        np.testing.assert_allclose(a, b, rtol=1e-6)
    for a, b in zip(first.optimizer.variables, second.optimizer.variables, strict=True):
        np.testing.assert_allclose(a.numpy(), b.numpy(), rtol=1e-6)


def test_a_file_that_is_saved_after_hdf5_has_the_optimizer(tmp_path: Path) -> None:
    made = model(STRATEGIES["default"]())
    made.fit(X, Y, verbose=0)
    kept = type(made.optimizer)
    made.save(tmp_path / "model.h5")
    made.save(tmp_path / "model.keras")
    again = keras.models.load_model(tmp_path / "model.keras")
    assert type(again.optimizer) is kept
    assert int(again.optimizer.iterations.numpy()) == 1


@pytest.mark.parametrize("loss", NAMES)
def test_a_loss_is_found_by_every_name(loss: str) -> None:
    assert callable(keras.losses.deserialize(loss))
    assert keras.losses.deserialize(loss) is keras.losses.get(loss)


def test_a_loss_of_ones_own_goes_before_keras_own() -> None:
    def mine(y_true: Any, y_pred: Any) -> Any:
        return y_true - y_pred

    assert keras.losses.deserialize("mse", custom_objects={"mse": mine}) is mine


@pytest.mark.sampled
def test_a_file_may_have_no_number_of_steps_per_execution(strategy: Any, tmp_path: Path) -> None:
    first = model(strategy)
    first.fit(X, Y, verbose=0)
    first.save(tmp_path / "model.keras")
    with zipfile.ZipFile(tmp_path / "model.keras") as file:
        parts = {name: file.read(name) for name in file.namelist()}
    config = json.loads(parts["config.json"])
    config["compile_config"]["steps_per_execution"] = None
    parts["config.json"] = json.dumps(config).encode()
    with zipfile.ZipFile(tmp_path / "other.keras", "w") as file:
        for name, part in parts.items():
            file.writestr(name, part)
    with strategy.scope():
        loaded = keras.models.load_model(tmp_path / "other.keras")
    assert len(loaded.fit(X, Y, verbose=0).history["loss"]) == 1
    assert np.isfinite(loaded.evaluate(X, Y, verbose=0)).all()
