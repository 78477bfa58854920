"""A training that is stopped in the middle of an epoch ends with the weights of one that was not."""

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from tests.thorough import thorough_but

ROWS, BATCH, EPOCHS = 100, 32, 2  # four steps an epoch, the last of four rows
CUTS = (1, 4, 6)  # after the first step, at the end of an epoch, in the middle of another
X = np.random.default_rng(3).normal(size=(ROWS, 3))
Y = np.sin(X).sum(axis=1)


def from_memory() -> Any:
    """Rows in memory: positions."""
    return tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(40, seed=5)


def mapped() -> Any:
    """A compiled function that draws at random, behind a shuffle."""
    noisy = tf.data.Dataset.from_tensor_slices((X, Y)).shuffle(ROWS, seed=5)
    return noisy.map(lambda x, y: (x + 0.1 * tf.random.normal([3], dtype=tf.float64, seed=7), y))


def generated() -> Any:
    """User code, which is replayed."""
    signature = (tf.TensorSpec((3,), tf.float64), tf.TensorSpec((), tf.float64))
    return tf.data.Dataset.from_generator(lambda: zip(X, Y, strict=True), output_signature=signature).shuffle(
        10, seed=5
    )


SOURCES: dict[str, Callable[[], Any]] = {"memory": from_memory, "map": mapped, "generator": generated}


@pytest.fixture(autouse=True)
def no_warnings() -> Iterator[None]:
    """Generators tell that they are replayed."""
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


@dataclass
class Run:
    """One program: what it trains, its input and its position."""

    source: Callable[[], Any]
    replicas: int

    def __post_init__(self) -> None:
        self.strategy = tf.distribute.MirroredStrategy([f"CPU:{i}" for i in range(self.replicas)])
        with self.strategy.scope():
            keras.utils.set_random_seed(1)
            layers = [keras.layers.Dense(4, activation="tanh", dtype="float64"), keras.layers.Dense(1, dtype="float64")]
            self.model = keras.Sequential([keras.Input((3,), dtype="float64"), *layers])
            self.optimizer = keras.optimizers.Adam(0.01)
        self.data = self.strategy.experimental_distribute_dataset(self.source().batch(BATCH))
        self.iterator = iter(self.data)
        self.epoch = tf.Variable(0)
        self.checkpoint = tf.train.Checkpoint(
            model=self.model, optimizer=self.optimizer, iterator=self.iterator, epoch=self.epoch
        )

    def train(self, *, stop_after: int | None = None) -> None:
        """The epochs that are left, or that many steps."""

        @tf.function
        def step(batch: Any) -> None:
            self.strategy.run(self.update, args=(batch,))

        steps = 0
        while int(self.epoch.numpy()) < EPOCHS:
            for batch in self.iterator:
                step(batch)
                steps += 1
                if steps == stop_after:
                    return
            self.epoch.assign_add(1)
            self.iterator = self.checkpoint.iterator = iter(self.data)

    def update(self, batch: Any) -> None:
        """One step in a replica."""
        x, y = batch
        with tf.GradientTape() as tape:
            errors = tf.square(tf.reshape(self.model(x), [-1]) - y)
            loss = tf.nn.compute_average_loss(errors, global_batch_size=BATCH)
        gradients = tape.gradient(loss, self.model.trainable_variables)
        self.optimizer.apply_gradients(zip(gradients, self.model.trainable_variables, strict=True))

    def weights(self) -> list[np.ndarray]:
        """Of the model."""
        return [np.asarray(v.numpy()) for v in self.model.trainable_variables]


@pytest.fixture(scope="module")
def uninterrupted() -> dict[str, list[np.ndarray]]:
    """The weights of each source's whole training on one replica."""
    found = {}
    for name, source in SOURCES.items():
        run = Run(source, 1)
        run.train()
        found[name] = run.weights()
    return found


# Of the sources the one whose position has most in it: a shuffle's, a function's and its random numbers'.
@pytest.mark.parametrize(("before", "after"), thorough_but([(2, 4)], [(2, 2), (2, 4), (8, 1)]))
@pytest.mark.parametrize("name", thorough_but(["map"], SOURCES))
def test_stopped_training_goes_on_exactly_also_on_other_replicas(
    name: str, before: int, after: int, uninterrupted: dict[str, list[np.ndarray]], tmp_path: Path
) -> None:
    for cut in CUTS if before == after else CUTS[-1:]:
        first = Run(SOURCES[name], before)
        first.train(stop_after=cut)
        path = first.checkpoint.save(str(tmp_path / f"after {cut}"))
        del first
        second = Run(SOURCES[name], after)
        second.checkpoint.restore(path).assert_existing_objects_matched()
        second.train()
        for found, wanted in zip(second.weights(), uninterrupted[name], strict=True):
            np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-12)


def test_the_position_of_a_plain_data_set_is_saved_too(tmp_path: Path) -> None:
    iterator = iter(from_memory().batch(7))
    for _ in range(3):
        next(iterator)
    path = tf.train.Checkpoint(iterator=iterator).save(str(tmp_path / "ckpt"))
    rest = [y for _, y in iterator]
    restored = iter(from_memory().batch(7))
    tf.train.Checkpoint(iterator=restored).restore(path).assert_consumed()
    for found, wanted in zip((y for _, y in restored), rest, strict=True):
        np.testing.assert_array_equal(found, wanted)
