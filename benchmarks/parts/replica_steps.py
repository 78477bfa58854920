"""Steps of a network on the replicas of a strategy, of one batch again and again, and their time."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

import stratagem as tf


def timed_steps(strategy: Any, network: Any, optimizer: Any, shape: tuple[int, int]) -> Callable[[int], float]:
    """Returns a function that takes so many steps, and returns their seconds. shape: of the batch, its rows first.

    A step is forward, backward and the optimizer; the loss is a mean of squares.
    """
    rows = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    dataset = tf.data.Dataset.from_tensor_slices(rows).batch(len(rows))
    (batch,) = list(strategy.experimental_distribute_dataset(dataset))

    def replica_step(x: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(network(x) ** 2) / len(rows)
        variables = network.trainable_variables
        optimizer.apply_gradients(zip(tape.gradient(loss, variables), variables, strict=True))
        return loss

    @tf.function
    def step(x: Any) -> Any:
        return strategy.reduce("SUM", strategy.run(replica_step, args=(x,)), axis=None)

    def timer(steps: int) -> float:
        start = time.perf_counter()
        for _ in range(steps):
            loss = step(batch)
        float(loss)
        return time.perf_counter() - start

    return timer
