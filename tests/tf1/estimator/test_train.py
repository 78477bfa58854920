"""Estimator.train: how far it goes, what it continues from, what it is told, and what it says."""

import functools
import logging
import re
import warnings
from typing import Any

import numpy as np
import pytest

import stratagem as tf
import stratagem.compat.v1 as tf1
from stratagem.estimator import Estimator, EstimatorSpec, RunConfig, SessionRunHook, StopAtStepHook
from tests.tf1.estimator.models import X, Y, by_hand, data, linear, rows, weight


def step_of(estimator: Estimator) -> int:
    return int(estimator.get_variable_value("global_step"))


def test_training_ends_with_the_input_and_takes_every_batch_once(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path)
    assert estimator.train(data()) is estimator
    assert step_of(estimator) == 4
    assert weight(estimator) == pytest.approx(by_hand(rows())[0], rel=1e-6)


def test_steps_count_from_where_training_is_and_max_steps_from_the_beginning(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path)
    estimator.train(data(repeat=None), steps=3)
    estimator.train(data(repeat=None), steps=3)
    assert step_of(estimator) == 6
    estimator.train(data(repeat=None), max_steps=8)
    assert step_of(estimator) == 8
    expected = by_hand([*rows()[:3], *rows()[:3], *rows()[:2]])[0]
    assert weight(estimator) == pytest.approx(expected, rel=1e-6)


def test_training_that_has_reached_max_steps_calls_nothing(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    calls: list[str] = []
    estimator = Estimator(linear(calls=calls), tmp_path)
    estimator.train(data(repeat=None), max_steps=2)
    calls.clear()
    with caplog.at_level(logging.INFO):
        assert estimator.train(data(repeat=None), max_steps=2) is estimator
    assert calls == []
    assert "Skipping training since max_steps has already saved." in caplog.messages


class _RaisesAtStep(SessionRunHook):
    def __init__(self, step: int) -> None:
        self._step, self._done = step, 0

    def after_run(self, run_context: Any, run_values: Any) -> None:
        self._done += 1
        if self._done == self._step:
            raise RuntimeError("Interruption")


def test_training_goes_on_from_the_last_checkpoint_after_an_interruption(tmp_path: Any) -> None:
    config = RunConfig(save_checkpoints_steps=1)
    with pytest.raises(RuntimeError, match="Interruption"):
        Estimator(linear(), tmp_path, config).train(data(repeat=None), [_RaisesAtStep(5)], max_steps=10)
    again = Estimator(linear(), tmp_path, config)
    assert step_of(again) == 5
    again.train(data(repeat=None), max_steps=10)
    assert step_of(again) == 10
    batches = [*rows(), *rows()[:1], *rows(), *rows()[:1]]  # the data begins anew
    assert weight(again) == pytest.approx(by_hand(batches)[0], rel=1e-6)


def test_a_directory_copied_elsewhere_is_the_same_training(tmp_path: Any) -> None:
    Estimator(linear(), tmp_path / "a").train(data())
    (tmp_path / "a").rename(tmp_path / "b")
    moved = Estimator(linear(), tmp_path / "b")
    assert moved.latest_checkpoint() == str(tmp_path / "b" / "model.ckpt-4")
    moved.train(data(), max_steps=5)
    assert step_of(moved) == 5
    assert weight(moved) == pytest.approx(by_hand([*rows(), *rows()[:1]])[0], rel=1e-6)


def test_stop_at_step_hook_stops_after_exactly_as_many(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path)
    estimator.train(data(repeat=None), [StopAtStepHook(num_steps=2)])
    assert step_of(estimator) == 2
    estimator.train(data(repeat=None), [StopAtStepHook(last_step=3)])
    assert step_of(estimator) == 3


def test_a_step_is_traced_once_and_an_uneven_last_batch_once_more(tmp_path: Any) -> None:
    calls: list[str] = []
    estimator = Estimator(linear(calls=calls), tmp_path)
    estimator.train(data(batch=2, repeat=20))
    even = len(calls)
    assert even <= 2  # the first trace finds the variables, the second is the program
    calls.clear()
    Estimator(linear(calls=calls), tmp_path / "uneven").train(data(batch=3, repeat=20))
    assert len(calls) <= even + 1


def test_an_empty_input_takes_no_step_and_says_so(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    estimator = Estimator(linear(), tmp_path)
    estimator.train(lambda: data()().take(0))
    assert step_of(estimator) == 0
    assert "Training with estimator made no steps. Perhaps input is empty or misspecified." in caplog.messages


def test_tensors_of_an_input_fn_are_the_same_batch_every_step(tmp_path: Any) -> None:
    estimator = Estimator(linear(), tmp_path)
    estimator.train(lambda: (tf.constant(X), tf.constant(Y)), steps=3)
    assert weight(estimator) == pytest.approx(by_hand([(X, Y)] * 3)[0], rel=1e-6)


def test_functions_are_given_what_they_have_arguments_for(tmp_path: Any) -> None:
    seen: dict[str, Any] = {}

    def input_fn(mode: str, params: dict[str, Any], config: RunConfig, input_context: Any = None) -> Any:
        seen.update(input=(mode, params["batch"], config.model_dir, input_context))
        return data(batch=params["batch"])()

    def model_fn(features: Any, labels: Any, mode: str, params: dict[str, Any], config: RunConfig) -> Any:
        seen.update(model=(mode, params["batch"], config.model_dir))
        return linear()(features, labels, mode)

    params = {"batch": 2}
    estimator = Estimator(model_fn, tmp_path, params=params)
    params["batch"] = 3
    estimator.train(input_fn)
    assert seen == {"input": ("train", 2, str(tmp_path), None), "model": ("train", 2, str(tmp_path))}
    estimator.params["batch"] = 4
    assert estimator.params == {"batch": 2}


def test_a_partial_of_a_model_fn_is_given_the_rest(tmp_path: Any) -> None:
    def model_fn(scale: float, features: Any, labels: Any, mode: str) -> Any:
        return linear()(scale * features, labels, mode)

    estimator = Estimator(functools.partial(model_fn, 2.0), tmp_path)
    estimator.train(data(), steps=1)
    assert weight(estimator) == pytest.approx(by_hand([(2 * X[:1], Y[:1])])[0], rel=1e-6)


def no_labels(features: Any, mode: str) -> Any:
    return EstimatorSpec(mode, loss=tf.reduce_mean(features), train_op=tf.reduce_mean(features))


@pytest.mark.parametrize(
    ("make", "kind", "text"),
    [
        (lambda d: Estimator(None, d), ValueError, "model_fn must be provided"),
        (lambda d: Estimator(lambda labels, mode: None, d), ValueError, "must include features argument"),
        (lambda d: Estimator(lambda features, other: None, d), ValueError, "not expected args"),
        (lambda d: Estimator(linear(), d, params={"a": 1}), ValueError, "does not include params argument"),
        (lambda d: Estimator(linear(), d, config="no"), TypeError, "RunConfig"),
        (lambda d: Estimator(linear(), d, warm_start_from=1), ValueError, "warm_start_from"),
        (lambda d: Estimator(linear(), d).train(data(), steps=1, max_steps=1), ValueError, "both steps and max_steps"),
        (lambda d: Estimator(linear(), d).train(data(), steps=0), ValueError, "Must specify steps > 0"),
        (lambda d: Estimator(linear(), d).train(data(), max_steps=-1), ValueError, "Must specify max_steps > 0"),
        (lambda d: Estimator(linear(), d).train(data(), hooks=[1]), TypeError, "SessionRunHook"),
        (lambda d: Estimator(linear(), d).train(data(), saving_listeners=[1]), TypeError, "CheckpointSaverListener"),
        (lambda d: Estimator(lambda features, labels: 1, d).train(data()), ValueError, "return an EstimatorSpec"),
        (lambda d: Estimator(no_labels, d).train(data()), ValueError, "model_fn does not take labels"),
        (lambda d: Estimator(linear(), d).train(lambda: None), ValueError, "input_fn must return"),
        (lambda d: Estimator(linear(), d).train(lambda: iter(data()())), RuntimeError, "return the dataset itself"),
        (lambda d: Estimator(linear(), d).train(lambda: (X, Y, X)), ValueError, "as a len 2 tuple"),
        (lambda d: Estimator(linear(), d).get_variable_names(), ValueError, "Could not find trained model"),
        (lambda d: Estimator(linear(), d).export_saved_model(d, None), ValueError, "input_receiver_fn must be defined"),
    ],
)
def test_what_is_wrong_is_said(make: Any, kind: type[Exception], text: str, tmp_path: Any) -> None:
    with pytest.raises(kind, match=re.escape(text)):
        make(tmp_path)


def test_a_subclass_cannot_change_what_an_estimator_does(tmp_path: Any) -> None:
    class Mine(Estimator):
        def evaluate(self, *args: Any, **kwargs: Any) -> Any:
            return {}

    with pytest.raises(ValueError, match=r"cannot override members of Estimator.*evaluate"):
        Mine(linear(), tmp_path)


def test_a_subclass_may_show_another_model_fn_and_is_told_of_names_in_use(tmp_path: Any) -> None:
    class Shows(Estimator):
        model_fn = None  # type: ignore[assignment]

        def _create_and_assert_global_step(self, graph: Any) -> None:
            raise AssertionError

    assert Shows(linear(), tmp_path).model_fn is None

    class Clashes(Estimator):
        def _train(self) -> None:
            raise AssertionError

    with pytest.raises(ValueError, match=r"\['_train'\], which Estimator uses itself here: rename"):
        Clashes(linear(), tmp_path)


def test_a_decision_on_a_tensor_says_what_to_do(tmp_path: Any) -> None:
    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        if features[0] > 0:
            return linear()(features, labels, mode)
        return None

    with pytest.raises(TypeError, match=r"tf\.cond"):
        Estimator(model_fn, tmp_path).train(data())


def test_the_log_has_tensorflows_lines_in_its_order(tmp_path: Any, caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.INFO):
        Estimator(linear(), tmp_path).train(data())
    path = re.escape(f"{tmp_path}/model.ckpt")
    expected = [
        r"Using default config\.",
        r"Using config: \{'_model_dir': .*",
        r"Calling model_fn\.",
        r"Done calling model_fn\.",
        r"Create CheckpointSaverHook\.",
        r"Graph was finalized\.",
        r"Running local_init_op\.",
        r"Done running local_init_op\.",
        r"Calling checkpoint listeners before saving checkpoint 0\.\.\.",
        rf"Saving checkpoints for 0 into {path}\.",
        r"Calling checkpoint listeners after saving checkpoint 0\.\.\.",
        r"loss = 0\.25, step = 0",
        r"Calling checkpoint listeners before saving checkpoint 4\.\.\.",
        rf"Saving checkpoints for 4 into {path}\.",
        r"Calling checkpoint listeners after saving checkpoint 4\.\.\.",
        r"Loss for final step: [\d.]+\.",
    ]
    messages = [r.getMessage() for r in caplog.records if r.name == "stratagem.estimator"]
    assert len(messages) == len(expected), messages
    for message, pattern in zip(messages, expected, strict=True):
        assert re.fullmatch(pattern, message), message
    assert float(messages[-1].split()[-1].rstrip(".")) == pytest.approx(by_hand(rows())[1][-1], rel=1e-6)


def test_the_same_seed_gives_the_same_model(tmp_path: Any) -> None:

    def model_fn(features: Any, labels: Any, mode: str) -> Any:
        w = tf1.get_variable("w", (3,))
        loss = tf.reduce_sum(w * features[0])
        op = tf1.train.GradientDescentOptimizer(0.0).minimize(loss, tf1.train.get_global_step())
        return EstimatorSpec(mode, loss=loss, train_op=op)

    values = [
        Estimator(model_fn, tmp_path / str(i), RunConfig(tf_random_seed=seed))
        .train(data(), steps=1)
        .get_variable_value("w")
        for i, seed in enumerate((1, 1, 2))
    ]
    np.testing.assert_array_equal(values[0], values[1])
    assert not np.array_equal(values[0], values[2])


def test_a_temporary_directory_is_named_in_a_warning(caplog: pytest.LogCaptureFixture, tmp_path: Any) -> None:
    with warnings.catch_warnings(), pytest.MonkeyPatch.context() as patch:
        patch.setattr("tempfile.tempdir", str(tmp_path))
        estimator = Estimator(linear())
    assert f"Using temporary folder as model directory: {estimator.model_dir}" in caplog.messages
