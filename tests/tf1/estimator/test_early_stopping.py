"""Early stopping: a function, or the metrics that evaluations have written, end a training."""

import logging
import re
from typing import Any

import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem.estimator import CheckpointSaverListener, Estimator, RunConfig, experimental
from tests.tf1.estimator.models import data, linear


def steps_of(estimator: Estimator) -> int:
    return int(estimator.get_variable_value("global_step"))


def test_a_function_ends_training(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    asked: list[int] = []

    def should_stop() -> bool:
        asked.append(len(asked))
        return len(asked) == 3

    estimator = Estimator(linear(), tmp_path)
    hook = tf1.estimator.experimental.make_early_stopping_hook(
        estimator, should_stop, run_every_secs=None, run_every_steps=2
    )
    with caplog.at_level(logging.INFO):
        estimator.train(data(repeat=None), [hook])
    assert asked == [0, 1, 2]  # before steps 0, 2 and 4
    assert steps_of(estimator) == 5
    assert "Requesting early stopping at global step 4" in caplog.messages


def test_seconds_may_pass_between_questions(tmp_path: Any) -> None:
    asked: list[int] = []
    estimator = Estimator(linear(), tmp_path)
    hook = experimental.make_early_stopping_hook(estimator, lambda: bool(asked.append(1)), run_every_secs=3600)
    estimator.train(data(), [hook])
    assert asked == [1]


class Evaluates(CheckpointSaverListener):
    """After every checkpoint."""

    def __init__(self, estimator: Estimator) -> None:
        self.estimator = estimator
        self.losses: list[float] = []

    def after_save(self, session: Any, global_step_value: int) -> None:
        self.losses.append(float(self.estimator.evaluate(data(batch=4))["loss"]))


@pytest.mark.parametrize(
    ("make", "stops"),
    [
        # The loss is 2.5 at step 0 and falls by 0.1 a step. It is evaluated at every second step, before the hook asks.
        (lambda e: experimental.stop_if_lower_hook(e, "loss", 2.4, run_every_secs=None, run_every_steps=1), 2),
        (lambda e: experimental.stop_if_higher_hook(e, "loss", 2.4, run_every_secs=None, run_every_steps=1), 1),
        (
            lambda e: experimental.stop_if_higher_hook(
                e, "loss", 0.0, min_steps=4, run_every_secs=None, run_every_steps=1
            ),
            4,
        ),
        (
            lambda e: experimental.stop_if_no_increase_hook(e, "loss", 4, run_every_secs=None, run_every_steps=1),
            4,
        ),
    ],
)
def test_metrics_of_evaluations_end_training(make: Any, stops: int, tmp_path: Any) -> None:
    estimator = Estimator(slow, tmp_path, RunConfig(save_checkpoints_steps=2, keep_checkpoint_max=None))
    listener = Evaluates(estimator)
    estimator.train(data(batch=4, repeat=None), [make(estimator)], max_steps=20, saving_listeners=[listener])
    assert listener.losses == sorted(listener.losses, reverse=True)
    assert steps_of(estimator) == stops


def slow(features: Any, labels: Any, mode: str) -> Any:
    """The loss falls a little in every step."""
    w = tf1.get_variable("w", (), initializer="zeros")
    loss = 2.5 - w
    train_op = tf1.group(tf1.assign_add(w, 0.1), tf1.assign_add(tf1.train.get_global_step(), 1))
    return tf.estimator.EstimatorSpec(mode, loss=loss, train_op=train_op)


def test_a_metric_that_falls_goes_on(tmp_path: Any) -> None:
    estimator = Estimator(slow, tmp_path, RunConfig(save_checkpoints_steps=2))
    hook = experimental.stop_if_no_decrease_hook(estimator, "loss", 3, run_every_secs=None, run_every_steps=1)
    estimator.train(data(repeat=None), [hook], max_steps=8, saving_listeners=[Evaluates(estimator)])
    assert steps_of(estimator) == 8


def test_a_metric_that_is_not_there_is_named(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path, RunConfig(save_checkpoints_steps=1))
    hook = experimental.stop_if_lower_hook(estimator, "auc", 1, run_every_secs=None, run_every_steps=1)
    with pytest.raises(ValueError, match=r"watches the metric 'auc'; the evaluation of step 0 has loss"):
        estimator.train(data(), [hook], saving_listeners=[Evaluates(estimator)])


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda e: experimental.make_early_stopping_hook("e", lambda: True), TypeError, "`estimator` must have type"),
        (lambda e: experimental.make_early_stopping_hook(e, True), TypeError, "`should_stop_fn` must be callable"),
        (lambda e: experimental.make_early_stopping_hook(e, lambda: True, 1, 1), ValueError, "Only one of `run_every"),
        (lambda e: experimental.make_early_stopping_hook(e, lambda: True, None), ValueError, "Either every_secs or"),
    ],
)
def test_what_is_wrong_is_said(make: Any, kind: type[Exception], text: str, tmp_path: Any) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        make(Estimator(linear(), tmp_path))
