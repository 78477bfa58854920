"""A model with one weight, y = w x from w = 1, whose training by hand takes three lines, and its data."""

from collections.abc import Callable
from typing import Any

import numpy as np

import stratagem as tf
import stratagem.compat.v1 as tf1

RATE = 0.1
X = np.array([1.0, 2.0, 3.0, 4.0], np.float32)
Y = np.array([0.5, 2.0, 3.5, 1.0], np.float32)


def linear(make_spec: Callable[..., dict[str, Any]] = lambda **tensors: {}, calls: list[str] | None = None) -> Any:
    """A model_fn. make_spec(features=, y=, loss=, mode=) gives more of the EstimatorSpec; calls notes the modes."""

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        if calls is not None:
            calls.append(mode)
        w = tf1.get_variable("w", (), initializer="ones")
        y = w * features
        if mode == tf.estimator.ModeKeys.PREDICT:
            return tf.estimator.EstimatorSpec(mode, predictions={"y": y, "x": features})
        loss = tf.reduce_mean((y - labels) ** 2)
        train_op = tf1.train.GradientDescentOptimizer(RATE).minimize(loss, global_step=tf1.train.get_global_step())
        more = make_spec(features=features, y=y, loss=loss, mode=mode)
        return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op, **more)

    return model_fn


def data(batch: int = 1, repeat: int | None = 1) -> Callable[[], Any]:
    """An input_fn: the four rows, in batches."""
    return lambda: tf.data.Dataset.from_tensor_slices((X, Y)).batch(batch).repeat(repeat)


def by_hand(batches: list[tuple[np.ndarray, np.ndarray]], w: float = 1.0) -> tuple[float, list[float]]:
    """The weight after training on these batches, and the loss of every step."""
    losses = []
    for x, y in batches:
        losses.append(float(np.mean((w * x - y) ** 2)))
        w -= RATE * float(np.mean(2 * (w * x - y) * x))
    return w, losses


def rows(batch: int = 1, times: int = 1) -> list[tuple[np.ndarray, np.ndarray]]:
    """The batches of `data`."""
    return [(X[i : i + batch], Y[i : i + batch]) for i in range(0, len(X), batch)] * times


def weight(estimator: Any) -> float:
    """What was saved."""
    return float(estimator.get_variable_value("w"))
