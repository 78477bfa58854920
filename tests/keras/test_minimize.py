"""Programs with the names of Keras 2 return what TensorFlow 2.15.1 returns (recorded)."""

import json
import logging
from collections.abc import Callable
from pathlib import Path
from typing import Any

import keras
import numpy as np
import pytest

import stratagem as tf
from tests.keras import keras2_programs
from tests.keras.facade import mirrored

RECORDED = json.loads((Path(__file__).parent / "recorded" / "keras2.json").read_text())


def agree(found: Any, wanted: Any, tolerance: float = 1e-6) -> None:
    if isinstance(wanted, dict):
        assert found.keys() == wanted.keys()
        for key, value in wanted.items():
            agree(found[key], value, tolerance)
    elif isinstance(wanted, list):
        assert len(found) == len(wanted)
        for a, b in zip(found, wanted, strict=True):
            agree(a, b, tolerance)
    elif isinstance(wanted, float):
        assert found == pytest.approx(wanted, rel=tolerance, abs=tolerance, nan_ok=True)
    else:
        assert found == wanted


def test_minimize_changes_the_variables_as_in_tensorflow() -> None:
    agree(keras2_programs.minimize_in_every_form(tf), RECORDED["minimize_in_every_form"])


def test_a_scaled_loop_is_that_of_tensorflow() -> None:
    agree(keras2_programs.a_scaled_loop(tf), RECORDED["a_scaled_loop"])


def test_losses_and_metrics_have_their_short_names() -> None:
    agree(keras2_programs.lower_case_losses(tf), RECORDED["lower_case_losses"], 1e-5)


def test_logs_and_history_call_the_learning_rate_lr() -> None:
    agree(keras2_programs.the_learning_rate_in_the_history(tf), RECORDED["the_learning_rate_in_the_history"], 1e-5)
    model = keras2_programs.small(tf)
    model.compile("sgd", "mse")
    rate = keras.callbacks.LearningRateScheduler(lambda epoch: 0.1)
    assert "learning_rate" in model.fit(keras2_programs.X, keras2_programs.Y, callbacks=[rate], verbose=0).history


@pytest.mark.parametrize("scaled", [False, True])
def test_minimize_sums_the_gradients_of_replicas(scaled: bool) -> None:
    strategy = mirrored()
    with strategy.scope():
        v, optimizer = tf.Variable(8.0), tf.keras.optimizers.SGD(0.25)
        if scaled:
            optimizer = tf.keras.mixed_precision.LossScaleOptimizer(optimizer)

    @tf.function
    def step() -> None:
        rank = tf.cast(tf.distribute.get_replica_context().replica_id_in_sync_group, tf.float32)
        optimizer.minimize(lambda: v * (rank + 1.0), [v])

    strategy.run(step)
    assert v.numpy() == 8.0 - 0.25 * 3.0


def test_arguments_of_earlier_optimizers_are_answered_as_in_tensorflow(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING, "stratagem"):
        assert float(tf.keras.optimizers.Adam(lr=0.5).learning_rate) == pytest.approx(0.001)
    assert "`lr` is deprecated in Keras optimizer" in caplog.text
    assert float(tf.keras.optimizers.SGD(0.5, jit_compile=True).lr) == 0.5


@pytest.mark.parametrize(
    ("make", "error", "message"),
    [
        (lambda o: o.Adam(decay=0.1), ValueError, r"decay is deprecated .* tf.keras.optimizers.legacy.Adam"),
        (lambda o: o.Adam(foo=0.1), TypeError, "foo is not a valid argument"),
        (
            lambda o: o.SGD().minimize(tf.constant(1.0), []),
            ValueError,
            "`tape` is required when a `Tensor` loss is passed",
        ),
    ],
)
def test_bad_arguments_are_tensorflows_errors(make: Callable[[Any], Any], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        make(tf.keras.optimizers)


def test_variables_are_a_list_that_can_be_called() -> None:
    optimizer, v = tf.keras.optimizers.Adam(0.5), tf.Variable([1.0])
    optimizer.minimize(lambda: tf.reduce_sum(v), [v])
    assert isinstance(optimizer.variables, list)
    assert len(optimizer.variables) == 4  # of Keras 3: with the learning rate
    assert [w.shape for w in optimizer.variables()] == [(), (1,), (1,)]
    assert np.all(optimizer.variables()[1].numpy() != 0)
