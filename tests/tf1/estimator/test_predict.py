"""Estimator.predict: rows, keys, batches, and what is said of predictions that are none."""

from typing import Any

import numpy as np
import pytest

import stratagem as tf
from stratagem.estimator import Estimator, EstimatorSpec, SessionRunHook
from tests.tf1.estimator.models import X, by_hand, data, linear, rows


@pytest.fixture
def estimator(tmp_path: Any) -> Estimator:
    return Estimator(linear(), tmp_path).train(data())


W = by_hand(rows())[0]


def test_every_row_has_its_predictions(estimator: Estimator) -> None:
    found = list(estimator.predict(data(batch=3)))
    assert [set(row) for row in found] == [{"x", "y"}] * 4
    np.testing.assert_allclose([row["y"] for row in found], W * X, rtol=1e-6)
    assert found[0]["y"].shape == ()


def test_batches_as_they_are(estimator: Estimator) -> None:
    found = list(estimator.predict(data(batch=3), yield_single_examples=False))
    assert [batch["y"].shape for batch in found] == [(3,), (1,)]


def test_only_the_keys_that_are_asked_for(estimator: Estimator) -> None:
    assert [set(row) for row in estimator.predict(data(), predict_keys=["y", "z"])] == [{"y"}] * 4
    with pytest.raises(ValueError, match=r"Expected to run at least one output from \['y', 'x'\], provided \['z'\]"):
        next(estimator.predict(data(), predict_keys=["z"]))


def test_features_alone_are_enough(estimator: Estimator) -> None:
    found = list(estimator.predict(lambda: tf.data.Dataset.from_tensor_slices(X).batch(2)))
    np.testing.assert_allclose([row["x"] for row in found], X)


def test_a_tensor_is_not_wrapped_in_a_dict(tmp_path: Any) -> None:
    def model_fn(features: Any, mode: str) -> Any:
        return EstimatorSpec(mode, predictions=tf.stack([features, -features], axis=1))

    estimator = Estimator(model_fn, tmp_path)
    found = list(estimator.predict(data()))
    np.testing.assert_allclose(found, np.stack([X, -X], 1))
    with pytest.raises(ValueError, match="not valid in case of non-dict predictions"):
        next(estimator.predict(data(), predict_keys=["y"]))


def test_nothing_is_computed_before_it_is_asked_for(estimator: Estimator) -> None:
    class Counts(SessionRunHook):
        steps = 0

        def after_run(self, run_context: Any, run_values: Any) -> None:
            Counts.steps += 1

    rows_of = estimator.predict(data(batch=2, repeat=None), hooks=[Counts()])
    assert Counts.steps == 0
    next(rows_of)
    next(rows_of)
    assert Counts.steps == 1
    next(rows_of)
    assert Counts.steps == 2
    rows_of.close()  # type: ignore[attr-defined]


@pytest.mark.parametrize("shape", [(), (3,)])
def test_predictions_that_are_no_rows_are_refused_one_by_one(shape: tuple[int, ...], tmp_path: Any) -> None:
    def model_fn(features: Any, mode: str) -> Any:
        return EstimatorSpec(mode, predictions={"a": features, "b": tf.zeros(shape)})

    estimator = Estimator(model_fn, tmp_path)
    with pytest.raises(ValueError, match="Batch length of predictions should be same"):
        next(estimator.predict(data()))
    assert next(estimator.predict(data(), yield_single_examples=False))["b"].shape == shape


def test_a_model_without_predictions_is_refused(tmp_path: Any) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        assert labels is None
        return EstimatorSpec(mode, loss=tf.reduce_mean(features))

    with pytest.raises(ValueError, match="Missing predictions"):
        next(Estimator(model_fn, tmp_path).predict(data()))
