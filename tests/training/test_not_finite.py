"""A NaN gets into the variables: told by default, the end of the training where it is asked for, on all workers alike."""

import logging
import math
import re
from itertools import product
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from stratagem._base.errors import NonFiniteError
from tests.multi_worker.jobs import job
from tests.thorough import thorough_but
from tests.training.test_callbacks_backup import made

PROGRAM = Path(__file__).parent / "not_finite.py"
ROWS = 24


def data(bad: int | None = None) -> tuple[np.ndarray, np.ndarray]:
    x, y = np.ones((ROWS, 3), np.float32), np.ones((ROWS, 1), np.float32)
    if bad is not None:
        x[bad] = math.nan
    return x, y


def fit(model: Any, bad: int | None, *callbacks: Any, rows: int = ROWS, **options: Any) -> None:
    x, y = data(bad)
    model.fit(x[:rows], y[:rows], batch_size=4, verbose=0, shuffle=False, callbacks=[*callbacks], **options)


def steps_of(model: Any) -> int:
    return int(np.asarray(model.optimizer.iterations))


def test_a_fit_warns_of_a_loss_that_is_not_finite_and_goes_on(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    model = made()
    fit(model, None, epochs=1)
    assert caplog.messages == []
    fit(model, 13, epochs=1)
    assert [line.partition(".")[0] for line in caplog.messages] == [
        "The loss is not finite: nan after step 6 of epoch 1"
    ]
    assert steps_of(model) == 12


def test_ignore_says_nothing(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.WARNING)
    model = made()
    model.distribute_strategy.non_finite = "ignore"
    fit(model, 13, epochs=1)
    assert caplog.messages == []


# 23 rows: the last batch is uneven.
@pytest.mark.parametrize(
    ("rows", "together", "replicas"), thorough_but([(24, 3, 2), (23, 1, 2)], product((24, 23), (1, 3), (1, 2)))
)
def test_stop_ends_a_fit_with_one_typed_error(rows: int, together: int, replicas: int) -> None:
    model = made(replicas)
    model.steps_per_execution = together
    model.distribute_strategy.non_finite = "stop"
    bad = 14 if rows == 24 else 22  # in the uneven batch
    with pytest.raises(NonFiniteError, match=r"not finite \(NaN or infinite\): .*kernel") as raised:
        fit(model, bad, epochs=2, rows=rows)
    assert isinstance(raised.value, tf.errors.InvalidArgumentError)
    first = 4 if rows == 24 else 6
    assert first <= raised.value.step < first + together
    assert any(path.endswith("/kernel") for path in raised.value.variables)
    if together == 1 and rows == 24:  # later, all replicas have read such weights
        assert (f"only metrics of replica {replicas - 1} of worker:0 are" in str(raised.value)) is (replicas > 1)
    assert steps_of(model) <= raised.value.step + together


def test_stop_ends_a_loop_at_the_second_step_after(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("STRATAGEM_NON_FINITE", "stop")
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    assert strategy.non_finite == "stop"
    with strategy.scope():
        v = tf.Variable(1.0)

    @tf.function
    def step(x: Any) -> None:
        strategy.run(lambda: v.assign(v / x))

    step(tf.constant(2.0))
    step(tf.constant(0.0))  # infinite
    step(tf.constant(2.0))
    with pytest.raises(FloatingPointError, match="After step 2 of this strategy"):
        step(tf.constant(2.0))


def test_another_word_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    strategy = tf.distribute.MirroredStrategy(["CPU:0"])
    with pytest.raises(tf.errors.InvalidArgumentError, match="one of warn, stop, ignore"):
        strategy.non_finite = "raise"
    monkeypatch.setenv("STRATAGEM_NON_FINITE", "yes")
    with pytest.raises(tf.errors.InvalidArgumentError, match="STRATAGEM_NON_FINITE"):
        tf.distribute.MirroredStrategy(["CPU:0"])


@pytest.mark.parametrize("replicas", thorough_but([2], [1, 2]))
def test_terminate_on_nan_ends_a_fit_after_the_step(replicas: int) -> None:
    model = made(replicas)
    fit(model, 13, keras.callbacks.TerminateOnNaN(), epochs=3)
    assert steps_of(model) == 4


def ended(how: str) -> list[Any]:
    with job(PROGRAM, 2, how) as running:
        return running.ended()


def test_terminate_on_nan_ends_all_workers_at_one_step() -> None:
    for task in ended("terminate"):
        assert task.code == 0, task.output
        assert "steps 4" in task.output


@pytest.mark.parametrize("how", thorough_but(["fit"], ["fit", "loop"]))
def test_stop_ends_all_workers_with_the_same_error_that_names_the_one_with_the_data(how: str) -> None:
    texts = []
    for task in ended(how):
        assert task.code == 1, task.output
        text, *_ = re.findall(r"^stratagem\S*NonFiniteError: (.*)$", task.output, re.MULTILINE)
        assert "After step 4 of this strategy" in text
        assert "only metrics of replica 1 of worker:1 are not finite" in text
        texts.append(text)
    assert texts[0] == texts[1]
