"""A `train_step` of Keras 2, with `compiled_loss` and `compiled_metrics`, under `fit`: TensorFlow 2.15.1's history."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.keras.facade import mirrored

X = np.arange(12, dtype="float32").reshape(4, 3) / 10
Y = np.ones((4, 1), "float32")
WEIGHTS = np.array([1.0, 2.0, 1.0, 0.5], "float32")
# Of two epochs of two batches, and of an evaluation; recorded from TensorFlow 2.15.1.
PLAIN = ({"loss": [1.4716592, 1.3257822], "mae": [1.0021676, 0.9473019]}, [1.1916139, 0.8930123])
WEIGHTED = ({"loss": [0.9752595, 0.9091212], "mae": [1.0001274, 0.9634367]}, [1.2744167, 0.9273226])


class Model(tf.keras.Model):  # type: ignore[misc]
    def train_step(self, data: Any) -> Any:
        x, y, weights = tf.keras.utils.unpack_x_y_sample_weight(data)
        with tf.GradientTape() as tape:
            y_pred = self(x, training=True)
            loss = self.compiled_loss(y, y_pred, sample_weight=weights, regularization_losses=self.losses)
        self.optimizer.minimize(loss, self.trainable_variables, tape=tape)
        self.compiled_metrics.update_state(y, y_pred, weights)
        return {m.name: m.result() for m in self.metrics}

    def test_step(self, data: Any) -> Any:
        x, y, _ = tf.keras.utils.unpack_x_y_sample_weight(data)
        y_pred = self(x, training=False)
        self.compiled_loss(y, y_pred, regularization_losses=self.losses)
        self.compiled_metrics.update_state(y, y_pred)
        return {m.name: m.result() for m in self.metrics}


def compiled() -> Any:
    inputs = tf.keras.Input((3,))
    dense = tf.keras.layers.Dense(1, kernel_initializer="ones", kernel_regularizer="l2")
    model = Model(inputs, dense(inputs))
    assert model.compiled_loss is None
    model.compile("sgd", "mse", metrics=["mae"])
    return model


@pytest.mark.sampled
@pytest.mark.parametrize("replicas", [0, 2])
@pytest.mark.parametrize(("weights", "recorded"), [(None, PLAIN), (WEIGHTS, WEIGHTED)], ids=["plain", "weighted"])
def test_a_train_step_of_keras_2_reports_what_tensorflow_does(weights: Any, recorded: Any, replicas: int) -> None:
    strategy = mirrored(replicas) if replicas else tf.distribute.get_strategy()
    with strategy.scope():
        model = compiled()
    wanted, evaluated = recorded
    found = model.fit(X, Y, sample_weight=weights, batch_size=2, epochs=2, shuffle=False, verbose=0).history
    assert found.keys() == wanted.keys()
    for name, values in wanted.items():
        assert found[name] == pytest.approx(values, rel=1e-6), name
    assert model.evaluate(X, Y, verbose=0) == pytest.approx(evaluated, rel=1e-6)
    assert [m.name for m in model.compiled_loss.metrics] == ["loss"]
    model.compiled_loss.reset_state()
    assert float(model.compiled_loss.metrics[0].result()) == 0.0


def test_a_model_may_call_its_own_attributes_so() -> None:
    class Own(tf.keras.Model):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.compiled_loss = tf.keras.losses.MeanSquaredError()

    model = Own()
    model.compile("sgd", "mae")
    assert float(model.compiled_loss([[1.0]], [[3.0]])) == 4.0


# What TensorFlow 2.15.1 evaluates of two outputs; the squares of the second are its loss.
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("metrics", "wanted"),
    [
        ("mae", {"a_mae": 1.0, "b_mae": 2.0}),
        (["mae"], {"a_mae": 1.0, "b_mae": 2.0}),
        (["mae", "mse"], {"a_mae": 1.0, "a_mse": 1.435, "b_mae": 2.0, "b_mse": 4.0}),
        ([["mae"], ["mse"]], {"a_mae": 1.0, "b_mse": 4.0}),
        (["mae", ["mse"]], {"a_mae": 1.0, "b_mse": 4.0}),
        ({"a": "mae"}, {"a_mae": 1.0}),
        (
            ["mae", tf.keras.metrics.MeanSquaredError("squares")],
            {"a_mae": 1.0, "a_squares": 1.435, "b_mae": 2.0, "b_squares": 4.0},
        ),
    ],
    ids=str,
)
def test_a_list_of_metrics_is_of_every_output_as_in_tensorflow(metrics: Any, wanted: dict[str, float]) -> None:
    given = tf.keras.Input((3,))
    outputs = [
        tf.keras.layers.Dense(1, kernel_initializer=kind, name=name)(given)
        for name, kind in (("a", "ones"), ("b", "zeros"))
    ]
    model = tf.keras.Model(given, outputs)
    model.compile("sgd", "mse", metrics=metrics)
    found = model.evaluate(X, [Y, 2 * Y], verbose=0, return_dict=True)
    assert found == pytest.approx({"loss": 5.435, "a_loss": 1.435, "b_loss": 4.0, **wanted})
