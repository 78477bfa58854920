"""The smallest model that learns, compiled once for many tests: ten rows, which its weights tell from any other ten."""

import functools
from typing import Any

import numpy as np

import stratagem as tf
from stratagem.testing import STRATEGIES

ROWS, BATCH = 10, 4
X = np.random.default_rng(0).normal(size=(ROWS, 2)).astype("float32")
Y = np.random.default_rng(1).normal(size=(ROWS, 1)).astype("float32")
WEIGHTS = np.linspace(0.25, 2, ROWS).astype("float32")
LEARNING_RATE = 0.125

layers = tf.keras.layers


def linear(strategy: str = "mirrored 2", **compiled: Any) -> Any:
    """A new model under a strategy: one linear layer, from zeros."""
    with STRATEGIES[strategy]().scope():
        model = tf.keras.Sequential([layers.Input((2,)), layers.Dense(1, kernel_initializer="zeros")])
        model.compile(**{"optimizer": tf.keras.optimizers.SGD(LEARNING_RATE), "loss": "mse", **compiled})
    return model


@functools.cache
def _shared(strategy: str) -> tuple[Any, Any]:
    model = linear(strategy, metrics=["mae"], weighted_metrics=["mse"])
    return model, model.optimizer


def shared(strategy: str = "mirrored 2") -> Any:
    """The same model in every test, at its first weights: it compiles once."""
    model, optimizer = _shared(strategy)
    assert model.optimizer is optimizer, "an earlier test compiled the shared model anew: let it take one of its own"
    model.set_weights([np.zeros((2, 1)), np.zeros(1)])
    return model


def kernel(model: Any) -> np.ndarray:
    """Its weights, in one array."""
    return np.concatenate([w.ravel() for w in model.get_weights()])


def descended(batches: Any, epochs: int = 1) -> np.ndarray:
    """The weights after gradient descent on the mean of weighted squares of these batches, by NumPy in float64.

    batches: (x, y, weights) each.
    """
    w = np.zeros(3)
    for _ in range(epochs):
        for x, y, weights in batches:
            inputs = np.concatenate([x, np.ones((len(x), 1))], axis=1).astype("float64")
            error = inputs @ w - y[:, 0]
            w -= LEARNING_RATE * 2 * inputs.T @ (error * weights) / len(x)
    return w


def batched(x: np.ndarray = X, y: np.ndarray = Y, weights: np.ndarray | None = None, size: int = BATCH) -> Any:
    """Batches in order, for `descended`."""
    weights = np.ones(len(x)) if weights is None else weights
    return [(x[i : i + size], y[i : i + size], weights[i : i + size]) for i in range(0, len(x), size)]


def close(found: np.ndarray, wanted: np.ndarray) -> None:
    """Equal as far as float32 tells."""
    np.testing.assert_allclose(found, wanted, rtol=1e-5, atol=1e-6)
