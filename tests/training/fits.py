"""Trainings with `fit` that run on this library and on TensorFlow 2.15 alike, each a function of the module `tf`.

Batches are cut evenly among two replicas: on uneven ones TensorFlow gives rows of the smaller part more weight.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

ROWS, BATCH, EPOCHS = 100, 32, 3
Result = dict[str, Any]


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Normal numbers, the same on every machine."""
    return np.random.default_rng(seed).normal(size=shape)


def classes(count: int) -> np.ndarray:
    """Labels."""
    return np.random.default_rng(7).integers(0, count, ROWS)


def adam(tf: Any) -> Any:
    """Hyperparameters that float32 holds exactly: tf.keras 2.15 rounds them to it."""
    return tf.keras.optimizers.Adam(2**-6, beta_1=0.875, beta_2=0.9375)


def start(model: Any) -> Any:
    """The model with weights that depend on their shapes alone; moving variances stay 1."""
    found = [
        w if w.ndim == 1 and w.size and np.all(w == w[0]) else numbers(*w.shape, seed=i) / 4
        for i, w in enumerate(model.get_weights())
    ]
    model.set_weights(found)
    return model


def fitted(model: Any, x: Any, y: Any, *, validates: bool = True, **arguments: Any) -> Result:
    """What three epochs, an evaluation and predictions give."""
    if validates:
        arguments["validation_data"] = (x, y)
    history = model.fit(x, y, batch_size=BATCH, epochs=EPOCHS, shuffle=False, verbose=0, **arguments).history
    evaluated = model.evaluate(x, y, batch_size=BATCH, verbose=0, return_dict=True) if validates else {}
    predicted = model.predict(x, batch_size=BATCH, verbose=0) if validates else np.asarray(model(x, training=False))
    parts = [predicted[key] for key in sorted(predicted)] if isinstance(predicted, dict) else [predicted]
    return {
        "history": {name: [float(v) for v in values] for name, values in sorted(history.items())},
        "evaluated": {name: float(value) for name, value in sorted(evaluated.items())},
        "predicted": [part[::9].tolist() for part in parts],
        "iterations": int(model.optimizer.iterations.numpy()),
    }


def normalized_cnn(tf: Any) -> Result:
    """Batch statistics of each replica's rows, moving ones averaged.

    `evaluate` and `predict` use the averages here; in TensorFlow each replica those of its own rows. So the model predicts
    outside of them, where TensorFlow averages, too.
    """
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Input((12, 2)),  # images would take TensorFlow's fused kernel, whose moving variances are unbiased
            layers.Conv1D(4, 3),
            layers.BatchNormalization(momentum=0.875),
            layers.ReLU(),
            layers.Dropout(0.0),
            layers.Flatten(),
            layers.Dense(6),
            layers.BatchNormalization(momentum=0.75, scale=False),
            layers.Dense(3),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    start(model).compile(adam(tf), loss, metrics=["accuracy"])
    return fitted(model, numbers(ROWS, 12, 2), classes(3), validates=False)


def weighted(tf: Any) -> Result:
    """Two inputs, two outputs, loss weights, weights of examples, metrics with and without them."""
    layers = tf.keras.layers
    left, right = layers.Input((5,), name="left"), layers.Input((3,), name="right")
    both = layers.Concatenate()([layers.Dense(6, activation="tanh")(left), layers.Dense(4)(right)])
    outputs = {"number": layers.Dense(2, name="number")(both), "kind": layers.Dense(1, name="kind")(both)}
    model = tf.keras.Model({"left": left, "right": right}, outputs)
    start(model).compile(
        adam(tf),
        loss={"number": "mse", "kind": tf.keras.losses.BinaryCrossentropy(from_logits=True)},
        loss_weights={"number": 0.5, "kind": 2.0},
        metrics={"number": ["mae"]},
        weighted_metrics={"number": ["mse"]},
    )
    x = {"left": numbers(ROWS, 5), "right": numbers(ROWS, 3, seed=1)}
    y = {"number": numbers(ROWS, 2, seed=2), "kind": classes(2)[:, None].astype("float64")}
    return fitted(
        model, x, y, sample_weight={"number": numbers(ROWS, seed=3) ** 2, "kind": np.abs(numbers(ROWS, seed=4))}
    )


def regularized(tf: Any) -> Result:
    """Losses of weights and of outputs, classes of unequal weight, a learning rate that falls."""
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Input((4,)),
            layers.Dense(8, activation="relu", kernel_regularizer=tf.keras.regularizers.L2(0.125)),
            layers.Dense(3, activity_regularizer=tf.keras.regularizers.L2(0.25)),
        ]
    )
    loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
    optimizer = tf.keras.optimizers.SGD(
        tf.keras.optimizers.schedules.PiecewiseConstantDecay([4, 8], [0.25, 0.125, 0.0625]), momentum=0.875
    )
    start(model).compile(optimizer, loss, metrics=["accuracy"])
    return fitted(model, numbers(ROWS, 4), classes(3), class_weight={0: 0.5, 1: 2.0, 2: 1.0})


FITS: dict[str, Callable[[Any], Result]] = {
    "normalized cnn": normalized_cnn,
    "weighted": weighted,
    "regularized": regularized,
}


# --- Where epochs end --------------------------------------------------------------------------------------------------


def _seen(tf: Any, *, batches: int, repeat: bool = False, metric: str = "loss", **arguments: Any) -> list[float]:
    """For each epoch the mean of the numbers that were trained on: which batches they were. Batch i holds i, twice."""

    def take(y_true: Any, y_pred: Any) -> Any:
        return y_true + 0 * y_pred

    model = tf.keras.Sequential([tf.keras.layers.Input((1,)), tf.keras.layers.Dense(1)])
    model.compile("sgd", take)
    values = np.repeat(np.arange(batches, dtype="float32"), 2)[:, None]
    data = tf.data.Dataset.from_tensor_slices((values, values)).batch(2)
    data = data.repeat() if repeat else data
    if arguments.pop("validates", False):
        arguments["validation_data"], data = data, data.take(1)
    history = model.fit(data, verbose=0, **arguments).history
    return [float(value) for value in history.get(metric, [])]


EPOCH_ENDS: dict[str, dict[str, Any]] = {
    "no steps": {"batches": 4, "epochs": 3},
    "as many steps as batches": {"batches": 4, "epochs": 3, "steps_per_epoch": 4},
    "fewer steps": {"batches": 7, "epochs": 3, "steps_per_epoch": 2},
    "it repeats": {"batches": 3, "repeat": True, "epochs": 3, "steps_per_epoch": 2},
    "it ends early": {"batches": 5, "epochs": 4, "steps_per_epoch": 2},
    "it ends early at once": {"batches": 2, "epochs": 3, "steps_per_epoch": 4},
    "validation starts anew": {
        "batches": 5,
        "epochs": 3,
        "validates": True,
        "validation_steps": 2,
        "metric": "val_loss",
    },
    "validation in some epochs": {
        "batches": 2,
        "epochs": 4,
        "validates": True,
        "validation_freq": [1, 4],
        "metric": "val_loss",
    },
    "validation every second epoch": {
        "batches": 2,
        "epochs": 5,
        "validates": True,
        "validation_freq": 2,
        "metric": "val_loss",
    },
    "it begins later": {"batches": 2, "epochs": 5, "initial_epoch": 3},
}


def epoch_ends(tf: Any) -> dict[str, list[float]]:
    """Every case of EPOCH_ENDS, in the scope that is open."""
    return {name: _seen(tf, **case) for name, case in EPOCH_ENDS.items()}
