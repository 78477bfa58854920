"""Estimators under strategies: each replica takes a batch, and two replicas are one with the double batch."""

from typing import Any

import jax
import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem.estimator import Estimator, EstimatorSpec, RunConfig
from stratagem.estimator.experimental import make_early_stopping_hook
from tests.tf1.estimator.models import X, Y, by_hand, data, linear, rows, weight


def mirrored(replicas: int = 2) -> Any:
    return tf.distribute.MirroredStrategy(jax.local_devices()[:replicas])


def deep(features: Any, labels: Any, mode: str) -> Any:
    """Layers, batch normalization with its update operations, Adagrad, and a metric."""
    hidden = tf1.layers.dense(features[:, None], 3, activation=tf.nn.tanh, name="hidden")
    y = tf1.layers.dense(hidden, 1, name="output")[:, 0]
    loss = tf1.losses.mean_squared_error(labels, y)
    metrics = {"mse": tf1.metrics.mean_squared_error(labels, y)}
    optimizer = tf1.train.AdagradOptimizer(0.1)
    train_op = optimizer.minimize(loss, global_step=tf1.train.get_global_step())
    return EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def test_two_replicas_train_as_one_with_the_double_batch(tmp_path: Any) -> None:
    one = Estimator(deep, tmp_path / "one", RunConfig(tf_random_seed=3))
    two = Estimator(
        deep, tmp_path / "two", RunConfig(tf_random_seed=3, train_distribute=mirrored(), eval_distribute=mirrored())
    )
    one.train(data(batch=2, repeat=6))
    two.train(data(batch=1, repeat=6))
    assert one.get_variable_names() == two.get_variable_names()
    assert two.get_variable_value("global_step") == one.get_variable_value("global_step") == 12
    for name in one.get_variable_names():
        np.testing.assert_allclose(two.get_variable_value(name), one.get_variable_value(name), rtol=2e-5, err_msg=name)
    found, expected = two.evaluate(data(batch=1)), one.evaluate(data(batch=1))
    assert found == {name: pytest.approx(value, rel=1e-5) for name, value in expected.items()}


def test_the_reported_loss_is_the_mean_over_replicas(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    config = RunConfig(train_distribute=mirrored(), log_step_count_steps=1)
    with caplog.at_level("INFO"):
        Estimator(linear(), tmp_path, config).train(data())
    shown = [float(line.split()[2].rstrip(",")) for line in caplog.messages if line.startswith("loss = ")]
    assert shown == pytest.approx(by_hand(rows(2))[1], rel=1e-5)


def test_a_replica_without_a_batch_counts_for_nothing_in_an_evaluation(tmp_path: Any) -> None:
    estimator = Estimator(deep, tmp_path, RunConfig(tf_random_seed=1, eval_distribute=mirrored()))
    found = estimator.evaluate(lambda: tf.data.Dataset.from_tensor_slices((X[:3], Y[:3])).batch(1))
    expected = Estimator(deep, tmp_path / "one", RunConfig(tf_random_seed=1)).evaluate(
        lambda: tf.data.Dataset.from_tensor_slices((X[:3], Y[:3])).batch(1)
    )
    assert found == {name: pytest.approx(value, rel=1e-5) for name, value in expected.items()}


def test_a_replica_without_a_batch_has_no_loss(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    def three() -> Any:
        return tf.data.Dataset.from_tensor_slices((X[:3], Y[:3])).batch(1)

    strategy = mirrored()
    estimator = Estimator(linear(), tmp_path, RunConfig(train_distribute=strategy, eval_distribute=strategy))
    with caplog.at_level("INFO"):
        estimator.train(three)
    w, (first,) = by_hand(rows(2)[:1])
    last = float((w * X[2] - Y[2]) ** 2)
    assert float(caplog.messages[-1].split()[-1].rstrip(".")) == pytest.approx(last, rel=1e-5)
    assert first > 0
    trained = weight(estimator)  # the gradient is that of the mean over all replicas
    assert trained == pytest.approx(w - 0.1 * float((w * X[2] - Y[2]) * X[2]), rel=1e-5)
    losses = (trained * X[:3] - Y[:3]) ** 2
    assert estimator.evaluate(three)["loss"] == pytest.approx(float(np.mean(losses)), rel=1e-5)


def test_an_input_fn_is_told_its_place(tmp_path: Any) -> None:
    seen: list[Any] = []

    def input_fn(input_context: Any) -> Any:
        seen.append(input_context)
        return data(batch=input_context.get_per_replica_batch_size(4))()

    estimator = Estimator(linear(), tmp_path, RunConfig(train_distribute=mirrored())).train(input_fn)
    assert [(c.num_input_pipelines, c.input_pipeline_id, c.num_replicas_in_sync) for c in seen] == [(1, 0, 2)]
    assert weight(estimator) == pytest.approx(by_hand(rows(4))[0], rel=1e-6)


def test_a_training_goes_on_with_another_number_of_replicas(tmp_path: Any) -> None:
    Estimator(linear(), tmp_path, RunConfig(train_distribute=mirrored())).train(data())
    estimator = Estimator(linear(), tmp_path).train(data(batch=4))
    expected = by_hand(rows(4), by_hand(rows(2))[0])[0]
    assert weight(estimator) == pytest.approx(expected, rel=1e-6)


def test_an_estimator_in_a_scope_is_not_in_it(tmp_path: Any) -> None:
    with mirrored().scope():
        estimator = Estimator(linear(), tmp_path).train(data())
        found = estimator.evaluate(data())
        predicted = [row["x"] for row in estimator.predict(data()) if tf.distribute.has_strategy()]
    assert weight(estimator) == pytest.approx(by_hand(rows())[0], rel=1e-6)
    assert found == estimator.evaluate(data())
    np.testing.assert_allclose(predicted, X)


def test_hooks_of_a_model_are_told_the_first_replicas_tensors(tmp_path: Any) -> None:
    class Asks(tf1.train.SessionRunHook):  # type: ignore[misc]
        def __init__(self, tensor: Any) -> None:
            self.tensor, self.seen = tensor, []  # type: ignore[var-annotated]
            made.append(self)

        def before_run(self, run_context: Any) -> Any:
            return tf1.train.SessionRunArgs(self.tensor)

        def after_run(self, run_context: Any, run_values: Any) -> None:
            self.seen.append(run_values.results)

    made: list[Any] = []
    model_fn = linear(lambda features, **_: {"training_hooks": [Asks(features)]})
    Estimator(model_fn, tmp_path, RunConfig(train_distribute=mirrored())).train(data())
    np.testing.assert_allclose(made[0].seen, [[X[0]], [X[2]]])


def test_early_stopping_with_seconds_is_for_one_worker(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path, RunConfig(train_distribute=mirrored()))
    estimator.train(data(repeat=None), [make_early_stopping_hook(estimator, lambda: True, run_every_secs=1)])
    assert estimator.get_variable_value("global_step") == 1
