"""Trains a float64 model with `fit` from arrays and from a Dataset; prints what came of it. A program of a job."""

import json
import os
import sys
from pathlib import Path
from typing import Any

import numpy as np

import stratagem as tf

ROWS, BATCH, EPOCHS = 100, 32, 2

tf.keras.config.set_floatx("float64")
tf.keras.config.set_dtype_policy("float64")
strategy = tf.distribute.MultiWorkerMirroredStrategy()
x = np.random.default_rng(0).normal(size=(ROWS, 4))
y = np.random.default_rng(1).normal(size=(ROWS, 2))
layers = tf.keras.layers
with strategy.scope():
    tf.keras.utils.set_random_seed(1)
    model = tf.keras.Sequential([layers.Input((4,)), layers.Dense(5, "tanh", kernel_regularizer="l2"), layers.Dense(2)])
    model.compile(tf.keras.optimizers.Adam(0.0625, global_clipnorm=0.5), "mse", metrics=["mae"])
start = model.get_weights()


def restart() -> None:
    """The first weights and an optimizer at its beginning."""
    model.set_weights(start)
    for variable in model.optimizer.variables:
        if "learning_rate" not in variable.path:
            variable.assign(np.zeros(variable.shape, variable.dtype))


def dataset() -> Any:
    """The rows in order."""
    return tf.data.Dataset.from_tensor_slices((x, y)).batch(BATCH)


found = {}
for name in ("arrays", "dataset"):
    restart()
    if name == "arrays":
        history = model.fit(x, y, BATCH, EPOCHS, 0, shuffle=False, validation_data=(x[:33], y[:33]))
        predicted, evaluated = model.predict(x, BATCH, 0), model.evaluate(x, y, BATCH, 0)
    else:
        history = model.fit(dataset(), epochs=EPOCHS, verbose=0, validation_data=dataset())
        predicted, evaluated = model.predict(dataset(), verbose=0), model.evaluate(dataset(), verbose=0)
    found[name] = {
        "history": history.history,
        "evaluated": evaluated,
        "predicted": predicted.tolist(),
        "weights": [w.tolist() for w in model.get_weights()],
        "optimizer": [np.asarray(v).tolist() for v in model.optimizer.variables],
        "one batch": model.train_on_batch(x[:5], y[:5]),
        "predictions of one batch": model.predict_on_batch(x[:3]).tolist(),
    }
restart()
shuffled = model.fit(x, y, BATCH, EPOCHS, 0).history["loss"]
found["shuffled"] = [w.tolist() for w in model.get_weights()]
restart()
found["generator"] = model.fit(iter(dataset().as_numpy_iterator()), verbose=0).history["loss"]
# All workers save to one path at once: what is there is whole at every moment.
folder, damaged = Path(sys.argv[1]), []
for number in range(12):
    name = ("whole.keras", "whole.h5", "some.weights.h5")[number % 3]
    (model.save_weights if "weights" in name else model.save)(folder / name)
    try:
        again = tf.keras.models.clone_model(model)
        again.load_weights(folder / name)
        damaged += (
            [name] if any((a != b).any() for a, b in zip(again.get_weights(), model.get_weights(), strict=True)) else []
        )
    except Exception as error:
        damaged.append(f"{name}: {error!r}")
found["damaged"] = damaged
found["cores"] = sorted(os.sched_getaffinity(0))
print("found", json.dumps(found), flush=True)
