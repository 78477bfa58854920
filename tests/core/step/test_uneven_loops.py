"""100 examples in batches of 32 on 8 replicas: training, evaluation and prediction equal one device.

The last batch has 4 rows: one on each of four replicas, none on the other four.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from tests.core.step.observing import cuts_made

EXAMPLES, BATCH, CLASSES, IMAGE = 100, 32, 3, (6, 6, 1)
L2 = 0.01


@pytest.fixture(autouse=True)
def float64() -> Iterator[None]:
    """Models, losses and metrics made in a test are of float64."""
    before, policy = keras.config.floatx(), keras.config.dtype_policy()
    keras.config.set_floatx("float64")
    keras.config.set_dtype_policy("float64")
    yield
    keras.config.set_floatx(before)
    keras.config.set_dtype_policy(policy)


def examples() -> tuple[np.ndarray, np.ndarray]:
    """Images in [0, 1) and their classes."""
    generator = np.random.default_rng(0)
    return generator.random((EXAMPLES, *IMAGE)), generator.integers(0, CLASSES, EXAMPLES)


def cnn() -> list[Any]:
    return [
        keras.layers.Conv2D(2, 3, activation="tanh"),
        keras.layers.MaxPooling2D(),
        keras.layers.Flatten(),
        keras.layers.Dense(CLASSES),
    ]


def lstm() -> list[Any]:
    return [keras.layers.Reshape(IMAGE[:2]), keras.layers.LSTM(3), keras.layers.Dense(CLASSES)]


def regularized() -> list[Any]:
    return [
        keras.layers.Flatten(),
        keras.layers.Dense(4, "tanh", kernel_regularizer=keras.regularizers.L2(L2)),
        keras.layers.Dense(CLASSES),
    ]


def plain(model: Any, images: Any, size: int) -> Any:
    return model(images, training=True)


def sorted_and_dropped(model: Any, images: Any, size: int) -> Any:
    """Features sorted, some dropped: which ones, the rows themselves decide, so that it is the same on any replica."""
    mask = keras.ops.cast(images * 8 % 1 > 0.25, images.dtype)
    order = tf.sort(tf.reshape(images * mask, [tf.shape(images)[0], -1]), axis=1, direction="DESCENDING")
    return model(tf.reshape(order, tf.shape(images)), training=True)


def normalized(model: Any, images: Any, size: int) -> Any:
    """Images normalized by the statistics of the global batch, gradients through its all_reduce included."""
    context = tf.distribute.get_replica_context()
    scores = model(images, training=True)
    mean = context.all_reduce("SUM", tf.reduce_sum(scores, axis=0)) / float(size)
    variance = context.all_reduce("SUM", tf.reduce_sum((scores - mean) ** 2, axis=0)) / float(size)
    return (scores - mean) / tf.sqrt(variance + 0.01)


@dataclass(frozen=True)
class Loop:
    """A model and how the step uses it."""

    layers: Callable[[], list[Any]]
    forward: Callable[[Any, Any, int], Any]
    optimizer: str = "Adam"


LOOPS = {
    "plain CNN": Loop(cnn, plain),
    "LSTM": Loop(lstm, plain, "RMSprop"),
    "L2 term": Loop(regularized, plain),
    "sort and dropout": Loop(regularized, sorted_and_dropped),
    "all_reduce in the middle": Loop(regularized, normalized, "SGD"),
}


class Run:
    """The loops of a user on so many replicas."""

    def __init__(self, loop: Loop, replicas: int) -> None:
        self.strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(replicas)])
        with self.strategy.scope():
            self.model = keras.Sequential([keras.Input(IMAGE), *loop.layers()])
            for i, v in enumerate(self.model.variables):
                v.assign(np.random.default_rng(i).normal(size=v.shape) / 2)
            self.optimizer = getattr(keras.optimizers, loop.optimizer)(0.03125)
            self.per_example = keras.losses.SparseCategoricalCrossentropy(from_logits=True, reduction="none")
            self.loss = keras.metrics.Mean()
            self.accuracy = keras.metrics.SparseCategoricalAccuracy()
            self.cross_entropy = keras.metrics.SparseCategoricalCrossentropy(from_logits=True)
            self.area = keras.metrics.AUC(num_thresholds=20)
        self.forward = loop.forward
        data = tf.data.Dataset.from_tensor_slices(examples()).batch(BATCH)
        self.batches = self.strategy.experimental_distribute_dataset(data)

    def train(self, images: Any, labels: Any, size: int) -> Any:
        with tf.GradientTape() as tape:
            losses = self.per_example(labels, self.forward(self.model, images, size))
            loss = tf.nn.compute_average_loss(losses, global_batch_size=size)
            loss += tf.nn.scale_regularization_loss(tf.add_n([*self.model.losses, tf.constant(0.0, tf.float64)]))
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))
        self.loss.update_state(losses)
        return loss

    def evaluate(self, images: Any, labels: Any) -> None:
        scores = self.model(images, training=False)
        self.accuracy.update_state(labels, scores)
        self.cross_entropy.update_state(labels, scores)
        self.area.update_state(tf.cast(labels > 0, tf.float64), tf.sigmoid(scores[:, 0]))

    def predict(self, images: Any, labels: Any) -> Any:
        return tf.nn.softmax(self.model(images, training=False))

    def everything(self) -> dict[str, np.ndarray]:
        """Two epochs of training, one of evaluation, one of prediction."""
        losses = []
        for _ in range(2):
            for images, labels in self.batches:
                size = sum(len(v) for v in self.strategy.experimental_local_results(labels))
                each = self.strategy.run(self.train, args=(images, labels, size))
                losses.append(float(self.strategy.reduce("SUM", each, axis=None)))
        for batch in self.batches:
            self.strategy.run(self.evaluate, args=batch)
        gathered, listed = [], []
        for batch in self.batches:
            each = self.strategy.run(self.predict, args=batch)
            gathered.append(np.asarray(self.strategy.gather(each, axis=0)))
            listed += map(np.asarray, self.strategy.experimental_local_results(each))
        assert np.array_equal(np.concatenate(gathered), np.concatenate(listed))
        found = {f"weight {v.path}": v.numpy() for v in [*self.model.variables, *self.optimizer.variables]}
        metrics = (self.loss, self.accuracy, self.cross_entropy, self.area)
        found |= {m.name: np.asarray(m.result()) for m in metrics}
        return found | {"losses": np.array(losses), "predictions": np.concatenate(gathered)}


@pytest.mark.thorough
@pytest.mark.parametrize("name", LOOPS)
def test_loops_equal_one_device(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    cut = cuts_made(monkeypatch)
    several, one = Run(LOOPS[name], 8).everything(), Run(LOOPS[name], 1).everything()
    assert len(cut) == 3  # the last batch of each loop, once
    assert len(several["predictions"]) == EXAMPLES
    for (what, a), b in zip(several.items(), one.values(), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9, err_msg=what)
