"""What the tests schedule."""

import threading
from typing import Any

import numpy as np

import stratagem as tf

Coordinator = tf.distribute.experimental.coordinator.ClusterCoordinator
WORKERS = 3


def counter(strategy: Any, dtype: str = "float32") -> Any:
    """A zero on a server."""
    with strategy.scope():
        return tf.Variable(np.zeros((), dtype))


class Gate:
    """Lets functions that run wait in the host, until it is opened."""

    def __init__(self) -> None:
        self.open, self.entered = threading.Event(), threading.Semaphore(0)

    def wait(self, x: Any = 0) -> np.ndarray:
        self.entered.release()
        assert self.open.wait(120)
        return np.float32(x)


def waiting(gate: Gate) -> Any:
    """A function that waits at the gate, and returns 1."""

    @tf.function
    def slow() -> Any:
        return tf.py_function(gate.wait, [tf.constant(1.0)], tf.float32)

    return slow


def _raise() -> None:
    raise tf.errors.InvalidArgumentError(None, None, "the function failed")


@tf.function
def bad() -> Any:
    """Raises."""
    return tf.py_function(_raise, [], tf.float32)


@tf.function
def good() -> Any:
    """Four."""
    return tf.constant(4.0)


@tf.function
def draw(iterator: Any) -> Any:
    """The next element."""
    return next(iterator)
