"""Fits whose process is killed by the very next statement. Started once, the program forks a process for every fit.

python -m tests.training.programs.returning    reads lines `seed<TAB>folder`, in each of which a fit saves what `Plan` says
its output                                    `saved NAME DIGEST` for whatever has to be in the folder, `ended SIGNAL`
"""

import hashlib
import logging
import os
import random
import signal
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, final

import numpy as np

import stratagem as tf

ROWS, BATCH = 40, 8
STEPS = ROWS // BATCH  # of an epoch


@final
@dataclass(frozen=True)
class Plan:
    """What one fit saves, and how often.

    weights_only, pattern, freq: of its ModelCheckpoint. backup_freq: of its BackupAndRestore. Frequencies are numbers of
    steps, or "epoch".
    """

    epochs: int
    weights_only: bool
    pattern: str
    freq: str | int
    backup_freq: str | int

    def path(self, epoch: int, batch: int) -> str:
        """The file of the ModelCheckpoint of this epoch and batch, both from 1."""
        return self.pattern.format(epoch=epoch, batch=batch)


def plan_of(seed: int) -> Plan:
    """One of many."""
    rng = random.Random(seed)
    weights_only, epochs = rng.random() < 0.5, rng.randrange(1, 4)
    freq, backup_freq = (rng.choice(["epoch", rng.randrange(1, STEPS + 1)]) for _ in range(2))
    several = "model-{epoch}" if freq == "epoch" else "model-{epoch}-{batch}"
    name = rng.choice(["model", several]) + (".weights.h5" if weights_only else ".keras")
    return Plan(epochs, weights_only, name, freq, backup_freq)


def made() -> Any:
    """The model, compiled; its weights come from the seed."""
    layers = [tf.keras.layers.Dense(8, activation="relu"), tf.keras.layers.Dropout(0.25), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential([tf.keras.Input((4,)), *layers])
    model.compile(tf.keras.optimizers.Adam(0.01), "mse")
    model.optimizer.build(model.trainable_variables)
    return model


def digest(model: Any) -> str:
    """Of every bit of the weights and of the optimizer. The seeds of dropout are in no file of Keras'."""
    values = [np.asarray(v) for v in (*model.weights, *model.optimizer.variables)]
    return hashlib.sha256(b"".join(value.tobytes() for value in values)).hexdigest()


@final
class Manages(tf.keras.callbacks.Callback):
    """Saves with a manager of the user's after every epoch."""

    def __init__(self, model: Any, folder: Path) -> None:
        super().__init__()
        self._manager = tf.train.CheckpointManager(tf.train.Checkpoint(model=model), folder, max_to_keep=2)

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """As Keras calls it."""
        self._manager.save()


@final
class Tells(tf.keras.callbacks.Callback):
    """Says, while the fit runs, what has to be in the folder after it: it counts by itself, and looks at no file."""

    def __init__(self, plan: Plan) -> None:
        super().__init__()
        self._plan, self._epoch, self._steps = plan, 0, 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """As Keras calls it."""
        self._epoch = epoch + 1

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """As Keras calls it."""
        self._steps += 1
        if self._plan.freq != "epoch" and self._steps % int(self._plan.freq) == 0:
            self._saved(self._plan.path(self._epoch, batch + 1))
        if self._plan.backup_freq != "epoch" and self._steps % int(self._plan.backup_freq) == 0:
            self._saved("backup")

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """As Keras calls it."""
        self._saved("manager")
        if self._plan.freq == "epoch":
            self._saved(self._plan.path(self._epoch, STEPS))
        if self._plan.backup_freq == "epoch":
            self._saved("backup")

    def _saved(self, name: str) -> None:
        print("saved", name, digest(self.model), flush=True)


def fit(seed: int, folder: Path) -> None:
    """Ends in SIGKILL."""
    tf.random.set_seed(seed)
    x = np.random.default_rng(seed).normal(size=(ROWS, 4)).astype("float32")
    plan = plan_of(seed)
    with tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"]).scope():
        model = made()
    callbacks = [
        tf.keras.callbacks.BackupAndRestore(folder / "backup", save_freq=plan.backup_freq, delete_checkpoint=False),
        tf.keras.callbacks.ModelCheckpoint(
            folder / plan.pattern, save_weights_only=plan.weights_only, save_freq=plan.freq
        ),
        Manages(model, folder / "manager"),
        Tells(plan),
    ]
    model.fit(x, x.sum(axis=1), batch_size=BATCH, epochs=plan.epochs, callbacks=callbacks, verbose=0)
    os.kill(os.getpid(), signal.SIGKILL)


def main() -> None:
    """Fork for every line of input. Nothing was computed before, so JAX has no threads yet."""
    logging.disable(logging.INFO)
    for line in sys.stdin:
        seed, folder = line.rstrip("\n").split("\t")
        pid = os.fork()
        if pid == 0:
            fit(int(seed), Path(folder))
        _, status = os.waitpid(pid, 0)
        print("ended", os.WTERMSIG(status) if os.WIFSIGNALED(status) else f"with code {status >> 8}", flush=True)


if __name__ == "__main__":
    main()
