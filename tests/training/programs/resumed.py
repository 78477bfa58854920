"""Fits a model with shuffling, dropout and callbacks that remember, and backs it up; prints what it has in the end.

Arguments: a folder, the seed, how often to back up ("epoch" or a number of steps), the step of this process and the rank at
which it is killed (-1: never).
"""

import hashlib
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import numpy as np

import stratagem as tf

folder, seed, freq = Path(sys.argv[1]), int(sys.argv[2]), sys.argv[3]
kill_step, kill_rank = int(sys.argv[4]), int(sys.argv[5])
EPOCHS, ROWS, BATCH = 12, 100, 16

strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0
resumed = (folder / "backup" / "chief" / "checkpoint").exists()
# Whatever a resumed process draws by itself is wrong: everything random has to come from the backup.
tf.random.set_seed(seed + 1000 * resumed)
random = np.random.default_rng(seed)
x = random.normal(size=(ROWS, 6)).astype("float32")
y = np.sin(2 * x).sum(axis=1, keepdims=True).astype("float32")
with strategy.scope():
    layers = [tf.keras.layers.Dense(12, activation="relu"), tf.keras.layers.Dropout(0.4), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential([tf.keras.Input((6,)), *layers])
    model.compile(tf.keras.optimizers.Adam(0.05), "mse", metrics=["mae"])


class Steps(tf.keras.callbacks.Callback):
    """A user's callback: counts all steps, changes the learning rate, and is killed."""

    def __init__(self) -> None:
        super().__init__()
        self.steps = self.here = 0

    def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
        """Depends on how often it is called."""
        self.model.optimizer.learning_rate = self.model.optimizer.learning_rate * 0.97

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """Dies in the middle of everything."""
        self.steps, self.here = self.steps + 1, self.here + 1
        if (self.here, rank) == (kill_step, kill_rank):
            os.kill(os.getpid(), signal.SIGKILL)

    def get_state(self) -> dict[str, int]:
        """What is kept in a backup."""
        return {"steps": self.steps}

    def set_state(self, state: dict[str, int]) -> None:
        """What was kept."""
        self.steps = state["steps"]


steps = Steps()
early = tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=3, restore_best_weights=True)
history = model.fit(
    x,
    y,
    batch_size=BATCH,
    epochs=EPOCHS,
    validation_data=tf.data.Dataset.from_tensor_slices((x[:40], y[:40])).shuffle(40).batch(BATCH),
    callbacks=[
        tf.keras.callbacks.BackupAndRestore(folder / "backup", save_freq=freq if freq == "epoch" else int(freq)),
        early,
        tf.keras.callbacks.ReduceLROnPlateau(monitor="loss", patience=0, min_delta=0.5, cooldown=1, factor=0.7),
        tf.keras.callbacks.ModelCheckpoint(
            folder / "best.weights.h5", monitor="loss", save_best_only=True, save_weights_only=True
        ),
        tf.keras.callbacks.CSVLogger(folder / "log.csv"),
        steps,
    ],
    verbose=0,
)
weights = b"".join(np.asarray(v).tobytes() for v in (*model.variables, *model.optimizer.variables))
best = tf.keras.models.clone_model(model)
best.load_weights(folder / "best.weights.h5")
found = {
    "weights": hashlib.sha256(weights).hexdigest(),
    "best": hashlib.sha256(b"".join(np.asarray(v).tobytes() for v in best.weights)).hexdigest(),
    "history": history.history,
    "epochs": history.epoch,
    "steps": steps.steps,
    "early": [early.wait, early.stopped_epoch, early.best_epoch],
    "csv": (folder / "log.csv").read_text(),
    "files": sorted(path.name for path in folder.iterdir()),
}
print("resumed", json.dumps(resumed))
print("found", json.dumps(found), flush=True)
