"""Programs with sessions that are timed, for this library and for TensorFlow: WAYS[name](tf1) returns a timer of steps."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

BATCH = 64


def mlp(tf1: Any) -> Callable[[int], float]:
    """A network of two dense layers on batches of 64 rows of 784 numbers, which are fed."""
    x = tf1.placeholder(tf1.float32, [None, 784])
    hidden = tf1.layers.dense(x, 128, activation=tf1.nn.relu)
    return _timer(tf1, x, tf1.layers.dense(hidden, 10), np.zeros((BATCH, 784), np.float32))


def cnn(tf1: Any) -> Callable[[int], float]:
    """The convolutional network of TensorFlow's tutorial on batches of 64 images of 28 by 28 pixels, which are fed."""
    x = tf1.placeholder(tf1.float32, [None, 28, 28, 1])
    hidden = x
    for filters in (32, 64):
        hidden = tf1.layers.conv2d(hidden, filters, 3, activation=tf1.nn.relu)
        hidden = tf1.layers.max_pooling2d(hidden, 2, 2)
    hidden = tf1.layers.dense(tf1.layers.flatten(hidden), 64, activation=tf1.nn.relu)
    return _timer(tf1, x, tf1.layers.dense(hidden, 10), np.zeros((BATCH, 28, 28, 1), np.float32))


def _timer(tf1: Any, x: Any, logits: Any, example: np.ndarray) -> Callable[[int], float]:
    numbers = np.random.default_rng(0)
    images, labels = numbers.random(example.shape, np.float32), numbers.integers(0, 10, BATCH)
    y = tf1.placeholder(tf1.int64, [None])
    loss = tf1.losses.sparse_softmax_cross_entropy(y, logits)
    train = tf1.train.AdamOptimizer(1e-3).minimize(loss)
    session = tf1.Session()
    session.run(tf1.global_variables_initializer())

    def timed(steps: int) -> float:
        begin = time.perf_counter()
        for _ in range(steps):
            session.run([train, loss], {x: images, y: labels})
        return time.perf_counter() - begin

    return timed


WAYS: dict[str, Callable[[Any], Callable[[int], float]]] = {"mlp": mlp, "cnn": cnn}
