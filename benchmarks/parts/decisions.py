"""Five programs in which tensors decide, each written as Python's statements and without AutoGraph."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from parts import cnn

import stratagem as tf
from stratagem import keras

Run = Callable[[], Any]
STEPS, EVERY = 20, 4


@dataclass(frozen=True, eq=False)
class Fresh:
    """An argument that no other function was called with: what takes it is compiled anew."""


def _training() -> tuple[Callable[..., Any], Any]:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with strategy.scope():
        model, optimizer = cnn.model(keras), keras.optimizers.Adam()
    losses = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="sum")
    images, labels = cnn.batch()
    data = tf.data.Dataset.from_tensors((images, labels)).repeat(STEPS)
    distributed = strategy.experimental_distribute_dataset(data)

    def step(images: Any, labels: Any) -> Any:
        with tf.GradientTape() as tape:
            loss = losses(labels, model(images, training=True)) / cnn.BATCH
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        return loss

    return lambda batch: strategy.reduce("SUM", strategy.run(step, args=batch), axis=None), distributed


def epoch_with() -> Run:
    """An epoch of a convolutional network as a loop in a compiled function."""
    step, data = _training()

    @tf.function
    def epoch(data: Any) -> Any:
        total = 0.0
        for batch in data:
            total += step(batch)
        return total

    return lambda: epoch(data)


def epoch_without() -> Run:
    """The same loop in Python around a compiled step."""
    step, data = _training()

    @tf.function
    def one_step(total: Any, batch: Any) -> Any:
        return total + step(batch)

    def epoch() -> Any:
        total = tf.constant(0.0)
        for batch in data:
            total = one_step(total, batch)
        return total

    return epoch


def _accumulation() -> tuple[Any, ...]:
    model, optimizer = (
        keras.Sequential([keras.layers.Dense(256, "relu"), keras.layers.Dense(10)]),
        keras.optimizers.SGD(),
    )
    model.build((None, 784))
    optimizer.build(model.trainable_variables)
    kept = [tf.Variable(tf.zeros(w.shape), trainable=False) for w in model.trainable_variables]
    x = tf.constant(np.random.default_rng(0).normal(size=(64, 784)).astype(np.float32))

    def add(x: Any) -> None:
        with tf.GradientTape() as tape:
            loss = tf.reduce_mean(model(x) ** 2)
        for total, gradient in zip(kept, tape.gradient(loss, model.trainable_variables), strict=True):
            total.assign_add(gradient)

    def apply() -> None:
        optimizer.apply_gradients(zip(kept, model.trainable_variables, strict=True))
        for total in kept:
            total.assign(tf.zeros_like(total))

    return add, apply, x, tf.Variable(0, trainable=False)


def accumulation_with() -> Run:
    """Steps that apply the sum of their gradients every fourth time."""
    add, apply, x, count = _accumulation()

    @tf.function
    def step(x: Any) -> Any:
        add(x)
        count.assign_add(1)
        if count % EVERY == 0:
            apply()
        return count.read_value()

    return lambda: [step(x) for _ in range(STEPS)][-1]


def accumulation_without() -> Run:
    """The same with `tf.cond`."""
    add, apply, x, count = _accumulation()

    @tf.function(autograph=False)
    def step(x: Any) -> Any:
        add(x)
        count.assign_add(1)
        tf.cond(count % EVERY == 0, apply, lambda: None)
        return count.read_value()

    return lambda: [step(x) for _ in range(STEPS)][-1]


def _system() -> tuple[Any, Any]:
    matrix = np.random.default_rng(0).normal(size=(200, 200)).astype(np.float32)
    return tf.constant(matrix @ matrix.T / 200 + 0.1 * np.eye(200, dtype=np.float32)), tf.ones([200])


def convergence_with() -> Run:
    """A linear system solved by gradient descent until it has converged."""
    matrix, right = _system()

    @tf.function
    def solve(matrix: Any, right: Any, fresh: Fresh) -> Any:
        x, left = tf.zeros([200]), tf.constant(1.0)
        while left > 1e-3:
            residual = right - tf.linalg.matvec(matrix, x)
            x += 0.2 * residual
            left = tf.reduce_max(tf.abs(residual))
        return x

    fresh = Fresh()
    return lambda: solve(matrix, right, fresh)


def convergence_without() -> Run:
    """The same with `tf.while_loop`."""
    matrix, right = _system()

    @tf.function(autograph=False)
    def solve(matrix: Any, right: Any, fresh: Fresh) -> Any:
        def body(x: Any, left: Any) -> Any:
            residual = right - tf.linalg.matvec(matrix, x)
            return x + 0.2 * residual, tf.reduce_max(tf.abs(residual))

        return tf.while_loop(lambda x, left: left > 1e-3, body, [tf.zeros([200]), tf.constant(1.0)])[0]

    fresh = Fresh()
    return lambda: solve(matrix, right, fresh)


WORDS, WIDTH, LENGTH = 500, 8, 100


def _language() -> tuple[Any, Any]:
    scores = np.log(np.random.default_rng(0).dirichlet(np.ones(WORDS), size=WORDS).astype(np.float32) + 1e-9)
    return tf.constant(scores), tf.where(tf.range(WIDTH) == 0, 0.0, -1e9)


def _extended(scores: Any, totals: Any, last: Any) -> Any:
    totals, chosen = tf.math.top_k(tf.reshape(totals[:, None] + tf.gather(scores, last), [-1]), WIDTH)
    return totals, chosen // WORDS, chosen % WORDS


def beam_with() -> Run:
    """A beam search that keeps its steps in a TensorArray and ends when all paths end."""
    scores, start = _language()

    @tf.function
    def search(scores: Any, totals: Any, length: Any, fresh: Fresh) -> Any:
        steps = tf.TensorArray(tf.int32, size=LENGTH, element_shape=[2, WIDTH])
        last = tf.zeros([WIDTH], tf.int32)
        for i in tf.range(length):
            totals, parents, last = _extended(scores, totals, last)
            steps = steps.write(i, tf.stack([parents, last]))
            if tf.reduce_all(last == WORDS):
                break
        return steps.stack(), totals

    fresh = Fresh()
    return lambda: search(scores, start, tf.constant(LENGTH), fresh)[1]


def beam_without() -> Run:
    """The same with `tf.while_loop`."""
    scores, start = _language()

    @tf.function(autograph=False)
    def search(scores: Any, totals: Any, length: Any, fresh: Fresh) -> Any:
        def body(i: Any, steps: Any, totals: Any, last: Any) -> Any:
            totals, parents, last = _extended(scores, totals, last)
            return i + 1, steps.write(i, tf.stack([parents, last])), totals, last

        def goes_on(i: Any, steps: Any, totals: Any, last: Any) -> Any:
            return tf.logical_and(i < length, tf.logical_not(tf.reduce_all(last == WORDS)))

        steps = tf.TensorArray(tf.int32, size=LENGTH, element_shape=[2, WIDTH])
        start = [tf.constant(0), steps, totals, tf.zeros([WIDTH], tf.int32)]
        _, steps, totals, _ = tf.while_loop(goes_on, body, start)
        return steps.stack(), totals

    fresh = Fresh()
    return lambda: search(scores, start, tf.constant(LENGTH), fresh)[1]


def rejection_with() -> Run:
    """A point on a sphere, drawn until one is inside of a small cap."""

    @tf.function
    def draw(fresh: Fresh) -> Any:
        point, draws = tf.zeros([3]), 0
        while point[2] < 0.999:
            point = tf.random.normal([3])
            point /= tf.norm(point)
            draws += 1
        return draws

    fresh = Fresh()
    return lambda: [draw(fresh) for _ in range(STEPS)][-1]


def rejection_without() -> Run:
    """The same with `tf.while_loop`."""

    @tf.function(autograph=False)
    def draw(fresh: Fresh) -> Any:
        def body(point: Any, draws: Any) -> Any:
            point = tf.random.normal([3])
            return point / tf.norm(point), draws + 1

        return tf.while_loop(lambda point, draws: point[2] < 0.999, body, [tf.zeros([3]), tf.constant(0)])[1]

    fresh = Fresh()
    return lambda: [draw(fresh) for _ in range(STEPS)][-1]


PROGRAMS = {
    "an epoch": (epoch_with, epoch_without),
    "accumulated gradients": (accumulation_with, accumulation_without),
    "until converged": (convergence_with, convergence_without),
    "a beam search": (beam_with, beam_without),
    "drawn until accepted": (rejection_with, rejection_without),
}
