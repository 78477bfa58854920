"""Fits with callbacks on two workers that do not see or want the same; prints what each worker decided and knows.

Argument: a folder that both see.
"""

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np

import stratagem as tf

folder = Path(sys.argv[1])
strategy = tf.distribute.MultiWorkerMirroredStrategy()
rank = strategy.cluster_resolver.task_id or 0
BATCH, STEPS = 8, 4
x = np.random.default_rng(0).normal(size=(BATCH * STEPS, 3)).astype("float32")
y = np.sin(x).sum(axis=1, keepdims=True).astype("float32")
with strategy.scope():
    tf.random.set_seed(1)
    model = tf.keras.Sequential(
        [tf.keras.Input((3,)), tf.keras.layers.Dense(4, activation="tanh"), tf.keras.layers.Dense(1)]
    )
    model.compile(tf.keras.optimizers.SGD(0.1), "mse")


class StopsAtEpoch(tf.keras.callbacks.Callback):
    """Wants to stop after an epoch, on worker 1 only."""

    def on_epoch_end(self, epoch: int, logs: Any = None) -> None:
        """At the end of the second."""
        if rank == 1 and epoch == 1:
            self.model.stop_training = True


class StopsAtStep(tf.keras.callbacks.Callback):
    """Wants to stop after a step, on worker 0 only; counts the steps."""

    def __init__(self, at: int = -1) -> None:
        super().__init__()
        self.at, self.steps = at, 0

    def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
        """At the step that it was given."""
        self.steps += 1
        if rank == 0 and self.steps == self.at:
            self.model.stop_training = True


def fit(*callbacks: Any, epochs: int = 3, data: Any = (x, y), **options: Any) -> dict[str, list[float]]:
    """The history of a fit."""
    options = {"batch_size": BATCH, "verbose": 0, "shuffle": False, **options}
    found: dict[str, list[float]] = model.fit(*data, epochs=epochs, callbacks=list(callbacks), **options).history
    return found


found: dict[str, Any] = {}
early = tf.keras.callbacks.EarlyStopping(monitor="val_loss", patience=0, min_delta=10.0, verbose=1)
found["written"] = fit(
    tf.keras.callbacks.ModelCheckpoint(folder / "model-{epoch:02d}.keras", verbose=1),
    tf.keras.callbacks.ModelCheckpoint(folder / "steps.weights.h5", save_weights_only=True, save_freq=2),
    tf.keras.callbacks.ModelCheckpoint(folder / "whole"),
    tf.keras.callbacks.ModelCheckpoint(folder / "ckpt", save_weights_only=True),
    tf.keras.callbacks.CSVLogger(folder / "log.csv"),
    early,
    validation_data=(x, y),
)
found["there when fit returned"] = sorted(path.name for path in folder.iterdir())
found["early"] = [early.wait, early.stopped_epoch]
found["equal weights"] = [
    bool(np.array_equal(a, b))
    for a, b in zip(tf.keras.models.load_model(folder / "model-02.keras").weights, model.weights, strict=True)
]
# Only the chief has the callback, as many programs have it.
fit(*([tf.keras.callbacks.ModelCheckpoint(folder / "chief.keras")] if rank == 0 else []), epochs=1)
found["of the chief"] = (folder / "chief.keras").exists()
# Saved by all workers to one place, as programs written for one worker do, and by the chief alone.
model.save(folder / "direct")
model.save_weights(folder / "direct weights" / "p")
if rank == 0:
    model.save(folder / "whole")
    model.save_weights(folder / "ckpt")
strategy.reduce("SUM", strategy.run(lambda: tf.constant(1.0)), axis=None).numpy()  # until the chief has
loaded = [tf.keras.models.load_model(folder / name) for name in ("direct", "whole")]
for latest in (folder / "ckpt", tf.train.latest_checkpoint(folder / "direct weights")):
    loaded.append(tf.keras.models.clone_model(model))
    loaded[-1].load_weights(latest)
found["equal folders"] = [
    all(np.array_equal(a, b) for a, b in zip(each.get_weights(), model.get_weights(), strict=True)) for each in loaded
]
found["owned or locked"] = [str(path.name) for path in folder.rglob(".*") if not path.name.startswith(".owner")]
found["stopped by worker 1"] = len(fit(StopsAtEpoch(), epochs=5)["loss"])
counted = StopsAtStep(at=6)
found["stopped by worker 0"] = [len(fit(counted, epochs=5)["loss"]), counted.steps]
tf.random.set_seed(2)
backup = tf.keras.callbacks.BackupAndRestore(folder / "backup", save_freq=3, delete_checkpoint=False)
found["backup"] = fit(backup, StopsAtStep(at=7), epochs=4, shuffle=True)["loss"]
found["backup is kept"] = sorted(path.name for path in (folder / "backup" / "chief").glob("c*"))
spoiled = x.copy()
spoiled[2 * BATCH + BATCH - 1] = np.nan  # the last row of the third batch: worker 1's
counted = StopsAtStep()
found["nan"] = [len(fit(tf.keras.callbacks.TerminateOnNaN(), counted, data=(spoiled, y))["loss"]), counted.steps]
print("found", json.dumps(found), flush=True)
