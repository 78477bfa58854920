"""Estimator.evaluate: the loss over batches, metrics after all updates, and what it leaves alone."""

import functools
import logging
import re
from collections import OrderedDict
from typing import Any

import numpy as np
import pytest
from jax._src import compiler

import stratagem as tf
import stratagem.compat.v1 as tf1

# Private: a program that was compiled before is not compiled again, by a hook in JAX's compiler.
from stratagem._private import _executable_cache
from stratagem.estimator import Estimator, EstimatorSpec, RunConfig
from tests.tf1.estimator.models import X, Y, by_hand, data, linear, rows, weight


def test_the_loss_is_the_mean_over_batches_not_over_rows(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path)
    estimator.train(data())
    w = weight(estimator)
    found = estimator.evaluate(data(batch=3))
    batches = [np.mean((w * x - y) ** 2) for x, y in rows(3)]
    assert len(batches) == 2
    assert found["loss"] == pytest.approx(np.mean(batches), rel=1e-5)
    assert found["global_step"] == 4
    assert isinstance(found["loss"], np.float32)
    assert isinstance(found["global_step"], np.int64)


def test_an_evaluation_changes_nothing(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path)
    estimator.train(data())
    assert estimator.evaluate(data()) == estimator.evaluate(data())
    assert weight(estimator) == pytest.approx(by_hand(rows())[0], rel=1e-6)


def test_what_was_compiled_for_one_training_and_evaluation_serves_the_next(
    tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    hook = compiler.compile_or_get_cached
    compiled, compile_ = [], hook.args[0]

    def noticed(backend: Any, computation: Any, *others: Any) -> Any:
        compiled.append(str(computation.operation.attributes["sym_name"]))
        return compile_(backend, computation, *others)

    monkeypatch.setattr(compiler, "compile_or_get_cached", functools.partial(hook.func, noticed))
    monkeypatch.setattr(_executable_cache, "_known", OrderedDict())
    for model_dir in ("one", "two"):
        estimator = Estimator(linear(), tmp_path / model_dir)
        for _ in range(2):
            estimator.train(data())
            estimator.evaluate(data())
        if model_dir == "one":
            assert compiled.count('"jit_replica"') == 2
            compiled.clear()
    assert compiled == []


def test_a_model_that_was_not_trained_has_its_first_values(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        found = Estimator(linear(), tmp_path).evaluate(data(), steps=2)
    assert found == {"global_step": 0, "loss": pytest.approx(np.mean([0.25, 0.0]))}
    assert (
        f"Could not find trained model in model_dir: {tmp_path}, running initialization to evaluate." in caplog.messages
    )
    assert not list(tmp_path.glob("model.ckpt*"))


def test_a_given_checkpoint_is_evaluated(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path)
    estimator.train(data())
    found = estimator.evaluate(data(batch=4), checkpoint_path=str(tmp_path / "model.ckpt-0"))
    assert found["global_step"] == 0
    assert found["loss"] == pytest.approx(np.mean((X - Y) ** 2))


def classes(features: Any, labels: Any, mode: str) -> Any:
    """Predicts its features as they are."""
    w = tf1.get_variable("w", (), initializer="zeros")
    loss = tf.reduce_mean(w + tf.cast(features, "float32"))
    metrics = {"accuracy": tf1.metrics.accuracy(labels=labels, predictions=features)}
    train_op = tf1.train.GradientDescentOptimizer(0.1).minimize(loss, tf1.train.get_global_step())
    return EstimatorSpec(mode, loss=loss, train_op=train_op, eval_metric_ops=metrics)


def in_batches(*batches: tuple[list[int], list[int]]) -> Any:
    """An input_fn with these (features, labels), which have different lengths."""
    spec = tf.TensorSpec((None,), tf.int32)
    return lambda: tf.data.Dataset.from_generator(
        lambda: iter([(np.array(x, np.int32), np.array(y, np.int32)) for x, y in batches]),
        output_signature=(spec, spec),
    )


FIRST = ([0, 1, 2, 3], [0, 1, 2, 4])  # three of four are right
SECOND = ([0, 1, 2, 3, 4, 5, 6, 7], [0, 1, 0, 0, 0, 0, 0, 0])  # and two of these eight


def test_metrics_accumulate_over_batches(tmp_path: Any) -> None:
    estimator = Estimator(classes, tmp_path)
    assert estimator.evaluate(in_batches(FIRST, SECOND), steps=1)["accuracy"] == pytest.approx(0.75)
    assert estimator.evaluate(in_batches(FIRST, SECOND))["accuracy"] == pytest.approx(5 / 12)


def with_metrics(make: Any) -> Any:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        spec = classes(features, labels, mode)
        return spec._replace(eval_metric_ops=make(features, labels))

    return model_fn


def keras_metric(features: Any, labels: Any) -> dict[str, Any]:
    metric = tf.keras.metrics.Accuracy()
    metric.update_state(labels, features)
    return {"accuracy": metric}


def of_two_metrics(features: Any, labels: Any) -> dict[str, Any]:
    right, update = tf1.metrics.accuracy(labels, features)
    return {"twice": (2 * right, update), "accuracy": (right, update)}


def of_variables(features: Any, labels: Any) -> dict[str, Any]:
    """A value that the model_fn computes itself of variables that its update changes."""
    total = tf1.get_variable("total", (), initializer="zeros", collections=[tf1.GraphKeys.LOCAL_VARIABLES])
    count = tf1.get_variable("count", (), initializer="zeros", collections=[tf1.GraphKeys.LOCAL_VARIABLES])
    right = tf.reduce_sum(tf.cast(features == labels, "float32"))
    update = tf1.group(tf1.assign_add(total, right), tf1.assign_add(count, tf.cast(tf.size(labels), "float32")))
    return {"accuracy": (total / count, update)}


@pytest.mark.parametrize("make", [keras_metric, of_two_metrics, of_variables])
def test_values_of_metrics_are_those_after_the_last_update(make: Any, tmp_path: Any) -> None:
    found = Estimator(with_metrics(make), tmp_path).evaluate(in_batches(FIRST, SECOND))
    assert found["accuracy"] == pytest.approx(5 / 12)
    assert found.get("twice", 10 / 12) == pytest.approx(10 / 12)


def of_a_variable(features: Any, labels: Any) -> dict[str, Any]:
    """The value is a variable itself."""
    rows = tf1.get_variable("rows", (), initializer="zeros", collections=[tf1.GraphKeys.LOCAL_VARIABLES])
    return {"rows": (rows, tf1.assign_add(rows, tf.cast(tf.size(labels), "float32")))}


def test_the_value_of_a_metric_may_be_a_variable(tmp_path: Any) -> None:
    assert Estimator(with_metrics(of_a_variable), tmp_path).evaluate(in_batches(FIRST, SECOND))["rows"] == 12


def test_a_keras_metric_beside_a_computed_one_counts_every_batch_once(tmp_path: Any) -> None:
    def both(features: Any, labels: Any) -> dict[str, Any]:
        return {**of_variables(features, labels), "by_keras": keras_metric(features, labels)["accuracy"]}

    found = Estimator(with_metrics(both), tmp_path).evaluate(in_batches(FIRST, SECOND))
    assert found["accuracy"] == found["by_keras"] == pytest.approx(5 / 12)


def test_a_pair_may_be_what_a_keras_metric_returns(tmp_path: Any) -> None:
    def pair(features: Any, labels: Any) -> dict[str, Any]:
        metric = tf.keras.metrics.Accuracy()
        update = metric.update_state(labels, features)
        return {"accuracy": (metric.result(), update)}

    found = Estimator(with_metrics(pair), tmp_path).evaluate(in_batches(FIRST, SECOND))
    assert found["accuracy"] == pytest.approx(5 / 12)


@pytest.mark.parametrize(
    "pair",
    [
        lambda value, update: (update, update),
        lambda value, update: (0.5, update),
        lambda value, update: (value, lambda: None),
        lambda value, update: (tf.keras.metrics.Mean(), update),
    ],
)
def test_what_cannot_be_a_metric_is_refused_before_the_first_batch(pair: Any, tmp_path: Any) -> None:
    def make(features: Any, labels: Any) -> dict[str, Any]:
        return {"wrong": pair(*tf1.metrics.accuracy(labels, features))}

    def begun() -> Any:
        raise AssertionError

    hook = tf1.train.SessionRunHook()
    hook.begin = begun
    with pytest.raises(TypeError, match=r"eval_metric_ops\['wrong'\]"):
        Estimator(with_metrics(make), tmp_path).evaluate(in_batches(FIRST), hooks=[hook])


def test_a_keras_metric_that_is_never_updated_is_refused(tmp_path: Any) -> None:
    model_fn = with_metrics(lambda features, labels: {"forgotten": tf.keras.metrics.Mean(name="mine")})
    with pytest.raises(ValueError, match=r'Please call update_state\(\.\.\.\) on the "mine" metric'):
        Estimator(model_fn, tmp_path).evaluate(in_batches(FIRST))


class Largest(tf.keras.metrics.Metric):  # type: ignore[misc]
    """The largest value, whose first value is no 0."""

    def __init__(self) -> None:
        super().__init__(name="largest")
        self.found = self.add_weight(name="found", initializer=tf.keras.initializers.Constant(-1e9))

    def update_state(self, values: Any, sample_weight: Any = None) -> None:
        self.found.assign(tf.maximum(self.found, tf.reduce_max(values)))

    def result(self) -> Any:
        return self.found.value


def test_variables_of_metrics_begin_with_the_values_of_their_initializers(tmp_path: Any) -> None:
    def make(features: Any, labels: Any) -> dict[str, Any]:
        largest = Largest()
        largest.update_state(-1.0 - tf.cast(features, "float32"))
        one = tf1.get_variable("one", (), initializer="ones", collections=[tf1.GraphKeys.LOCAL_VARIABLES])
        return {"largest": largest, "count": (one, tf1.assign_add(one, 1.0))}

    estimator = Estimator(with_metrics(make), tmp_path)
    for _ in range(2):
        found = estimator.evaluate(in_batches(FIRST, SECOND))
        assert (found["largest"], found["count"]) == (-1.0, 3.0)


@pytest.mark.parametrize("name", ["loss", "global_step"])
def test_a_metric_cannot_have_a_name_that_is_taken(name: str, tmp_path: Any) -> None:
    model_fn = with_metrics(lambda features, labels: {name: tf1.metrics.accuracy(labels, features)})
    with pytest.raises(ValueError, match=f"Metric with name '{name}' is not allowed"):
        Estimator(model_fn, tmp_path).evaluate(in_batches(FIRST))


@pytest.mark.parametrize(("arguments", "kind"), [({"steps": 0}, ValueError), ({"hooks": [1]}, TypeError)])
def test_what_is_wrong_is_said(arguments: dict[str, Any], kind: type[Exception], tmp_path: Any) -> None:
    with pytest.raises(kind, match=r"Must specify steps > 0|SessionRunHook"):
        Estimator(linear(), tmp_path).evaluate(data(), **arguments)


def test_a_checkpoint_of_another_model_names_what_it_lacks(tmp_path: Any) -> None:
    Estimator(linear(), tmp_path).train(data(), steps=1)

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        tf1.get_variable("other", (2,))
        return linear()(features, labels, mode)

    with pytest.raises(FileNotFoundError, match=r"Key other not found in checkpoint .*model\.ckpt-1.* has .*w"):
        Estimator(model_fn, tmp_path).evaluate(data())


def test_the_inference_time_is_without_compiling(
    tmp_path: Any, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    Estimator(linear(), tmp_path).train(data())
    compiled = iter([0.0, 1e6])
    # Private: so long no compilation takes that a test can wait for.
    monkeypatch.setattr("stratagem._tf1.estimator._evaluate.compiling_seconds", lambda: next(compiled))
    with caplog.at_level(logging.INFO):
        Estimator(linear(), tmp_path).evaluate(data(), steps=2)
    assert "Inference Time : 0.00000s" in caplog.messages


def test_the_log_has_tensorflows_lines_in_its_order(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    estimator = Estimator(linear(), tmp_path, RunConfig())
    estimator.train(data())
    caplog.clear()
    with caplog.at_level(logging.INFO):
        estimator.evaluate(data(), steps=2)
    path = re.escape(f"{tmp_path}/model.ckpt-4")
    expected = [
        r"Calling model_fn\.",
        r"Done calling model_fn\.",
        r"Starting evaluation at \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d",
        r"Graph was finalized\.",
        rf"Restoring parameters from {path}",
        r"Running local_init_op\.",
        r"Done running local_init_op\.",
        r"Evaluation \[1/2\]",
        r"Evaluation \[2/2\]",
        r"Inference Time : [\d.]+s",
        r"Finished evaluation at \d{4}-\d\d-\d\d-\d\d:\d\d:\d\d",
        r"Saving dict for global step 4: global_step = 4, loss = [\d.]+",
        rf"Saving 'checkpoint_path' summary for global step 4: {path}",
    ]
    messages = [r.getMessage() for r in caplog.records if r.name == "stratagem.estimator"]
    assert len(messages) == len(expected), messages
    for message, pattern in zip(messages, expected, strict=True):
        assert re.fullmatch(pattern, message), message
