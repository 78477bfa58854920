"""The number of replicas changes nothing: the same weights after 50 steps on the same global batches."""

import numpy as np
import pytest

import stratagem as tf
from tests.parity.batches import OPTIMIZERS, Case
from tests.parity.training import distance, floatx, train
from tests.thorough import thorough_but

REPLICAS = (2, 4, 8)
# What a sum in another order may change where gradients are used as they are.
SMALL = {"sgd", "momentum", "adagrad"}


@pytest.mark.parametrize("replicas", thorough_but([4], REPLICAS))
@pytest.mark.parametrize("optimizer", thorough_but(["sgd"], OPTIMIZERS))
def test_in_float64_to_the_last_digits(optimizer: str, replicas: int) -> None:
    one, losses = train(Case("mlp", optimizer, 1, "float64"))
    many, their_losses = train(Case("mlp", optimizer, replicas, "float64"))
    assert one[0].dtype == many[0].dtype == np.float64
    assert distance(many, one) <= 1e-9
    assert distance([their_losses], [losses]) <= 1e-9


@pytest.mark.parametrize("replicas", thorough_but([4], REPLICAS))
@pytest.mark.parametrize("optimizer", thorough_but(["adam"], OPTIMIZERS))
def test_in_float32_as_far_as_the_order_of_a_sum_can_tell(optimizer: str, replicas: int) -> None:
    one, _ = train(Case("mlp", optimizer, 1, "float32"))
    many, _ = train(Case("mlp", optimizer, replicas, "float32"))
    if optimizer in SMALL:
        allowed = 1e-4
    else:
        # Adam and RMSprop divide by the size of the gradient and so enlarge what rounding does to tiny ones. How much is
        # measured on one device: the whole batch at once against the same rows in parts.
        in_parts, _ = train(Case("mlp", optimizer, 1, "float32"), parts=replicas)
        allowed = 2 * distance(in_parts, one)
    assert distance(many, one) <= allowed


@pytest.mark.thorough
def test_a_convolution_and_a_pool_on_eight_replicas() -> None:
    one, _ = train(Case("cnn", "adam", 1, "float64"))
    many, _ = train(Case("cnn", "adam", 8, "float64"))
    assert distance(many, one) <= 1e-9


def test_float64_is_float64_all_the_way() -> None:
    """Numbers that float32 cannot hold: hyperparameters, constants, means, statistics."""
    with floatx("float64"):
        optimizer = tf.keras.optimizers.Adam(learning_rate=0.1, beta_1=0.9, beta_2=0.999, epsilon=1e-7)
        v, layer = tf.Variable(np.float64(0.3)), tf.keras.layers.BatchNormalization(momentum=0.9, epsilon=1e-3)
        loss = tf.keras.losses.MeanSquaredError(reduction="sum")
        x = np.array([[0.1], [0.4]])

        @tf.function
        def step() -> tuple[object, object, object]:
            with tf.GradientTape() as tape:
                y = v * v * 0.7
            optimizer.apply_gradients([(tape.gradient(y, v), v)])
            return (
                layer(tf.constant(x), training=True),
                loss(tf.constant(x), tf.constant(x) + 0.1),
                tf.constant(0.1, tf.float64),
            )

        normalized, error, constant = (np.asarray(value) for value in step())
    gradient = 2 * 0.7 * 0.3
    m, s = 0.1 * gradient, 0.001 * gradient**2
    alpha = 0.1 * np.sqrt(1 - 0.999) / (1 - 0.9)
    assert abs(v.numpy() - (0.3 - m * alpha / (np.sqrt(s) + 1e-7))) < 1e-15
    assert np.max(np.abs(normalized - (x - 0.25) / np.sqrt(0.15**2 + 1e-3))) < 1e-14
    assert abs(error - 0.02) < 1e-16
    assert constant == 0.1
    assert abs(layer.moving_mean.numpy()[0] - 0.025) < 1e-16
