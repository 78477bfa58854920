"""Callbacks under a strategy: files that are whole, and an evaluator beside the training."""

import os
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf

pytestmark = pytest.mark.sampled  # its tests take turns: `tests/thorough.py`

X = np.random.default_rng(0).normal(size=(32, 3)).astype("float32")
Y = np.sin(X).sum(axis=1, keepdims=True).astype("float32")


@pytest.fixture
def model() -> Any:
    """A compiled model under a strategy."""
    tf.random.set_seed(0)
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.Dense(1)])
        model.compile(keras.optimizers.Adam(0.05), "mse")
    return model


def fit(model: Any, *callbacks: Any, epochs: int = 2, **options: Any) -> Any:
    """2 steps an epoch."""
    return model.fit(X, Y, batch_size=16, epochs=epochs, callbacks=list(callbacks), verbose=0, **options)


def names(folder: Path) -> list[str]:
    """What lies there."""
    return sorted(path.name for path in folder.iterdir())


def test_checkpoints_are_named_by_epoch_and_loss(model: Any, tmp_path: Path) -> None:
    history = fit(model, keras.callbacks.ModelCheckpoint(tmp_path / "new" / "{epoch:02d}-{loss:.3f}.keras"))
    assert names(tmp_path / "new") == [
        f"{i + 1:02d}-{loss:.3f}.keras" for i, loss in enumerate(history.history["loss"])
    ]
    last = keras.models.load_model(tmp_path / "new" / names(tmp_path / "new")[-1])
    for a, b in zip(last.get_weights(), model.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)


def test_only_the_best_is_kept_also_when_steps_are_counted(model: Any, tmp_path: Path) -> None:
    callback = keras.callbacks.ModelCheckpoint(
        tmp_path / "best.weights.h5", monitor="loss", save_best_only=True, save_weights_only=True, save_freq=1
    )
    model.optimizer.learning_rate = 0.0
    fit(model, callback, epochs=1, shuffle=False)
    first = (tmp_path / "best.weights.h5").stat().st_mtime_ns
    callback.best = 0.0
    fit(model, callback, epochs=1)
    assert (tmp_path / "best.weights.h5").stat().st_mtime_ns == first


def test_a_checkpoint_is_on_disk_before_it_has_its_name(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    events: list[str] = []
    fsync, replace = os.fsync, os.replace

    def noting_sync(handle: int) -> None:
        path = Path(f"/proc/self/fd/{handle}").resolve()
        events.append(f"sync {'folder' if path.is_dir() else path.name.partition('.')[2].partition('.')[2]}")
        fsync(handle)

    def noting_replace(source: Any, target: Any) -> None:
        events.append(f"name {Path(target).name}")
        replace(source, target)

    monkeypatch.setattr(os, "fsync", noting_sync)
    monkeypatch.setattr(os, "replace", noting_replace)
    fit(model, keras.callbacks.ModelCheckpoint(tmp_path / "model.keras"), epochs=1)
    assert events == ["sync model.keras", "name model.keras", "sync folder"]


def test_a_save_that_fails_leaves_the_file_that_was_there(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit(model, keras.callbacks.ModelCheckpoint(tmp_path / "model.keras"), epochs=1)
    before = (tmp_path / "model.keras").read_bytes()

    def full(handle: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        fit(model, keras.callbacks.ModelCheckpoint(tmp_path / "model.keras"), epochs=1)
    assert names(tmp_path) == ["model.keras"]
    assert (tmp_path / "model.keras").read_bytes() == before


def test_what_a_killed_save_left_is_removed_by_the_next(model: Any, tmp_path: Path) -> None:
    (tmp_path / ".0123abcd.model.keras").write_bytes(b"half")
    (tmp_path / ".0123abcd.other.keras").write_bytes(b"another's")
    fit(model, keras.callbacks.ModelCheckpoint(tmp_path / "model.keras"), epochs=1)
    assert names(tmp_path) == [".0123abcd.other.keras", "model.keras"]


def test_a_folder_in_the_place_of_the_file_is_refused_as_in_keras(model: Any, tmp_path: Path) -> None:
    (tmp_path / "model.keras").mkdir()
    with pytest.raises(OSError, match=r"existing directory: .*model\.keras"):
        fit(model, keras.callbacks.ModelCheckpoint(tmp_path / "model.keras"))


def test_both_spellings_are_the_same_class() -> None:
    for name in ("BackupAndRestore", "ModelCheckpoint", "EarlyStopping"):
        assert getattr(tf.keras.callbacks, name) is getattr(keras.callbacks, name)
    assert tf.keras.callbacks.experimental.BackupAndRestore is keras.callbacks.BackupAndRestore
    missing = [
        name for name in dir(keras.callbacks) if not name.startswith("_") and not hasattr(tf.keras.callbacks, name)
    ]
    assert missing == []
    assert tf.keras.utils.SidecarEvaluator is tf.keras.experimental.SidecarEvaluator
    assert callable(tf.keras.utils.experimental.DatasetCreator)
    assert callable(tf.keras.utils.to_categorical)


# --- SidecarEvaluator -------------------------------------------------------------------------------------------------


class Notes(keras.callbacks.Callback):  # type: ignore[misc]
    """What evaluations give."""

    def __init__(self) -> None:
        super().__init__()
        self.losses: list[float] = []
        self.iterations: list[int] = []

    def on_test_end(self, logs: Any = None) -> None:
        """One is done."""
        self.losses.append(logs["loss"])
        self.iterations.append(int(self.model.optimizer.iterations.numpy()))


def twin() -> Any:
    """The same model in the evaluator's process, under another strategy and with other weights."""
    with tf.distribute.OneDeviceStrategy("CPU:0").scope():
        model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(2), keras.layers.Dense(1)])
        model.compile(keras.optimizers.Adam(0.05), "mse")
    return model


def evaluations(folder: Path, last: int) -> Notes:
    """What an evaluator of this folder sees until the checkpoint of this number."""
    notes, data = Notes(), tf.data.Dataset.from_tensor_slices((X, Y)).batch(8)
    tf.keras.utils.SidecarEvaluator(twin(), data, folder, max_evaluations=last, callbacks=[notes]).start()
    return notes


@pytest.mark.sampled
@pytest.mark.parametrize(
    "kind", [pytest.param("manager", marks=pytest.mark.thorough), "manager of the model", "weights", "models"]
)
def test_an_evaluator_evaluates_the_newest_checkpoint(model: Any, tmp_path: Path, kind: str) -> None:
    suffix = {"weights": ".weights.h5", "models": ".keras"}.get(kind)
    if suffix is not None:
        path = tmp_path / f"ckpt-{{epoch}}{suffix}"
        fit(model, keras.callbacks.ModelCheckpoint(path, save_weights_only=kind == "weights"))
    else:
        fit(model)
        parts = {"model": model, "optimizer": model.optimizer} if kind == "manager" else {"root": model}
        manager = tf.train.CheckpointManager(tf.train.Checkpoint(**parts), tmp_path, max_to_keep=2)
        manager.save()
        manager.save()
    notes = evaluations(tmp_path, 2)
    np.testing.assert_allclose(notes.losses, [model.evaluate(X, Y, verbose=0)], rtol=1e-5)
    assert notes.iterations == [4]


def test_an_evaluator_waits_for_later_checkpoints_and_passes_over_damaged_ones(
    model: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fit(model, keras.callbacks.ModelCheckpoint(tmp_path / "ckpt-{epoch}.weights.h5", save_weights_only=True), epochs=1)
    later = [b"not what was saved", None]
    slept: list[float] = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        content = later.pop(0)
        if content is not None:
            (tmp_path / "ckpt-2.weights.h5").write_bytes(content)
        else:
            model.save_weights(tmp_path / "ckpt-3.weights.h5")

    monkeypatch.setattr("time.sleep", sleep)
    assert len(evaluations(tmp_path, 3).losses) == 2
    assert len(slept) == 2
    assert later == []
