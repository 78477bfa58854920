"""Layers with the methods of Keras 2: `add_weight` with the name first, `add_metric`."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from tests.keras.facade import mirrored

layers = tf.keras.layers


class Named(layers.Layer):  # type: ignore[misc]
    def build(self, input_shape: Any) -> None:
        self.a = self.add_weight("a", shape=(input_shape[-1],), initializer="ones")
        self.b = self.add_weight("b", (2,), tf.float32, "zeros", trainable=None, use_resource=True)
        self.c = self.add_weight("c", trainable=False, aggregation=tf.VariableAggregation.MEAN)
        self.d = self.add_weight(name="d", shape=(), synchronization=tf.VariableSynchronization.ON_READ)
        self.e = self.add_weight(shape=(3,), name="e")

    def call(self, x: Any) -> Any:
        return x * self.a


class Total(tf.keras.metrics.Metric):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__(name="total")
        self.total = self.add_weight("sum", initializer="zeros", aggregation=tf.VariableAggregation.SUM)

    def update_state(self, values: Any) -> None:
        self.total.assign_add(tf.reduce_sum(values))

    def result(self) -> Any:
        return self.total


def test_weights_are_added_as_in_keras_2() -> None:
    layer = Named()
    layer(np.ones((2, 3), "float32"))
    found = {w.name: (tuple(w.shape), w.trainable) for w in layer.weights}
    assert found == {"a": ((3,), True), "b": ((2,), True), "c": ((), False), "d": ((), False), "e": ((3,), True)}
    assert layer.a.numpy().tolist() == [1.0, 1.0, 1.0]
    total = Total()
    total.update_state([1.0, 2.0])
    assert float(total.result()) == 3.0
    with pytest.raises(ValueError, match="only for non-trainable"):
        layer.add_weight("f", trainable=True, synchronization=tf.VariableSynchronization.ON_READ)
    with pytest.raises(TypeError, match="given twice: \\['name'\\]"):
        layer.add_weight("f", name="g")


class Counting(layers.Layer):  # type: ignore[misc]
    def call(self, x: Any) -> Any:
        self.add_metric(tf.reduce_sum(x), name="sum", aggregation="mean")
        return x


class Model(tf.keras.Model):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.dense, self.counting = layers.Dense(1, kernel_initializer="ones"), Counting()

    def call(self, x: Any) -> Any:
        y = self.dense(self.counting(x))
        self.add_metric(tf.reduce_mean(y), name="mean")
        return y


@pytest.mark.parametrize("replicas", [0, 2])
def test_a_metric_that_a_call_adds_is_reported_as_in_tensorflow(replicas: int) -> None:
    """TensorFlow 2.15.1: loss 1.4425013, 1.2997077; mean 1.6524225, 1.5806336; sum 3.3 a batch, on two replicas the half."""
    strategy = mirrored(replicas) if replicas else tf.distribute.get_strategy()
    x, y = np.arange(12, dtype="float32").reshape(4, 3) / 10, np.ones((4, 1), "float32")
    with strategy.scope():
        model = Model()
        model.compile("sgd", "mse")
    history = model.fit(x, y, verbose=0, batch_size=2, epochs=2, shuffle=False).history
    assert history["loss"] == pytest.approx([1.4425013, 1.2997077], rel=1e-6)
    assert history["mean"] == pytest.approx([1.6524225, 1.5806336], rel=1e-6)
    assert history["sum"] == pytest.approx([3.3 / max(replicas, 1)] * 2, rel=1e-6)


class Measuring(layers.Layer):  # type: ignore[misc]
    def __init__(self) -> None:
        super().__init__()
        self.act, self.total = tf.keras.metrics.Mean(name="act"), tf.keras.metrics.Sum(name="total")

    def call(self, x: Any) -> Any:
        self.act.update_state(x)
        self.total.update_state(x)
        return x


@pytest.mark.sampled
@pytest.mark.parametrize("replicas", [0, 2])
@pytest.mark.parametrize("built", [False, True])
def test_a_metric_of_a_layer_that_its_call_updates_is_reported_as_in_tensorflow(replicas: int, *, built: bool) -> None:
    """The values are those of TensorFlow 2.15.1."""
    strategy = mirrored(replicas) if replicas else tf.distribute.get_strategy()
    x, y = np.arange(64, dtype="float32").reshape(16, 4) / 10, np.ones((16, 1), "float32")
    with strategy.scope():
        inputs = [tf.keras.Input((4,))] if built else []
        model = tf.keras.Sequential([*inputs, Measuring(), layers.Dense(1, kernel_initializer="zeros")])
        model.compile(tf.keras.optimizers.SGD(0.001), "mse")
    found = model.fit(x, y, verbose=0, batch_size=6, shuffle=False, validation_data=(x[:10], y[:10])).history
    assert found["loss"] == pytest.approx([0.8816], rel=1e-4)
    assert found["act"] == pytest.approx([3.15], rel=1e-6)
    assert found["total"] == pytest.approx([201.6], rel=1e-6)
    assert found["val_total"] == pytest.approx([78.0], rel=1e-6)
    model.predict(x, verbose=0)
    assert float(model.layers[0].total.result()) == pytest.approx(279.6, rel=1e-6)


def test_a_metric_without_a_name_is_an_error() -> None:
    layer = layers.Dense(1)
    with pytest.raises(ValueError, match="Please provide a name for your metric"):
        layer.add_metric(1.0)
    with pytest.raises(TypeError, match="Unknown keyword arguments: \\['reduction'\\]"):
        layer.add_metric(1.0, name="m", reduction="sum")


@pytest.mark.parametrize("wrong", [-1, 3])
def test_an_embedding_refuses_ids_that_it_does_not_have(wrong: int) -> None:
    """In a compiled step they give NaN, on a machine of any kind (TensorFlow: an error on CPUs, zeros on GPUs)."""
    layer = layers.Embedding(3, 2)
    with pytest.raises(tf.errors.InvalidArgumentError, match=rf"the id {wrong} is not in \[0, 3\)"):
        layer(tf.constant([[0, wrong]]))
    found = tf.function(layer)(tf.constant([[0, wrong]])).numpy()
    assert np.isfinite(found[0, 0]).all()
    assert np.isnan(found[0, 1]).all()
    assert layer(np.array([0.9, 2.2])).shape == layer(np.array([0, 2], np.uint8)).shape == (2, 2)
