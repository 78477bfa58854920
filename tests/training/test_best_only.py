"""`ModelCheckpoint(save_best_only=True)` saves nothing while the monitored value is missing, and says so, as in TensorFlow."""

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf


def fit(
    folder: Path, strategy: tf.distribute.Strategy | None = None, name: str = "m.keras", **arguments: Any
) -> list[str]:
    """The names of the files that a fit of two epochs of two steps leaves."""
    with (strategy or tf.distribute.get_strategy()).scope():
        model = tf.keras.Sequential([tf.keras.Input((2,)), tf.keras.layers.Dense(1)])
        model.compile("sgd", "mse")
    rows = np.ones((8, 2), np.float32)
    callback = tf.keras.callbacks.ModelCheckpoint(str(folder / name), save_best_only=True, **arguments)
    model.fit(rows, rows[:, :1], batch_size=4, epochs=2, verbose=0, callbacks=[callback])
    return sorted(path.name for path in folder.iterdir())


@pytest.mark.sampled
@pytest.mark.parametrize("monitor", ["val_loss", "val_accuracy", "nothing"])
def test_nothing_is_saved_while_the_monitored_value_is_missing(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monitor: str
) -> None:
    with caplog.at_level(logging.WARNING):
        assert fit(tmp_path, monitor=monitor) == []
    assert caplog.messages == [f"Can save best model only with {monitor} available, skipping."] * 2


def test_nothing_is_saved_under_a_strategy_or_between_epochs_either(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with caplog.at_level(logging.WARNING):
        assert fit(tmp_path, strategy, monitor="val_loss", save_freq=1) == []
    assert len(caplog.messages) == 4


def test_a_value_that_is_there_is_still_compared(tmp_path: Path) -> None:
    assert fit(tmp_path, monitor="loss") == ["m.keras"]
    assert fit(tmp_path, monitor="loss", name="w.weights.h5", save_weights_only=True) == ["m.keras", "w.weights.h5"]


def test_a_name_with_the_missing_value_is_the_error_that_it_is_in_tensorflow(tmp_path: Path) -> None:
    with pytest.raises(KeyError, match="Failed to format this callback filepath"):
        fit(tmp_path, name="m-{epoch}-{val_loss:.2f}.keras")
