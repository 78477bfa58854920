"""Every Keras model trains under a strategy as on one device, wherever it was made."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem._strategies import MirroredStrategy
from tests.keras.facade import IMAGES, batches, largest_difference, make_step, mirrored, small_model, train

START = [np.random.default_rng(1).normal(size=w.shape).astype(np.float32) for w in small_model().get_weights()]


class Subclassed(tf.keras.Model):
    """Builds its layers in its first step, and owns a variable of our own."""

    def __init__(self) -> None:
        super().__init__()
        self.hidden = tf.keras.layers.Dense(5, activation="tanh")
        self.out = tf.keras.layers.Dense(3)

    def call(self, x: Any, training: bool = False) -> Any:
        return self.out(self.hidden(x))


def functional() -> Any:
    inputs = tf.keras.Input((4,))
    return tf.keras.Model(inputs, tf.keras.layers.Dense(3)(tf.keras.layers.Dense(5, activation="tanh")(inputs)))


def cloned() -> Any:
    return tf.keras.models.clone_model(small_model())


def subclassed() -> Any:
    model = Subclassed()
    model(IMAGES)
    return model


MODELS: dict[str, Callable[[], Any]] = {
    "sequential": small_model,
    "functional": functional,
    "cloned": cloned,
    "subclassed": subclassed,
}


def expected(steps: int = 3) -> list[np.ndarray]:
    """What one device computes."""
    model = small_model()
    model.set_weights(START)
    return train(tf.distribute.get_strategy(), model, tf.keras.optimizers.SGD(0.5, momentum=0.9), steps)


@pytest.mark.sampled
@pytest.mark.parametrize("kind", MODELS)
def test_two_replicas_train_it_like_one_device(kind: str) -> None:
    strategy = mirrored()
    with strategy.scope():
        model = MODELS[kind]()
        model.set_weights(START)
        optimizer = tf.keras.optimizers.SGD(0.5, momentum=0.9)
    assert largest_difference(train(strategy, model, optimizer), expected()) < 1e-6


def test_a_loaded_model_goes_on_training_under_a_strategy(tmp_path: Path) -> None:
    model = small_model()
    model.set_weights(START)
    model.save(tmp_path / "model.keras")
    strategy = mirrored()
    with strategy.scope():
        loaded = tf.keras.models.load_model(tmp_path / "model.keras")
        optimizer = tf.keras.optimizers.SGD(0.5, momentum=0.9)
    weights = train(strategy, loaded, optimizer)
    assert largest_difference(weights, expected()) < 1e-6
    loaded.save(tmp_path / "trained.keras")
    again = tf.keras.models.load_model(tmp_path / "trained.keras")
    assert largest_difference(again.get_weights(), weights) == 0.0
    assert np.array_equal(again(IMAGES), loaded(IMAGES))


def test_a_model_that_builds_itself_in_its_first_step_trains() -> None:
    strategy = mirrored()
    with strategy.scope():
        model, optimizer = Subclassed(), tf.keras.optimizers.SGD(0.5)
    step = make_step(model, optimizer)
    (batch,) = batches(strategy)
    losses = [float(strategy.reduce("SUM", strategy.run(step, args=batch), axis=None)) for _ in range(5)]
    assert losses == sorted(losses, reverse=True)
    assert losses[-1] < losses[0]


def test_a_model_with_state_of_many_kinds_stays_equal_on_all_replicas() -> None:
    layers, strategy = tf.keras.layers, mirrored()
    with strategy.scope():
        model = tf.keras.Sequential(
            [
                layers.Input((4,)),
                layers.Reshape((4, 1)),
                layers.LSTM(3),
                layers.BatchNormalization(),
                layers.Dropout(0.5),
                layers.Dense(3),
            ]
        )
        optimizer = tf.keras.optimizers.Adam(0.01)
    step = make_step(model, optimizer)
    (batch,) = batches(strategy)
    for _ in range(2):
        strategy.run(step, args=batch)
    for variable in [*model.variables, *optimizer.variables]:
        copies = [np.asarray(s.data) for s in variable._value.addressable_shards]
        assert len(copies) == 2
        assert np.array_equal(*copies), variable.path


def test_a_model_is_evaluated_and_saved_outside_of_the_scope_as_within(tmp_path: Path) -> None:
    strategy = mirrored()
    with strategy.scope():
        model = small_model()
        inside = np.asarray(model(IMAGES))
    assert np.array_equal(model(IMAGES), inside)
    model.save_weights(tmp_path / "model.weights.h5")
    other = small_model()
    other.load_weights(tmp_path / "model.weights.h5")
    assert np.array_equal(other(IMAGES), inside)


def dropped(strategy: MirroredStrategy, layer: Any) -> list[np.ndarray]:
    """Which of many ones the layer keeps, on each replica."""
    result = strategy.run(lambda: layer(tf.ones([64]), training=True))
    return [np.asarray(v) > 0 for v in strategy.experimental_local_results(result)]


def test_dropout_differs_between_replicas_and_steps() -> None:
    strategy = mirrored()
    with strategy.scope():
        layer = tf.keras.layers.Dropout(0.5, seed=3)
    first, second = dropped(strategy, layer), dropped(strategy, layer)
    masks = [*first, *second]
    assert all(not np.array_equal(a, b) for i, a in enumerate(masks) for b in masks[:i])


def test_one_replica_draws_what_keras_alone_would() -> None:
    strategy, other = mirrored(1), mirrored(2)
    with strategy.scope():
        layer = tf.keras.layers.Dropout(0.5, seed=3)
    with other.scope():
        shared = tf.keras.layers.Dropout(0.5, seed=3)
    plain = tf.keras.layers.Dropout(0.5, seed=3)
    for _ in range(2):
        alone = np.asarray(plain(tf.ones([64]), training=True)) > 0
        assert np.array_equal(dropped(strategy, layer)[0], alone)
        assert np.array_equal(dropped(other, shared)[0], alone)  # and so does the first of several replicas


def test_a_loss_that_divides_by_the_rows_of_a_replica_is_refused_there() -> None:
    strategy = mirrored()
    for loss in (tf.keras.losses.MeanSquaredError(), tf.keras.losses.Huber(reduction="mean_with_sample_weight")):
        with pytest.raises(
            ValueError, match=r"divides by the rows of one replica.*Please use\s.*Reduction.SUM.*Reduction.NONE"
        ):
            strategy.run(lambda loss=loss: loss(tf.zeros([2, 1]), tf.ones([2, 1])))
    for reduction in ("none", "sum", None):
        loss = tf.keras.losses.MeanSquaredError(reduction=reduction)
        strategy.run(lambda loss=loss: loss(tf.zeros([2, 1]), tf.ones([2, 1])))
    assert float(tf.keras.losses.MeanSquaredError()(tf.zeros([2, 1]), tf.ones([2, 1]))) == 1.0
