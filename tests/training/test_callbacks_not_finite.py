"""Callbacks that save: weights that are not finite never displace the last finite ones."""

import logging
import math
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._checkpoints import not_finite
from tests.thorough import thorough_but
from tests.training.test_callbacks_backup import made

X = np.ones((8, 3), np.float32)
Y = np.ones((8, 1), np.float32)


class Poison(keras.callbacks.Callback):  # type: ignore[misc]
    """Spoils a weight at the end of an epoch, before the others see it."""

    def __init__(self, epoch: int, value: float = math.nan) -> None:
        super().__init__()
        self._epoch, self._value = epoch, value

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        weight = self.model.layers[0].kernel
        if epoch == self._epoch:
            weight.assign(np.full(weight.shape, self._value, np.float32))


def fit(*callbacks: Any, epochs: int = 4) -> Any:
    model = made()
    model.fit(X, Y, epochs=epochs, batch_size=4, verbose=0, callbacks=[*callbacks])
    return model


def finite(model: Any) -> bool:
    return not not_finite({v.path: np.asarray(v.value) for v in model.variables})


@pytest.mark.parametrize("name", thorough_but(["m.keras"], ["m.keras", "m.weights.h5"]))
def test_model_checkpoint_keeps_the_last_finite_file(
    tmp_path: Path, name: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    weights = name.endswith(".h5")
    save = keras.callbacks.ModelCheckpoint(tmp_path / name, save_weights_only=weights)
    fit(Poison(1), save)
    kept = tmp_path / name.replace("m.", "m.finite.")
    first = kept.read_bytes()
    for path, expected in ((kept, True), (tmp_path / name, False)):
        model = made()
        model.optimizer.build(model.trainable_variables)
        model.load_weights(path)
        assert finite(model) is expected
    assert [line for line in caplog.messages if "not finite" in line and str(kept) in line] != []
    fit(Poison(0), keras.callbacks.ModelCheckpoint(tmp_path / name, save_weights_only=weights))  # another run
    assert kept.read_bytes() == first
    assert sorted(path.name for path in tmp_path.iterdir()) == sorted([name, kept.name])


def test_a_file_an_epoch_displaces_none(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    fit(Poison(1), keras.callbacks.ModelCheckpoint(tmp_path / "{epoch}.keras"))
    assert sorted(path.name for path in tmp_path.iterdir()) == [f"{epoch}.keras" for epoch in range(1, 5)]
    # Three such files: one weight is told at first, then the others that the next steps have made so.
    assert len([line for line in caplog.messages if "Saving weights that are not finite" in line]) == 2


def test_a_fit_that_ends_without_finite_weights_leaves_the_last_finite_backup(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.WARNING)
    fit(Poison(1), keras.callbacks.BackupAndRestore(tmp_path), epochs=5)
    assert "The fit has ended with weights that are not finite" in caplog.text
    assert [path.name for path in (tmp_path / "chief").glob("ckpt-*")] == ["ckpt-1"]
    seen: list[int] = []
    note = keras.callbacks.LambdaCallback(on_epoch_begin=lambda epoch, logs: seen.append(epoch))
    assert finite(fit(note, keras.callbacks.BackupAndRestore(tmp_path)))
    assert seen == [1, 2, 3]
    assert not (tmp_path / "chief").exists()  # it has succeeded


def test_a_fit_whose_every_backup_is_bad_leaves_none(tmp_path: Path) -> None:
    fit(Poison(0), keras.callbacks.BackupAndRestore(tmp_path), epochs=3)
    assert not (tmp_path / "chief").exists()


def test_preemption_of_a_job_keeps_the_last_finite_one(tmp_path: Path) -> None:
    checkpoint = tf.train.Checkpoint(v=tf.Variable(1.0))
    handler = tf.distribute.experimental.PreemptionCheckpointHandler(None, checkpoint, str(tmp_path))
    handler.close()
    manager = handler._manager
    for value in (1.0, math.nan, math.nan):
        checkpoint.v.assign(value)
        manager.save()
    assert sorted(path.name for path in tmp_path.glob("ckpt-*")) == ["ckpt-1", "ckpt-3"]
