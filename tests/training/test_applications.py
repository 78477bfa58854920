"""A network of `keras.applications`, as one takes it: trained whole, and as a base that is frozen under a new head."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES
from tests.parity.training import floatx
from tests.training.training import Trained, distance, results

pytestmark = pytest.mark.thorough

layers = tf.keras.layers
ROWS, BATCH, CLASSES = 16, 8, 4
IMAGES = np.random.default_rng(0).uniform(0, 255, size=(ROWS, 32, 32, 3)).astype("float32")
LABELS = np.arange(ROWS) % CLASSES


def network(**options: Any) -> Any:
    return tf.keras.applications.MobileNetV2(input_shape=(32, 32, 3), weights=None, **options)


def test_a_whole_network_learns_is_saved_and_predicts_as_before(tmp_path: Path) -> None:
    tf.keras.utils.set_random_seed(0)
    strategy = STRATEGIES["mirrored 2"]()
    with strategy.scope():
        model = network(classes=CLASSES)
    model.compile("adam", "sparse_categorical_crossentropy", metrics=["accuracy"])
    before = model.get_weights()
    history = model.fit(IMAGES, LABELS, batch_size=BATCH, epochs=2, verbose=0).history
    assert np.isfinite(history["loss"]).all()
    # Every weight learns, and so do the moving statistics: the last ones need the first epoch's.
    assert all(not np.array_equal(a, b) for a, b in zip(model.get_weights(), before, strict=True))
    predicted = model.predict(IMAGES, batch_size=BATCH, verbose=0)
    loss = -np.log(predicted[np.arange(ROWS), LABELS]).mean()
    found = model.evaluate(IMAGES, LABELS, batch_size=BATCH, verbose=0, return_dict=True)
    assert found["loss"] == pytest.approx(loss, rel=1e-4)
    assert found["accuracy"] == pytest.approx(np.mean(predicted.argmax(axis=1) == LABELS))
    model.save(tmp_path / "network.keras")
    alone = tf.keras.models.load_model(tmp_path / "network.keras")
    with strategy.scope():
        again = tf.keras.models.load_model(tmp_path / "network.keras")
    for loaded in (alone, again):
        np.testing.assert_allclose(loaded.predict(IMAGES, batch_size=BATCH, verbose=0), predicted, rtol=1e-5, atol=1e-6)


def under_a_new_head(strategy: str, dtype: str) -> Trained:
    """The base is frozen, its BatchNormalization too, so that the number of replicas changes nothing."""
    with floatx(dtype):
        tf.keras.utils.set_random_seed(0)
        with STRATEGIES[strategy]().scope():
            base = network(include_top=False)
            base.trainable = False
            images = layers.Input((32, 32, 3))
            features = base(tf.keras.applications.mobilenet_v2.preprocess_input(images), training=False)
            outputs = layers.Dense(CLASSES)(layers.GlobalAveragePooling2D()(features))
            model = tf.keras.Model(images, outputs)
            loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
            model.compile(tf.keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
        frozen = base.get_weights()
        found = results(model, {"x": IMAGES, "y": LABELS}, batch_size=BATCH)
        assert all(np.array_equal(a, b) for a, b in zip(base.get_weights(), frozen, strict=True))
        return found


def test_a_frozen_base_under_a_new_head_is_as_on_one_device() -> None:
    one, many = under_a_new_head("one device", "float32"), under_a_new_head("mirrored 2", "float32")
    exact = under_a_new_head("one device", "float64")
    # What rounding does to this training is what float32 changes on one device.
    assert distance(many.weights, one.weights) <= 2 * distance(one.weights, exact.weights)
    assert distance(many.predicted, one.predicted) <= 2 * distance(one.predicted, exact.predicted)
    assert distance(many.history, one.history) <= 1e-4
    assert distance(many.evaluated, one.evaluated) <= 1e-4
