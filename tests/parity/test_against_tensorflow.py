"""The same training as TensorFlow 2.15 from the same weights on the same batches, on one and on two replicas."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.parity.batches import (
    CASES,
    CLASSES,
    GLOBAL_BATCH,
    IMAGE,
    NORMALIZED,
    NORMALIZED_WEIGHTS,
    OPTIMIZERS,
    Case,
    batch,
    fingerprint,
    initial_weights,
)
from tests.parity.training import RECORDED, dataset, distance, floatx, train
from tests.thorough import thorough_but

# In float32 a bound on 50 steps of rounding: Adam divides by tiny moments, which enlarges it (measured: 1.2e-6).
WITHIN = {"float64": 1e-7, "float32": 5e-6}


@pytest.fixture(scope="module")
def recorded() -> dict[str, np.ndarray]:
    """What TensorFlow computed."""
    arrays = dict(np.load(RECORDED / "training.npz"))
    assert arrays["fingerprint"] == fingerprint(), "NumPy generates other numbers than when this was recorded"
    return arrays


# Both models, one and two replicas, both dtypes, and optimizers with no slots, with one and with two.
QUICK = (Case("cnn", "sgd", 1, "float64"), Case("cnn", "rmsprop", 2, "float32"), Case("mlp", "adam", 2, "float32"))


@pytest.mark.sampled
@pytest.mark.parametrize("case", thorough_but(QUICK, CASES), ids=lambda case: case.key)
def test_weights_and_losses_are_those_of_tensorflow(recorded: dict[str, np.ndarray], case: Case) -> None:
    weights, losses = train(case)
    assert losses.dtype == weights[0].dtype == case.dtype
    theirs = [recorded[f"{case.key}/weight{i}"] for i in range(len(weights))]
    assert distance(weights, theirs) <= WITHIN[case.dtype]
    assert distance([losses], [recorded[f"{case.key}/losses"]]) <= WITHIN[case.dtype]


@pytest.mark.parametrize("dtype", thorough_but(["float64"], ["float64", "float32"]))
def test_moving_statistics_of_batch_normalization_are_averaged_over_replicas(dtype: str) -> None:
    theirs = dict(np.load(RECORDED / "batch_normalization.npz"))
    assert theirs["fingerprint"] == fingerprint()
    layers, strategy = tf.keras.layers, tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with floatx(dtype), strategy.scope():
        normalization = layers.BatchNormalization(**NORMALIZED)
        model = tf.keras.Sequential([layers.Input(IMAGE), layers.Flatten(), normalization, layers.Dense(CLASSES)])
        model.layers[-1].set_weights([initial_weights("mlp", dtype)[0][:, :CLASSES], np.zeros(CLASSES)])
        optimizer = tf.keras.optimizers.SGD(**OPTIMIZERS["momentum"][1])

    def step(inputs: Any) -> None:
        images, labels = inputs
        with tf.GradientTape() as tape:
            logits = model(images, training=True)
            losses = tf.keras.losses.sparse_categorical_crossentropy(labels, logits, from_logits=True)
            loss = tf.nn.compute_average_loss(losses, global_batch_size=GLOBAL_BATCH)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))

    for inputs in strategy.experimental_distribute_dataset(dataset(dtype)):
        strategy.run(step, args=(inputs,))
    for name, ours in zip(NORMALIZED_WEIGHTS, model.get_weights(), strict=True):
        assert distance([ours], [theirs[f"{dtype}/{name}"]]) <= WITHIN[dtype], name
    predictions = np.asarray(model(tf.constant(batch(0, dtype)[0]), training=False))
    assert distance([predictions], [theirs[f"{dtype}/predictions"]]) <= WITHIN[dtype]
