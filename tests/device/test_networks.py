"""Networks as people train them learn on one device of any kind, and what is only for CPUs is only used there."""

from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
from stratagem._core.rewrites import compiler_options, rewrite
from tests.thorough import thorough_but

IMAGES = np.random.default_rng(1).random((96, 8, 8, 1), dtype=np.float32)
CLASSES = (IMAGES.mean((1, 2, 3)) > np.median(IMAGES.mean((1, 2, 3)))).astype("int32")


def network(policy: str) -> Any:
    """Convolution, pooling, batch normalization and dropout."""
    layers = tf.keras.layers
    return tf.keras.Sequential(
        [
            tf.keras.Input((8, 8, 1)),
            layers.Conv2D(8, 3, activation="relu", dtype=policy),
            layers.MaxPooling2D(dtype=policy),
            layers.BatchNormalization(dtype=policy),
            layers.Flatten(dtype=policy),
            layers.Dropout(0.1, seed=1, dtype=policy),
            layers.Dense(2, dtype="float32"),
        ]
    )


# Mirrored is the one that goes through a mesh.
@pytest.mark.sampled
@pytest.mark.parametrize("strategy", thorough_but(["Mirrored"], ["default", "OneDevice", "Mirrored"]), indirect=True)
@pytest.mark.parametrize("policy", ["float32", "mixed_bfloat16"])
def test_a_network_learns_in_fit(strategy: Any, policy: str) -> None:
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        model = network(policy)
        loss = tf.keras.losses.SparseCategoricalCrossentropy(from_logits=True)
        model.compile(tf.keras.optimizers.Adam(0.01), loss, metrics=["accuracy"])
    first, *_, last = model.fit(IMAGES, CLASSES, 32, 12, verbose=0).history["loss"]
    assert np.isfinite(last)
    assert last < 0.8 * first


@pytest.mark.parametrize("name", thorough_but(["Adam"], ["Adam", "SGD", "RMSprop", "Adagrad", "AdamW", "Lion"]))
def test_an_optimizer_learns_in_a_loop(name: str) -> None:
    strategy = tf.distribute.MirroredStrategy([tf.config.list_logical_devices()[0].name])
    tf.keras.utils.set_random_seed(3)
    with strategy.scope():
        model = network("float32")
        optimizer = getattr(tf.keras.optimizers, name)(0.01)

    @tf.function
    def train(x: Any, y: Any) -> Any:
        def step(x: Any, y: Any) -> Any:
            with tf.GradientTape() as tape:
                errors = tf.keras.losses.sparse_categorical_crossentropy(y, model(x, training=True), from_logits=True)
                loss = tf.nn.compute_average_loss(errors, global_batch_size=32)
            gradients = tape.gradient(loss, model.trainable_variables)
            optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
            return loss

        return strategy.reduce("SUM", strategy.run(step, args=(x, y)), axis=None)

    data = tf.data.Dataset.from_tensor_slices((IMAGES, CLASSES)).batch(32)
    losses = [float(train(x, y)) for _ in range(12) for x, y in strategy.experimental_distribute_dataset(data)]
    assert np.mean(losses[-3:]) < np.mean(losses[:3])


def pooled(x: Any) -> Any:
    """What is rewritten on CPUs."""
    return jax.lax.reduce_window(x, -np.inf, jax.lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")


def test_rewrites_and_options_of_cpus_are_off_elsewhere(device: jax.Device) -> None:
    traced = jax.make_jaxpr(pooled)(IMAGES)
    for platform in {device.platform, "cpu", "gpu", "tpu"}:
        on = platform == "cpu"
        assert (str(rewrite(traced, platform)) != str(traced)) == on, platform
        assert (compiler_options(platform) is not None) == on, platform


def test_a_data_set_is_made_with_functions_and_random_numbers(strategy: Any) -> None:
    data = tf.data.Dataset.range(10).map(lambda i: tf.cast(i, tf.float32) * 2.0).shuffle(10, seed=1).batch(4)
    values = [
        np.asarray(strategy.experimental_local_results(b)[0]) for b in strategy.experimental_distribute_dataset(data)
    ]
    assert sorted(np.concatenate(values).tolist()) == [2.0 * i for i in range(10)]
    tf.random.set_seed(1)
    first = tf.random.normal((3,)).numpy()
    tf.random.set_seed(1)
    np.testing.assert_array_equal(first, tf.random.normal((3,)).numpy())
