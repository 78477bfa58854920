"""A program trains on one device of any kind as it does on paper: in a loop of its own and in `fit`, uneven ends included.

The model is linear and in float64, so that NumPy says what every number has to be, however a device rounds.
"""

from pathlib import Path
from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf

# The last batch has two rows. What Keras keeps in float32, the learning rate say, is exact there.
ROWS, BATCH, RATE, EPOCHS = 22, 4, 0.0625, 3
X = np.random.default_rng(0).integers(-16, 17, (ROWS, 5)) / 8.0
Y = X @ np.arange(1.0, 6.0)[:, None] + 0.5
TOLERANCE, IN_FIT = 1e-10, 1e-6  # Keras computes the loss of `fit` in float32, whatever the model's type


def on_paper(epochs: int = EPOCHS) -> tuple[np.ndarray, np.ndarray, list[float]]:
    """Kernel, bias and the mean loss of every epoch's examples, by SGD on the mean of squares."""
    kernel, bias, losses = np.zeros((5, 1)), np.zeros(1), []
    for _ in range(epochs):
        total = 0.0
        for begin in range(0, ROWS, BATCH):
            x, y = X[begin : begin + BATCH], Y[begin : begin + BATCH]
            error = x @ kernel + bias - y
            total += float((error**2).sum())
            kernel, bias = kernel - RATE * 2 * x.T @ error / len(x), bias - RATE * 2 * error.mean(0)
        losses.append(total / ROWS)
    return kernel, bias, losses


def dense() -> Any:
    return tf.keras.layers.Dense(1, kernel_initializer="zeros", dtype="float64")


def examples() -> tf.data.Dataset:
    return tf.data.Dataset.from_tensor_slices((X, Y)).batch(BATCH)


def loop(strategy: Any) -> tuple[Any, Any, Any]:
    """Model, optimizer and what trains an epoch and returns the mean loss of its examples."""
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((5,), dtype="float64"), dense()])
        optimizer = tf.keras.optimizers.SGD(RATE)
        seen = tf.keras.metrics.Mean(dtype="float64")

    def step(x: Any, y: Any) -> Any:
        with tf.GradientTape() as tape:
            errors = tf.reduce_sum(tf.square(model(x) - y), axis=1)
            loss = tf.reduce_mean(errors)
        gradients = tape.gradient(loss, model.trainable_variables)
        optimizer.apply_gradients(zip(gradients, model.trainable_variables, strict=True))
        seen.update_state(errors)
        return loss

    @tf.function
    def train(batch: Any) -> Any:
        return strategy.run(step, args=batch)

    def epoch() -> float:
        seen.reset_state()
        for batch in strategy.experimental_distribute_dataset(examples()):
            train(batch)
        return float(seen.result())

    return model, optimizer, epoch


def weights_are(model: Any, epochs: int = EPOCHS, tolerance: float = TOLERANCE) -> None:
    for found, wanted in zip(model.get_weights(), on_paper(epochs)[:2], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=tolerance)


def test_a_loop_gives_what_paper_does(strategy: Any) -> None:
    model, optimizer, epoch = loop(strategy)
    np.testing.assert_allclose([epoch() for _ in range(EPOCHS)], on_paper()[2], rtol=0, atol=TOLERANCE)
    weights_are(model)
    assert int(optimizer.iterations.numpy()) == EPOCHS * -(-ROWS // BATCH)


@pytest.mark.sampled
@pytest.mark.parametrize("steps", [pytest.param(1, marks=pytest.mark.thorough), 2])  # two have a step alone at the end
def test_fit_gives_what_paper_does(strategy: Any, steps: int) -> None:
    with strategy.scope():
        model = tf.keras.Sequential([tf.keras.Input((5,), dtype="float64"), dense()])
        model.compile(tf.keras.optimizers.SGD(RATE), "mse", steps_per_execution=steps)
    history = model.fit(X, Y, BATCH, EPOCHS, shuffle=False, verbose=0).history
    np.testing.assert_allclose(history["loss"], on_paper()[2], rtol=IN_FIT)
    weights_are(model, tolerance=IN_FIT)
    kernel, bias, _ = on_paper()
    np.testing.assert_allclose(model.predict(X, BATCH, verbose=0), X @ kernel + bias, rtol=0, atol=1e-5)
    expected = float(np.mean((X @ kernel + bias - Y) ** 2))
    assert model.evaluate(X, Y, BATCH, verbose=0) == pytest.approx(expected, rel=1e-5)


def test_variables_are_read_and_assigned_between_steps(strategy: Any) -> None:
    """What a step was given is donated to it; what is read outside has to outlive the next one."""
    model, _, epoch = loop(strategy)
    kernel, bias = model.trainable_variables
    epoch()
    before, twice, copy = kernel.numpy(), kernel * 2.0, tf.identity(bias)
    bias_before = bias.numpy()
    kernel.assign(kernel * 1.0)
    epoch()
    np.testing.assert_array_equal(np.asarray(twice), 2.0 * before)
    np.testing.assert_array_equal(np.asarray(copy), bias_before)
    assert not np.array_equal(kernel.numpy(), before)
    weights_are(model, 2)
    with strategy.scope():
        count = tf.Variable(1, dtype=tf.int64)
    count.assign_add(2)
    assert int(count.numpy()) == 3


@pytest.mark.sampled
def test_a_checkpoint_is_restored_and_training_goes_on(strategy: Any, tmp_path: Path) -> None:
    model, optimizer, epoch = loop(strategy)
    epoch()
    path = tf.train.Checkpoint(model=model, optimizer=optimizer).save(str(tmp_path / "ckpt"))
    again, restored, go_on = loop(strategy)
    tf.train.Checkpoint(model=again, optimizer=restored).restore(path).assert_consumed()
    go_on(), go_on()
    weights_are(again)
    assert int(restored.iterations.numpy()) == EPOCHS * -(-ROWS // BATCH)
    again.save(tmp_path / "model.keras")
    loaded = tf.keras.models.load_model(tmp_path / "model.keras")
    for one, other in zip(loaded.get_weights(), again.get_weights(), strict=True):
        np.testing.assert_array_equal(one, other)


def test_variables_batches_and_results_are_on_the_device(strategy: Any, device: jax.Device) -> None:
    model, optimizer, epoch = loop(strategy)
    epoch()
    for variable in (*model.variables, *optimizer.variables):
        assert variable.value.devices() == {device}, variable.name
    (x, y), *_ = strategy.experimental_distribute_dataset(examples())
    assert x.devices() == y.devices() == {device}
    result = strategy.run(tf.function(lambda x: x + 1.0), args=(x,))
    assert result.devices() == {device}
