"""add_metrics, and Estimators of Keras models."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.compat import v1 as tf1
from tests.tf1.estimator.clusters import FEATURES, LABELS, model_fn, rows

E = tf1.estimator


def test_added_metrics_are_evaluated_beside_the_models_own(tmp_path: Path) -> None:
    def predicting(features: Any, labels: Any, mode: str) -> Any:
        metrics = {"own": tf1.metrics.mean(labels), "taken": tf1.metrics.mean(labels)}
        return model_fn(features, labels, mode)._replace(predictions={"sum": labels}, eval_metric_ops=metrics)

    def metric_fn(labels: Any, predictions: Any) -> dict[str, Any]:
        largest = tf.keras.metrics.Mean()
        largest.update_state(tf.reduce_max(labels))
        return {"taken": tf1.metrics.mean(2.0 * predictions["sum"]), "largest": largest}

    before = E.Estimator(predicting, tmp_path)
    before.train(rows())
    after = E.add_metrics(before, metric_fn)
    found = after.evaluate(rows())
    assert after.model_dir == before.model_dir
    assert before.evaluate(rows()).keys() == {"own", "taken", "loss", "global_step"}
    assert found["own"] == pytest.approx(0.5)
    assert found["taken"] == pytest.approx(1.0)
    assert found["largest"] == pytest.approx(0.5)
    assert found["global_step"] == 3


def test_a_function_of_metrics_with_other_arguments_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="not expected args"):
        E.add_metrics(E.Estimator(model_fn, tmp_path), lambda mode: {})
    with pytest.raises(TypeError, match="estimator must be"):
        E.add_metrics(1, lambda labels: {})


def compiled() -> Any:
    """A Keras model."""
    layers = [tf.keras.layers.Dense(4, "tanh"), tf.keras.layers.Dense(1)]
    model = tf.keras.Sequential([tf.keras.Input((2,)), *layers])
    model.compile(tf.keras.optimizers.SGD(0.1, momentum=0.9), "mse", metrics=["mae"])
    return model


def test_a_keras_model_trains_as_an_estimator_from_its_own_weights(tmp_path: Path) -> None:
    tf.keras.utils.set_random_seed(1)  # other weights may begin with a loss that training hardly changes
    model = compiled()
    before = model.get_weights()
    estimator = tf.keras.estimator.model_to_estimator(model, model_dir=tmp_path)
    first = estimator.evaluate(rows())
    estimator.train(rows(2))
    found = estimator.evaluate(rows())
    for old, new in zip(before, model.get_weights(), strict=True):
        np.testing.assert_array_equal(old, new)
    model.fit(tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).repeat(2).batch(1), shuffle=False, verbose=0)
    data = tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).batch(1)
    expected = model.evaluate(data, return_dict=True, verbose=0)
    assert found.keys() == {"mae", "loss", "global_step"}
    assert found["loss"] == pytest.approx(expected["loss"], rel=1e-5)
    assert found["mae"] == pytest.approx(expected["mae"], rel=1e-5)
    assert abs(found["loss"] - first["loss"]) > 1e-3
    (predictions,) = {key for row in estimator.predict(rows()) for key in row}
    np.testing.assert_allclose(
        [row[predictions] for row in estimator.predict(rows())], model.predict(np.array(FEATURES), verbose=0), rtol=1e-5
    )


def test_a_keras_model_trains_on_two_replicas(tmp_path: Path) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    config = E.RunConfig(tmp_path, train_distribute=strategy)
    estimator = tf1.keras.estimator.model_to_estimator(compiled(), config=config, metric_names_map={"mae": "error"})
    found, _ = E.train_and_evaluate(estimator, E.TrainSpec(rows(4)), E.EvalSpec(rows()))
    assert found.keys() == {"error", "loss", "global_step"}
    assert found["global_step"] == 6


def test_models_that_cannot_be_estimators_are_refused() -> None:
    make = tf.keras.estimator.model_to_estimator
    with pytest.raises(ValueError, match="Either `keras_model` or"):
        make()
    with pytest.raises(ValueError, match="has not been compiled yet"):
        make(tf.keras.Sequential([tf.keras.layers.Dense(1)]))


def test_a_keras_optimizers_loss_scale_scales_the_loss_too(tmp_path: Path) -> None:
    def trained(scale: float | None, folder: str) -> Any:
        layer = tf.keras.layers.Dense(1, kernel_initializer="ones", name="only")
        model = tf.keras.Sequential([tf.keras.Input((2,)), layer])
        model.compile(tf.keras.optimizers.SGD(0.1, loss_scale_factor=scale), "mse")
        return tf.keras.estimator.model_to_estimator(model, model_dir=tmp_path / folder).train(rows())

    plain, scaled = trained(None, "plain"), trained(8.0, "scaled")
    for name in ("only/kernel", "only/bias"):
        np.testing.assert_allclose(scaled.get_variable_value(name), plain.get_variable_value(name), rtol=1e-5)


def test_a_keras_model_of_mixed_precision_trains(tmp_path: Path) -> None:
    layer = tf.keras.layers.Dense(1, kernel_initializer="ones", dtype="mixed_float16", name="only")
    model = tf.keras.Sequential([tf.keras.Input((2,)), layer])
    model.compile(tf.keras.optimizers.LossScaleOptimizer(tf.keras.optimizers.SGD(0.01), initial_scale=64.0), "mse")
    estimator = tf.keras.estimator.model_to_estimator(model, model_dir=tmp_path).train(rows())
    model.fit(tf.data.Dataset.from_tensor_slices((FEATURES, LABELS)).batch(1), shuffle=False, verbose=0)
    expected = np.asarray(model.get_weights()[0])
    assert np.abs(expected - 1).min() > 1e-2
    np.testing.assert_allclose(estimator.get_variable_value("only/kernel"), expected, rtol=1e-3)


@tf.keras.utils.register_keras_serializable("tests")
class Older(tf.keras.Model):
    """As models were written before Keras 3.3: neither method knows of training."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__(**kwargs)
        self.dense = tf.keras.layers.Dense(1, kernel_initializer="ones")

    def call(self, inputs: Any) -> Any:
        return self.dense(inputs)

    def compute_loss(self, x: Any = None, y: Any = None, y_pred: Any = None, sample_weight: Any = None) -> Any:
        return tf.reduce_mean(tf.abs(y - y_pred))

    def get_config(self) -> dict[str, Any]:
        return {}


def test_a_keras_model_whose_methods_do_not_know_of_training_trains(tmp_path: Path) -> None:
    model = Older()
    model.compile("sgd")
    model(np.array(FEATURES, np.float32))
    estimator = tf.keras.estimator.model_to_estimator(model, model_dir=tmp_path)
    before = np.mean(np.abs(np.sum(FEATURES, 1, keepdims=True) - LABELS))
    assert estimator.evaluate(rows())["loss"] == pytest.approx(before, rel=1e-5)
    estimator.train(rows())
    assert estimator.evaluate(rows())["loss"] < before


def test_metrics_of_several_outputs_have_the_names_of_keras(tmp_path: Path) -> None:
    x = tf.keras.Input((2,))
    outputs = {
        name: tf.keras.layers.Dense(1, kernel_initializer=value)(x) for name, value in (("a", "ones"), ("b", "zeros"))
    }
    model = tf.keras.Model(x, outputs)
    metrics = {"a": ["mae"], "b": ["mae", "mse"]}
    model.compile("sgd", {"a": "mse", "b": "mse"}, metrics=metrics, weighted_metrics={"a": ["mae"], "b": []})
    labels = {"a": LABELS, "b": LABELS}
    expected = model.evaluate(
        tf.data.Dataset.from_tensor_slices((FEATURES, labels)).batch(1), return_dict=True, verbose=0
    )
    estimator = tf.keras.estimator.model_to_estimator(model, model_dir=tmp_path)
    found = estimator.evaluate(lambda: tf.data.Dataset.from_tensor_slices((FEATURES, labels)).batch(1))
    assert {"a_mae", "b_mae", "b_mse"} < found.keys()
    assert found.keys() == {*expected, "global_step"}
    assert found == pytest.approx({**expected, "global_step": 0}, rel=1e-5)
