"""Methods that Keras calls may decide on tensors, in classes that users derive from its own; functions of datasets, too."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.testing import STRATEGIES

X = np.random.default_rng(0).normal(size=(22, 3)).astype(np.float32)
Y = X.sum(1, keepdims=True)


class Folding(tf.keras.layers.Layer):
    """A layer that turns the sign of its input where the sum is negative."""

    def call(self, x: Any) -> Any:
        return x if tf.reduce_sum(x) > 0.0 else -x


class Largest(tf.keras.metrics.Metric):
    """The largest value so far."""

    def __init__(self) -> None:
        super().__init__(name="largest")
        self.best = self.add_weight(name="best", initializer="zeros")

    def update_state(self, y_true: Any, y_pred: Any, sample_weight: Any = None) -> None:
        found = tf.reduce_max(tf.abs(y_true))
        if found > self.best:
            self.best.assign(found)

    def result(self) -> Any:
        return self.best


class Capped(tf.keras.losses.Loss):
    """A squared error that grows no more above a limit."""

    def call(self, y_true: Any, y_pred: Any) -> Any:
        error = tf.reduce_mean(tf.square(y_true - y_pred), axis=-1)
        return error if tf.reduce_max(error) < 1e6 else error * 0.0


class Skipping(tf.keras.Model):
    """A model whose own step skips an update that is too large."""

    def __init__(self) -> None:
        super().__init__()
        self.folding, self.dense = Folding(), tf.keras.layers.Dense(1, kernel_initializer="zeros")

    def call(self, x: Any) -> Any:
        return self.dense(self.folding(x))

    def train_step(self, data: Any) -> Any:
        x, y = data
        with tf.GradientTape() as tape:
            loss = self.compute_loss(x, y, self(x))
        gradients = tape.gradient(loss, self.trainable_variables)
        scale = 1.0
        if tf.linalg.global_norm(gradients) > 1e3:
            scale = 0.0
        self.optimizer.apply_gradients(zip([g * scale for g in gradients], self.trainable_variables, strict=True))
        for metric in self.metrics:
            if metric.name == "loss":
                metric.update_state(loss)
            else:
                metric.update_state(y, y)
        return {metric.name: metric.result() for metric in self.metrics}


def test_tensors_decide_in_methods_that_keras_calls() -> None:
    model = Skipping()
    model.compile("sgd", Capped(), metrics=[Largest()])
    history = model.fit(X, Y, batch_size=22, epochs=3, verbose=0).history
    assert history["largest"] == pytest.approx([float(np.abs(Y).max())] * 3, rel=1e-6)
    assert history["loss"][-1] < history["loss"][0]
    folded = X if X.sum() > 0 else -X
    np.testing.assert_allclose(model.folding(X), folded)
    np.testing.assert_allclose(tf.function(model.folding)(tf.constant(-X)), folded)


@pytest.mark.sampled
@pytest.mark.parametrize("strategy", ["one device", "mirrored 2"])
def test_under_a_strategy_they_do_so_too(strategy: str) -> None:
    with STRATEGIES[strategy]().scope():
        model = Skipping()
        model.compile("sgd", Capped())
    model.fit(np.abs(X), Y, batch_size=11, epochs=2, shuffle=False, verbose=0)  # 6 and 5 rows a replica
    single = Skipping()
    single.compile("sgd", Capped())
    single.fit(np.abs(X), Y, batch_size=11, epochs=2, shuffle=False, verbose=0)
    for mine, other in zip(model.get_weights(), single.get_weights(), strict=True):
        np.testing.assert_allclose(mine, other, rtol=1e-5)


def test_a_layer_keeps_its_signature_and_its_base_class() -> None:
    class Scaled(Folding):
        def call(self, x: Any, factor: float = 2.0) -> Any:
            if factor > 1.0:
                return super().call(x) * factor
            return super().call(x)

    x = tf.constant([1.0, -3.0])
    assert np.asarray(Scaled()(x, factor=3.0)).tolist() == [-3.0, 9.0]
    assert np.asarray(tf.function(Scaled())(x)).tolist() == [-2.0, 6.0]


def test_functions_of_datasets_are_compiled_with_their_decisions(caplog: pytest.LogCaptureFixture) -> None:
    def collatz(n: Any) -> Any:
        steps = 0
        while n > 1:
            n = n // 2 if n % 2 == 0 else 3 * n + 1
            steps += 1
        return steps

    data = tf.data.Dataset.range(1, 8).filter(lambda n: n > 2 and n != 5).map(collatz)
    assert [int(v) for v in data] == [7, 2, 8, 16]
    assert "runs as Python" not in caplog.text
