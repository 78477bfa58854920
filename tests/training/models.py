"""Models of every kind that users train with `fit`, with data for them: 100 examples, so that batches of 32 end unevenly."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, final

import numpy as np

import stratagem as tf

ROWS, BATCH = 100, 32
Data = dict[str, Any]  # x, y and what else `fit` is given

layers = tf.keras.layers


@final
@dataclass(frozen=True)
class Kind:
    """A model, as it is built and compiled, and the data that it is trained on.

    learns: what `fit` is given to train on. held_out: what `evaluate` is given.
    """

    build: Callable[[], Any]
    learns: Callable[[], Data]
    compiled: Callable[[], Data]

    def made(self, **changes: Any) -> Any:
        """The model, compiled, always with the same weights."""
        tf.keras.utils.set_random_seed(1)
        model = self.build()
        model.compile(**{**self.compiled(), **changes})
        return model


def numbers(*shape: int, seed: int = 0) -> np.ndarray:
    """Normal numbers that float32 holds exactly: Keras' own trainer makes them float32 on the way in."""
    return np.random.default_rng(seed).normal(size=shape).astype("float32").astype(tf.keras.config.floatx())


def classes(count: int, rows: int = ROWS) -> np.ndarray:
    """Labels in uneven numbers."""
    return np.random.default_rng(7).integers(0, count, rows) % (count - 1 + np.arange(rows) % 2)


def adam() -> Any:
    """Hyperparameters that float32 holds exactly."""
    return tf.keras.optimizers.Adam(2**-7, beta_1=0.875, beta_2=0.9375)


# --- A CNN -------------------------------------------------------------------------------------------------------------


def _cnn() -> Any:
    return tf.keras.Sequential(
        [
            layers.Input((6, 6, 1)),
            layers.Conv2D(4, 3, activation="relu"),
            layers.MaxPooling2D(),
            layers.Dropout(0.0),
            layers.Flatten(),
            layers.Dense(3),
        ]
    )


def _cloned_cnn() -> Any:
    return tf.keras.models.clone_model(_cnn())


def _images() -> Data:
    return {"x": numbers(ROWS, 6, 6, 1), "y": classes(3)}


def _classifier() -> Data:
    return {
        "optimizer": adam(),
        "loss": tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True),
        "metrics": ["accuracy", tf.keras.metrics.SparseTopKCategoricalAccuracy(2, name="top2")],
    }


# --- Two inputs, two outputs -------------------------------------------------------------------------------------------


def _two_by_two() -> Any:
    left, right = layers.Input((5,), name="left"), layers.Input((3,), name="right")
    both = layers.Concatenate()([layers.Dense(6, activation="tanh")(left), layers.Dense(4)(right)])
    outputs = {"number": layers.Dense(2, name="number")(both), "kind": layers.Dense(1, name="kind")(both)}
    return tf.keras.Model({"left": left, "right": right}, outputs)


def _pairs() -> Data:
    return {
        "x": {"left": numbers(ROWS, 5), "right": numbers(ROWS, 3, seed=1)},
        "y": {"number": numbers(ROWS, 2, seed=2), "kind": classes(2)[:, None].astype(tf.keras.config.floatx())},
        "sample_weight": {"number": numbers(ROWS, seed=3) ** 2, "kind": np.abs(numbers(ROWS, seed=4))},
    }


def _two_losses() -> Data:
    return {
        "optimizer": adam(),
        "loss": {"number": "mse", "kind": tf.keras.losses.BinaryCrossentropy(from_logits=True)},
        "loss_weights": {"number": 0.5, "kind": 2.0},
        "metrics": {"number": ["mae"]},
        "weighted_metrics": {"number": ["mse"]},
    }


# --- Masks -------------------------------------------------------------------------------------------------------------


def _lstm() -> Any:
    return tf.keras.Sequential(
        [
            layers.Input((5,), dtype="int32"),
            layers.Embedding(7, 4, mask_zero=True),
            layers.LSTM(4, return_sequences=True),
            layers.Dense(2),
        ]
    )


def _sequences() -> Data:
    rng = np.random.default_rng(0)
    x = rng.integers(1, 7, (ROWS, 5))
    x[np.arange(5) >= rng.integers(0, 6, ROWS)[:, None]] = 0  # some sequences are empty
    return {"x": x, "y": numbers(ROWS, 5, 2)}


def _masked() -> Data:
    return {"optimizer": adam(), "loss": "mse", "metrics": ["mae"], "weighted_metrics": ["mse"]}


# --- Models with steps of their own ------------------------------------------------------------------------------------


class OwnStep(tf.keras.Model):
    """Subclassed, with TF's form of `train_step` and lazily built layers."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden, self.out = layers.Dense(5, activation="tanh"), layers.Dense(1)
        self.seen = tf.keras.metrics.Mean(name="seen")

    def call(self, x: Any, training: bool = False) -> Any:
        """The predictions."""
        return self.out(self.hidden(x))

    def train_step(self, data: Any) -> Any:
        """One step as TensorFlow's guide writes it."""
        x, y = data
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compute_loss(x=x, y=y, y_pred=y_pred)
        gradients = tape.gradient(loss, self.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.trainable_variables, strict=True))
        self.seen.update_state(y_pred)
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            elif metric.name != "seen":
                metric.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}


class Doubled(tf.keras.Model):
    """With a `train_step` around Keras' own."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.inner = layers.Dense(1)

    def call(self, x: Any) -> Any:
        """The predictions."""
        return self.inner(x)

    def train_step(self, data: Any) -> Any:
        """Targets twice as large, and one more log."""
        x, y = data
        logs = super().train_step((x, 2 * y))
        return {**logs, "mean_x": tf.reduce_mean(x)}

    def test_step(self, data: Any) -> Any:
        """As `train_step`."""
        x, y = data
        return super().test_step((x, 2 * y))

    def predict_step(self, data: Any) -> Any:
        """Half of what it was trained for."""
        return super().predict_step(data) / 2


def _regression() -> Data:
    return {"x": numbers(ROWS, 4), "y": numbers(ROWS, 1, seed=1)}


def _squares() -> Data:
    return {"optimizer": adam(), "loss": "mse", "metrics": ["mae"]}


# --- Losses that layers add --------------------------------------------------------------------------------------------


class Activity(layers.Layer):
    """Adds a loss of its inputs."""

    def call(self, x: Any) -> Any:
        """The inputs."""
        self.add_loss(0.25 * tf.reduce_mean(tf.square(x)))
        return x


def _regularized() -> Any:
    l2 = tf.keras.regularizers.L2(0.125)
    return tf.keras.Sequential(
        [
            layers.Input((4,)),
            # Not from zero, where |bias| has a kink: Keras' own trainer has JAX's slope there, a strategy TensorFlow's.
            layers.Dense(
                5, kernel_regularizer=l2, bias_regularizer="l1", bias_initializer=tf.keras.initializers.Constant(0.125)
            ),
            Activity(),
            layers.Dense(1, kernel_regularizer=l2),
        ]
    )


KINDS: dict[str, Kind] = {
    "cnn": Kind(_cloned_cnn, _images, _classifier),
    "two by two": Kind(_two_by_two, _pairs, _two_losses),
    "masks": Kind(_lstm, _sequences, _masked),
    "own step": Kind(OwnStep, _regression, _squares),
    "step around Keras'": Kind(Doubled, _regression, _squares),
    "added losses": Kind(_regularized, _regression, _squares),
}
