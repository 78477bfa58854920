"""BackupAndRestore under a strategy: a fit that was interrupted ends as one that was not."""

import os
import signal
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._private import stored
from tests.training.scenarios import killed_fit

ROWS = 64
X = np.random.default_rng(0).normal(size=(ROWS, 3)).astype("float32")
Y = np.sin(X).sum(axis=1, keepdims=True).astype("float32")


class Interrupts(keras.callbacks.Callback):  # type: ignore[misc]
    """Raises after a step of the whole fit, or at the end of an epoch; notes what it saw."""

    def __init__(self, *, step: int = -1, epoch: int = -1) -> None:
        super().__init__()
        self.step, self.epoch = step, epoch
        self.seen: list[tuple[int, int]] = []
        self._now = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        self._now = epoch

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        self.seen.append((self._now, batch))
        if len(self.seen) == self.step:
            raise RuntimeError("Interruption")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        if epoch == self.epoch:
            raise RuntimeError("Interruption")


def made(replicas: int = 2, seed: int = 0) -> Any:
    """A compiled model under a strategy; everything that it and its data draw depends on the seed."""
    tf.random.set_seed(seed)
    with tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)]).scope():
        layers = [keras.layers.Dense(4, activation="tanh"), keras.layers.Dropout(0.3), keras.layers.Dense(1)]
        model = keras.Sequential([keras.Input((3,)), *layers])
        model.compile(keras.optimizers.Adam(0.05), "mse", metrics=["mae"])
    return model


def fit(model: Any, *callbacks: Any, epochs: int = 3, **options: Any) -> Any:
    """4 steps an epoch, shuffled."""
    options = {"batch_size": 16, "verbose": 0, **options}
    return model.fit(X, Y, epochs=epochs, callbacks=list(callbacks), **options).history


def interrupted(model: Any, *callbacks: Any, **options: Any) -> None:
    """A fit that ends with the error of `Interrupts`."""
    with pytest.raises(RuntimeError, match="Interruption"):
        fit(model, *callbacks, **options)


def test_a_fit_that_is_killed_ends_with_the_same_bits() -> None:
    killed_fit(seed=3, workers=1, devices=2, kills=1)


def test_training_goes_on_at_the_step_after_the_backup_as_in_tensorflow(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    # A tenth of the numbers of TensorFlow's guide: a backup every 30 steps, 100 an epoch, interrupted after 140.
    options = {"epochs": 3, "batch_size": 2, "verbose": 0}
    backup = keras.callbacks.BackupAndRestore(tmp_path, save_freq=3)
    with pytest.raises(RuntimeError, match="Interruption"):
        made().fit(X[:20], Y[:20], callbacks=[backup, Interrupts(step=14)], **options)
    assert caplog.messages.count(f"No backup in {tmp_path}: training begins at epoch 1") == 1
    seen = Interrupts()
    made().fit(X[:20], Y[:20], callbacks=[keras.callbacks.BackupAndRestore(tmp_path, save_freq=3), seen], **options)
    assert seen.seen == [(1, batch) for batch in range(2, 10)] + [(2, batch) for batch in range(10)]


def test_a_backup_that_stands_first_is_made_though_a_later_callback_fails(tmp_path: Path) -> None:
    interrupted(made(), keras.callbacks.BackupAndRestore(tmp_path), Interrupts(epoch=1))
    seen = Interrupts()
    history = fit(made(seed=5), keras.callbacks.BackupAndRestore(tmp_path), seen)
    assert {epoch for epoch, _ in seen.seen} == {2}
    assert len(history["loss"]) == 2  # the History stands last, and has not seen the end of that epoch


@pytest.mark.thorough
def test_steps_that_run_together_are_counted_one_by_one(tmp_path: Path) -> None:
    def doubled(seed: int = 0) -> Any:
        model = made(seed=seed)
        model.steps_per_execution = 2
        return model

    wanted = fit(doubled())
    interrupted(doubled(), keras.callbacks.BackupAndRestore(tmp_path, save_freq=3), Interrupts(step=3))
    seen = Interrupts()
    assert fit(doubled(seed=5), keras.callbacks.BackupAndRestore(tmp_path, save_freq=3), seen) == wanted
    assert seen.seen[0] == (1, 1)  # a backup after 4 steps: the first two executions


@pytest.mark.thorough
def test_data_that_goes_on_over_epochs_goes_on_after_a_backup(tmp_path: Path) -> None:
    def data() -> Any:
        return tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(ROWS).batch(16).repeat()

    def run(model: Any, *callbacks: Any) -> Any:
        return model.fit(data(), steps_per_epoch=3, epochs=4, callbacks=list(callbacks), verbose=0).history

    wanted = run(made())
    for first, second in ((2, "epoch"), ("epoch", 3)):
        with pytest.raises(RuntimeError, match="Interruption"):
            run(made(), keras.callbacks.BackupAndRestore(tmp_path, save_freq=first), Interrupts(step=8))
        assert run(made(seed=5), keras.callbacks.BackupAndRestore(tmp_path, save_freq=second)) == wanted


def test_a_damaged_backup_is_passed_over(tmp_path: Path) -> None:
    wanted = fit(made())
    interrupted(made(), keras.callbacks.BackupAndRestore(tmp_path, save_freq=2), Interrupts(step=7))
    newest = tmp_path / "chief" / "ckpt-3"
    largest = max((path for path in newest.rglob("*") if path.is_file()), key=lambda path: path.stat().st_size)
    content = bytearray(largest.read_bytes())
    content[len(content) // 2] ^= 1
    largest.write_bytes(content)
    seen = Interrupts()
    assert fit(made(seed=5), keras.callbacks.BackupAndRestore(tmp_path, save_freq=2), seen) == wanted
    assert seen.seen[0] == (1, 0)  # that of step 4


def test_metrics_go_on_replica_by_replica(tmp_path: Path) -> None:
    class Slots(Interrupts):
        """Notes what each replica has in the metrics before every step."""

        def on_train_batch_begin(self, batch: int, logs: Any = None) -> None:
            found = [np.asarray(stored(variable)).tolist() for variable in self.model.metrics_variables]
            slots[self._now, batch] = found

    slots: dict[tuple[int, int], Any] = {}
    interrupted(made(), keras.callbacks.BackupAndRestore(tmp_path, save_freq=1), Slots(step=7))
    before = slots.pop((1, 2))
    assert any(variable[0] != variable[1] for variable in before)
    fit(made(seed=5), keras.callbacks.BackupAndRestore(tmp_path, save_freq=1), Slots())
    assert slots[1, 2] == before


def test_callbacks_of_one_class_keep_what_each_knows(tmp_path: Path) -> None:
    def pair() -> list[Any]:
        return [keras.callbacks.ReduceLROnPlateau(name, patience=9) for name in ("loss", "mae")]

    def known(callbacks: list[Any]) -> list[tuple[float, int]]:
        return [(float(each.best), each.wait) for each in callbacks]

    whole, resumed = pair(), pair()
    fit(made(), *whole)
    interrupted(made(), *pair(), keras.callbacks.BackupAndRestore(tmp_path), Interrupts(epoch=1))
    fit(made(seed=5), *resumed, keras.callbacks.BackupAndRestore(tmp_path))
    assert known(resumed) == known(whole)
    assert whole[0].best != whole[1].best


@pytest.mark.thorough
def test_other_numbers_of_replicas_go_on_too(tmp_path: Path) -> None:
    interrupted(made(4), keras.callbacks.BackupAndRestore(tmp_path, save_freq=1), Interrupts(step=7))
    seen = Interrupts()
    history = fit(made(2, seed=5), keras.callbacks.BackupAndRestore(tmp_path, save_freq=1), seen)
    assert seen.seen[0] == (1, 2)
    assert len(history["loss"]) == 3
    assert np.isfinite(history["loss"]).all()


@pytest.mark.thorough
def test_a_fit_that_has_ended_takes_no_step_again(tmp_path: Path) -> None:
    class Fails(keras.callbacks.Callback):  # type: ignore[misc]
        def on_train_end(self, logs: Any = None) -> None:
            raise RuntimeError("Interruption")

    def early() -> Any:
        return keras.callbacks.EarlyStopping(monitor="loss", min_delta=10.0, restore_best_weights=True)

    interrupted(made(), keras.callbacks.BackupAndRestore(tmp_path), early(), Fails(), epochs=9)
    seen, stopped, model = Interrupts(), early(), made(seed=5)
    history = fit(model, keras.callbacks.BackupAndRestore(tmp_path), stopped, seen, epochs=9)
    assert seen.seen == []
    assert len(history["loss"]) == 2
    assert stopped.stopped_epoch == 1
    whole = made()
    fit(whole, epochs=1)
    for a, b in zip(model.get_weights(), whole.get_weights(), strict=True):
        np.testing.assert_array_equal(a, b)  # the best weights are those of the first epoch


def test_backups_are_deleted_after_success_and_nothing_else_is(tmp_path: Path) -> None:
    fit(made(), keras.callbacks.BackupAndRestore(tmp_path / "gone"), epochs=1)
    assert not (tmp_path / "gone").exists()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("mine")
    fit(made(), keras.callbacks.BackupAndRestore(tmp_path / "mine"), epochs=1)
    assert [path.name for path in (tmp_path / "mine").iterdir()] == ["notes.txt"]
    fit(made(), keras.callbacks.BackupAndRestore(tmp_path / "kept", delete_checkpoint=False), epochs=1)
    assert (tmp_path / "kept" / "chief" / "ckpt-1").is_dir()


def test_a_process_that_will_be_ended_saves_and_leaves(tmp_path: Path) -> None:
    class IsEnded(Interrupts):
        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            super().on_train_batch_end(batch, logs)
            if len(self.seen) == 2:
                os.kill(os.getpid(), signal.SIGTERM)

    def backup() -> Any:
        return keras.callbacks.BackupAndRestore(tmp_path, save_freq=False, save_before_preemption=True)

    before = signal.getsignal(signal.SIGTERM)
    ended, seen = IsEnded(), Interrupts()
    with pytest.raises(SystemExit) as leaving:
        fit(made(), backup(), ended, epochs=100_000)
    assert leaving.value.code == 42
    assert signal.getsignal(signal.SIGTERM) is before
    last = len(ended.seen)
    fit(made(seed=5), backup(), seen, epochs=last // 4 + 1)
    assert len(seen.seen) == 4 * (last // 4 + 1) - last
    assert signal.getsignal(signal.SIGTERM) is before


def test_neither_steps_nor_preemption_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="Either `save_freq` or `save_before_preemption` must be set"):
        keras.callbacks.BackupAndRestore(tmp_path, save_freq=False)


def test_without_a_strategy_it_is_the_same(tmp_path: Path) -> None:
    model = keras.Sequential([keras.Input((3,)), keras.layers.Dense(1)])
    model.compile("sgd", "mse")
    interrupted(model, keras.callbacks.BackupAndRestore(str(tmp_path)), Interrupts(epoch=1))
    assert [path.name for path in tmp_path.iterdir()] == ["chief"]
    # The second epoch was interrupted before its backup, and is trained again.
    assert len(fit(model, keras.callbacks.BackupAndRestore(str(tmp_path)))["loss"]) == 2


# --- Other batches than those of the backup ----------------------------------------------------------------------------


class Counts(keras.layers.Layer):  # type: ignore[misc]
    """Counts how often each number has come in training: the examples are their numbers."""

    def build(self, shape: Any) -> None:
        self.seen = self.add_weight(shape=(NUMBERS,), initializer="zeros", trainable=False)

    def call(self, x: Any, training: bool = False) -> Any:
        if training:
            self.seen.assign_add(keras.ops.sum(keras.ops.one_hot(keras.ops.cast(x[:, 0], "int32"), NUMBERS), axis=0))
        return x


NUMBERS = 100


def batches(size: int) -> Any:
    """All numbers, shuffled and batched: 13 batches of 8, 7 of 16, 25 of 4."""
    numbers = np.arange(NUMBERS, dtype="float32").reshape(-1, 1)
    rows = tf.data.Dataset.from_tensor_slices((numbers, numbers)).shuffle(NUMBERS, seed=1)
    return rows.batch(size).prefetch(tf.data.AUTOTUNE)


class Short(keras.utils.PyDataset):  # type: ignore[misc]
    """6 batches in the first epoch, then 4."""

    length = 6

    def __len__(self) -> int:
        return self.length

    def on_epoch_end(self) -> None:
        self.length = 4

    def __getitem__(self, index: int) -> Any:
        return np.ones((2, 1), "float32"), np.ones((2, 1), "float32")


def counting(replicas: int = 1) -> tuple[Any, Any]:
    with tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)]).scope():
        counts = Counts()
        model = keras.Sequential([keras.Input((1,)), counts, keras.layers.Dense(1)])
        model.compile(keras.optimizers.SGD(0.0), "mse")
    return model, counts


def stopped_at(tmp_path: Path, data: Any, step: int, **options: Any) -> None:
    backup = keras.callbacks.BackupAndRestore(tmp_path, save_freq=options.pop("save_freq", 5))
    with pytest.raises(RuntimeError, match="Interruption"):
        counting()[0].fit(data, epochs=3, verbose=0, callbacks=[backup, Interrupts(step=step)], **options)


@pytest.mark.sampled
@pytest.mark.parametrize(("size", "left"), [(16, 4), (4, 15)])
def test_other_batches_go_on_with_the_next_example(tmp_path: Path, size: int, left: int) -> None:
    stopped_at(tmp_path, batches(8), 7)  # 5 batches are in the backup: 60 examples are left
    (model, counts), seen = counting(), Interrupts()
    backup = keras.callbacks.BackupAndRestore(tmp_path, save_freq=2)
    with pytest.raises(RuntimeError, match="Interruption"):  # and once more, within the same epoch
        model.fit(batches(size), epochs=3, verbose=0, callbacks=[backup, Interrupts(step=3)])
    (model, counts) = counting()
    history = model.fit(batches(size), epochs=3, verbose=0, callbacks=[backup, seen]).history
    steps = -(-NUMBERS // size)
    rest = [(0, batch) for batch in range(7, 5 + left)]
    assert seen.seen == rest + [(epoch, batch) for epoch in (1, 2) for batch in range(steps)]
    assert len(history["loss"]) == 3
    np.testing.assert_array_equal(np.asarray(counts.seen), 3.0)
    assert not tmp_path.exists() or not list(tmp_path.iterdir())


def test_batches_that_are_counted_must_be_as_they_were(tmp_path: Path) -> None:
    def changed(size: int) -> Any:
        return batches(size).shuffle(3, seed=2)

    stopped_at(tmp_path, changed(8), 7)
    with pytest.raises(
        tf.errors.InvalidArgumentError, match=r"had batches of 8, and has batches of 4.*delete the backup"
    ):
        counting()[0].fit(changed(4), epochs=3, verbose=0, callbacks=[keras.callbacks.BackupAndRestore(tmp_path)])
    seen = Interrupts()
    counting()[0].fit(changed(8), epochs=3, verbose=0, callbacks=[keras.callbacks.BackupAndRestore(tmp_path), seen])
    assert seen.seen[0] == (0, 5)  # the backup is still there, and good


def test_between_epochs_batches_may_change(tmp_path: Path) -> None:
    def changed(size: int) -> Any:
        return batches(size).shuffle(3, seed=2)

    stopped_at(tmp_path, changed(8), 15, save_freq="epoch")
    (model, counts), seen = counting(), Interrupts()
    model.fit(changed(32), epochs=3, verbose=0, callbacks=[keras.callbacks.BackupAndRestore(tmp_path), seen])
    assert seen.seen == [(epoch, batch) for epoch in (1, 2) for batch in range(4)]
    np.testing.assert_array_equal(np.asarray(counts.seen), 3.0)


def test_given_steps_go_on_to_their_number(tmp_path: Path) -> None:
    stopped_at(tmp_path, batches(8).repeat(), 7, steps_per_epoch=10)
    seen, backup = Interrupts(), keras.callbacks.BackupAndRestore(tmp_path, save_freq=5)
    counting()[0].fit(batches(4).repeat(), epochs=2, steps_per_epoch=20, verbose=0, callbacks=[backup, seen])
    assert seen.seen == [(0, batch) for batch in range(5, 20)] + [(1, batch) for batch in range(20)]


def test_data_that_end_early_leave_the_backup_or_the_later_epochs(tmp_path: Path) -> None:
    backup, seen = keras.callbacks.BackupAndRestore(tmp_path), Interrupts()
    with pytest.warns(UserWarning, match="epoch 2 of 3: 3 of 10 steps"):
        counting()[0].fit(batches(8), epochs=3, steps_per_epoch=10, verbose=0, callbacks=[backup])
    assert (tmp_path / "chief").is_dir()
    shorter = keras.callbacks.BackupAndRestore(tmp_path / "pass")
    with pytest.warns(UserWarning, match="epoch [23] of 3: 4 of 6 steps .* Every epoch reads them from"):
        counting()[0].fit(Short(), epochs=3, shuffle=False, verbose=0, callbacks=[shorter, seen])
    assert len(seen.seen) == 6 + 4 + 4
    assert not (tmp_path / "pass").exists()
