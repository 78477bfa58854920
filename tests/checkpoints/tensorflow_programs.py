"""Programs whose objects TensorFlow saved and this library restores; they run in both. Each returns objects by name."""

from collections.abc import Callable
from typing import Any

import numpy as np

X = (np.arange(8 * 36).reshape(8, 6, 6, 1) % 11 / 11).astype("float32")
Y = np.arange(8) % 3
TOKENS = np.arange(12).reshape(3, 4) % 5
ROWS = (np.arange(24).reshape(8, 3) % 7 / 8).astype("float32")

PROGRAMS: dict[str, Callable[[Any], dict[str, Any]]] = {}


def program(function: Callable[[Any], dict[str, Any]]) -> Callable[[Any], dict[str, Any]]:
    PROGRAMS[function.__name__] = function
    return function


def convolutional(tf: Any, optimizer: Any) -> Any:
    layers = tf.keras.layers
    model = tf.keras.Sequential(
        [
            layers.Conv2D(2, 3, activation="relu"),
            layers.DepthwiseConv2D(2),
            layers.BatchNormalization(),
            layers.Flatten(),
            layers.Dense(3),
        ]
    )
    model.compile(optimizer, tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True), metrics=["accuracy"])
    return model


def losses(model: Any, count: int) -> list[float]:
    """The losses of that many steps on equal batches."""
    found = []
    for _ in range(count):
        model.reset_metrics()
        found.append(float(model.train_on_batch(X, Y)[0]))
    return found


def trained(model: Any) -> dict[str, Any]:
    losses(model, 3)
    return {"model": model, "optimizer": model.optimizer}


@program
def adam(tf: Any) -> dict[str, Any]:
    return trained(convolutional(tf, tf.keras.optimizers.Adam(0.01)))


@program
def legacy_adam(tf: Any) -> dict[str, Any]:
    return trained(convolutional(tf, tf.keras.optimizers.legacy.Adam(0.01, decay=0.01)))


@program
def momentum(tf: Any) -> dict[str, Any]:
    return trained(convolutional(tf, tf.keras.optimizers.SGD(0.01, momentum=0.5)))


@program
def schedule(tf: Any) -> dict[str, Any]:
    rate = tf.keras.optimizers.schedules.ExponentialDecay(0.01, 10, 0.9)
    return trained(convolutional(tf, tf.keras.optimizers.RMSprop(rate)))


@program
def recurrent(tf: Any) -> dict[str, Any]:
    layers = tf.keras.layers
    given = tf.keras.Input((4,), dtype="int32")
    hidden = layers.Embedding(5, 3)(given)
    hidden = layers.Bidirectional(layers.LSTM(2, return_sequences=True))(hidden)
    hidden = layers.LayerNormalization()(layers.GRU(2)(hidden))
    return {"model": tf.keras.Model(given, layers.Dense(1)(hidden))}


@program
def subclassed(tf: Any) -> dict[str, Any]:
    layers = tf.keras.layers

    class Model(tf.keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.blocks = [layers.Dense(2), layers.Dense(2)]
            self.named = {"a": layers.Dense(2)}
            self.inner = tf.keras.Sequential([layers.Dense(2)])
            self.attention = layers.MultiHeadAttention(2, 2)
            self.scale = self.add_weight(name="scale", shape=(2,), initializer="ones")

        def call(self, rows: Any) -> Any:
            for block in self.blocks:
                rows = block(rows)
            rows = self.inner(self.named["a"](rows))[:, None]
            return self.attention(rows, rows)[:, 0] * self.scale

    model = Model()
    model(ROWS)
    return {"model": model}


@program
def objects(tf: Any) -> dict[str, Any]:
    class Module(tf.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self._hidden = tf.Variable([1.0, 2.0])
            self.several = [tf.Variable(3), {"one": tf.Variable(True)}]

    class State(tf.train.experimental.PythonState):  # type: ignore[misc]
        text = "kept"

        def serialize(self) -> str:
            return self.text

        def deserialize(self, string_value: bytes) -> None:
            self.text = string_value.decode()

    return {
        "step": tf.Variable(7, dtype=tf.int64),
        "module": Module(),
        "state": State(),
        "nested": tf.train.Checkpoint(value=tf.Variable(0.5), half=tf.Variable(1.5, dtype=tf.bfloat16)),
    }


def model_fn(tf: Any) -> Callable[..., Any]:
    """A model_fn for Estimators, whose losses do not depend on random numbers."""
    v1 = tf.compat.v1

    def model(features: Any, labels: Any, mode: str) -> Any:
        hidden = v1.layers.dense(
            features, 2, activation=tf.nn.relu, kernel_initializer=v1.constant_initializer(0.25), name="hidden"
        )
        output = v1.layers.dense(hidden, 1, kernel_initializer=v1.constant_initializer(0.5), name="out")
        loss = v1.losses.mean_squared_error(labels, output)
        train = v1.train.AdamOptimizer(0.01).minimize(loss, global_step=v1.train.get_global_step())
        return tf.estimator.EstimatorSpec(mode, predictions=output, loss=loss, train_op=train)

    return model


def input_fn(tf: Any) -> Callable[[], Any]:
    return lambda: tf.data.Dataset.from_tensors((ROWS, ROWS.sum(1, keepdims=True))).repeat()
